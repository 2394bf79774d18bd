import type { Tx } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type NewEvent, recordEvents } from '../webhooks/index.ts';
import { listAudience } from './store.ts';

/** Events written by one statement. */
const CHUNK = 1_000;

/**
 * Records `service.updated` for every reseller of the tiers, in each mode in which they hold a usable token: one event for each
 * service and account, in the transaction of the change.
 */
export async function tellServices(tx: Tx, clock: Clock, changes: Map<string, Record<string, unknown>[]>): Promise<void> {
  const now = clock.now();
  const audience = await listAudience(tx, [...changes.keys()], now);
  const events = audience.flatMap(({ accountId, tierCode }): NewEvent[] =>
    (changes.get(tierCode) ?? []).map((data) => ({
      id: newId(now),
      accountId,
      type: 'service.updated',
      orderId: null,
      data,
      at: now,
    })),
  );
  for (let start = 0; start < events.length; start += CHUNK) await recordEvents(tx, events.slice(start, start + CHUNK));
}
