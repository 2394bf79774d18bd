import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Delivery } from './delivery.ts';
import { findDelivery, findDeliveryOf, recoverDeliveries, restartDelivery } from './delivery-store.ts';
import { findEndpoint, lockEndpoints, updateEndpoints } from './endpoint-store.ts';
import { recordEvents } from './event-store.ts';
import { withEndpoint } from './manage-endpoints.ts';

export interface SendAgainDeps {
  db: Db;
  clock: Clock;
}

export type SendAgainOutcome = { kind: 'queued'; delivery: Delivery } | { kind: 'not_found' } | { kind: 'disabled' };

/** Sends a real event of type `webhook.test`, to this endpoint alone. */
export async function sendTest(
  deps: SendAgainDeps,
  request: { accountId: string; id: string; data: Record<string, unknown> },
): Promise<SendAgainOutcome> {
  const now = deps.clock.now();
  return inTransaction(deps.db, async (tx) => {
    const endpoint = await findEndpoint(tx, request.accountId, request.id);
    if (endpoint === null) return { kind: 'not_found' };
    if (endpoint.status !== 'Active') return { kind: 'disabled' };
    const event = {
      id: newId(now),
      accountId: request.accountId,
      type: 'webhook.test' as const,
      orderId: null,
      data: request.data,
      at: now,
    };
    const [recorded] = await recordEvents(tx, [event], endpoint.id);
    const { sequence } = required(recorded, 'the event of a test');
    // It may have been disabled since it was read; the event then stands on the feed alone.
    const delivery = await findDeliveryOf(tx, endpoint.id, sequence);
    return delivery === null ? { kind: 'disabled' } : { kind: 'queued', delivery };
  });
}

/** Sends a delivery once more, whatever came of it before, from the beginning of the schedule. */
export async function resendDelivery(deps: SendAgainDeps, request: { accountId: string; id: string }): Promise<SendAgainOutcome> {
  const now = deps.clock.now();
  return inTransaction(deps.db, async (tx) => {
    const found = await findDelivery(tx, request.accountId, request.id);
    if (found === null) return { kind: 'not_found' };
    const [endpoint] = await lockEndpoints(tx, [found.endpointId]);
    if (endpoint?.status !== 'Active') return { kind: 'disabled' };
    await restartDelivery(tx, found.id, now);
    await updateEndpoints(tx, [endpoint], now);
    const delivery = required(await findDelivery(tx, request.accountId, request.id), 'the delivery that was just restarted');
    return { kind: 'queued', delivery };
  });
}

export type RecoverOutcome = { kind: 'queued'; count: number; hasMore: boolean } | { kind: 'not_found' } | { kind: 'disabled' };

/** Deliveries that one call makes due at the most. */
export const MAX_RECOVERED = 10_000;

/** Sends everything since a time that the endpoint has not taken, also what happened while it was disabled or not there. */
export async function recoverEvents(
  deps: SendAgainDeps,
  request: { accountId: string; id: string; since: Date },
): Promise<RecoverOutcome> {
  const now = deps.clock.now();
  const outcome = await withEndpoint(deps.db, request, async (tx, endpoint): Promise<RecoverOutcome> => {
    if (endpoint.status !== 'Active') return { kind: 'disabled' };
    const count = await recoverDeliveries(tx, endpoint, { since: request.since, now, limit: MAX_RECOVERED });
    await updateEndpoints(tx, [endpoint], now);
    return { kind: 'queued', count, hasMore: count === MAX_RECOVERED };
  });
  return outcome ?? { kind: 'not_found' };
}
