import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock, SECOND_MS } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { toEventId, webhookBody } from './contract.ts';
import { type Delivery, isSuccess } from './delivery.ts';
import { findDueDeliveries } from './delivery-store.ts';
import type { Endpoint } from './endpoint.ts';
import { claimDueEndpoints, findSecrets, type Health } from './endpoint-store.ts';
import { secretBinding } from './manage-endpoints.ts';
import type { VisitReport } from './record-visits.ts';
import { webhookHeaders } from './secret.ts';
import { ATTEMPT_LIMIT_MS, type WebhookSender } from './send.ts';

/** An endpoint this worker holds, with what is due there and the secrets that sign it. */
export interface VisitPlan {
  endpoint: Endpoint;
  lease: string;
  deliveries: Delivery[];
  secrets: string[];
}

/** A visit begins no call later than this: what it brought so far is recorded soon, and little is repeated after a crash. */
const VISIT_LIMIT_MS = SECOND_MS;
/** A lease outlasts the longest visit by this, which is for recording it: a living worker never loses it. */
const LEASE_SLACK_MS = ATTEMPT_LIMIT_MS;

/** Takes due endpoints and what waits for them, in one transaction. */
export async function claimVisits(
  deps: { db: Db; clock: Clock; secretBox: SecretBox },
  claim: { health: Health; endpoints: number; callsEach: number; deliveriesShared: number },
): Promise<VisitPlan[]> {
  const now = deps.clock.now();
  const lease = newId(now);
  const leaseUntil = after(now, VISIT_LIMIT_MS + ATTEMPT_LIMIT_MS + LEASE_SLACK_MS);
  return inTransaction(deps.db, async (tx) => {
    const endpoints = await claimDueEndpoints(tx, { health: claim.health, now, leaseUntil, lease, limit: claim.endpoints });
    if (endpoints.length === 0) return [];
    const ids = endpoints.map(({ id }) => id);
    const each = Math.max(claim.callsEach, Math.floor(claim.deliveriesShared / ids.length));
    const deliveries = Map.groupBy(await findDueDeliveries(tx, ids, each, now), ({ endpointId }) => endpointId);
    const secrets = Map.groupBy(await findSecrets(tx, ids, now), ({ endpointId }) => endpointId);
    return endpoints.map((endpoint) => ({
      endpoint,
      lease,
      deliveries: deliveries.get(endpoint.id) ?? [],
      secrets: (secrets.get(endpoint.id) ?? []).map(({ id, sealed }) => deps.secretBox.open(sealed, secretBinding(id))),
    }));
  });
}

/**
 * Sends what is due, `calls` at a time, and answers when the last call has ended. A call that fails is the last to begin, and so
 * is one at the end of the visit's time: what is left stays due.
 */
export async function makeVisit(
  deps: { clock: Clock; sender: WebhookSender; timeZone: string },
  { endpoint, lease, deliveries, secrets }: VisitPlan,
  calls: number,
): Promise<VisitReport> {
  const { clock, sender, timeZone } = deps;
  const results: VisitReport['results'] = [];
  const until = after(clock.now(), VISIT_LIMIT_MS);
  const waiting = deliveries.values();
  let goesOn = true;
  const callInTurn = async () => {
    while (goesOn) {
      const { value: delivery } = waiting.next();
      if (delivery === undefined) return;
      const { id: deliveryId, event } = delivery;
      const body = JSON.stringify(webhookBody(event, timeZone));
      const headers = webhookHeaders({ id: toEventId(event.id), sentAt: clock.now(), body }, secrets);
      const result = await sender.send({ url: endpoint.url, headers, body });
      results.push({ deliveryId, result });
      goesOn &&= isSuccess(result) && clock.now() < until;
    }
  };
  await Promise.all(Array.from({ length: calls }, callInTurn));
  return { endpointId: endpoint.id, lease, results };
}
