import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { toEventId, webhookBody } from './contract.ts';
import type { Delivery } from './delivery.ts';
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

/** A lease outlasts the longest call by this, which is for recording it: a living worker never loses it. */
const LEASE_SLACK_MS = ATTEMPT_LIMIT_MS;

/** Takes due endpoints and what waits for them, in one transaction. */
export async function claimVisits(
  deps: { db: Db; clock: Clock; secretBox: SecretBox },
  claim: { health: Health; endpoints: number; deliveriesEach: number },
): Promise<VisitPlan[]> {
  const now = deps.clock.now();
  const lease = newId(now);
  const leaseUntil = after(now, ATTEMPT_LIMIT_MS + LEASE_SLACK_MS);
  return inTransaction(deps.db, async (tx) => {
    const endpoints = await claimDueEndpoints(tx, { health: claim.health, now, leaseUntil, lease, limit: claim.endpoints });
    if (endpoints.length === 0) return [];
    const ids = endpoints.map(({ id }) => id);
    const deliveries = Map.groupBy(await findDueDeliveries(tx, ids, claim.deliveriesEach, now), ({ endpointId }) => endpointId);
    const secrets = Map.groupBy(await findSecrets(tx, ids, now), ({ endpointId }) => endpointId);
    return endpoints.map((endpoint) => ({
      endpoint,
      lease,
      deliveries: deliveries.get(endpoint.id) ?? [],
      secrets: (secrets.get(endpoint.id) ?? []).map(({ id, sealed }) => deps.secretBox.open(sealed, secretBinding(id))),
    }));
  });
}

/** Sends everything of a visit at once and answers when the last call has ended. */
export async function makeVisit(
  deps: { clock: Clock; sender: WebhookSender; timeZone: string },
  { endpoint, lease, deliveries, secrets }: VisitPlan,
): Promise<VisitReport> {
  const results = deliveries.map(async ({ id: deliveryId, event }) => {
    const body = JSON.stringify(webhookBody(event, deps.timeZone));
    const headers = webhookHeaders({ id: toEventId(event.id), sentAt: deps.clock.now(), body }, secrets);
    return { deliveryId, result: await deps.sender.send({ url: endpoint.url, headers, body }) };
  });
  return { endpointId: endpoint.id, lease, results: await Promise.all(results) };
}
