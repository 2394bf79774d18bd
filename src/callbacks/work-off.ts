import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import { type HintOutcome, takeHint } from '../orders/index.ts';
import type { SupplierRegistry } from '../suppliers/index.ts';
import type { CallbackState } from './callback.ts';
import { deleteCallbacksBefore, markHandled, putOff, takeDueCallback } from './store.ts';

export interface CallbackWorkerDeps {
  db: Db;
  clock: Clock;
  log: Log;
  registry: SupplierRegistry;
  /** Called when orders are due now. */
  wakeDispatcher: () => void;
}

export interface CallbackWorker {
  wake(): void;
  /** Takes nothing new; what is not done stays received, and is found by the next start. */
  stop(limitMs: number): Promise<void>;
}

const POLL_MS = 2 * SECOND_MS;
const BATCH = 50;
/** While a worker calls the supplier about the same order, its answer comes first. */
const HELD_RETRY_MS = 2 * SECOND_MS;
/** A message that cannot be worked off must not hold up those behind it. */
const FAILED_RETRY_MS = MINUTE_MS;
const KEEP_DAYS = 30;
const PRUNE_BATCH = 500;

const STATE_OF = { asked: 'Asked', settled: 'Settled', late: 'Late', unmatched: 'Unmatched' } as const satisfies Record<
  Exclude<HintOutcome['kind'], 'held'>,
  CallbackState
>;

/** Works off what suppliers told unasked: has them asked about it. */
export function startCallbackWorker(deps: CallbackWorkerDeps): CallbackWorker {
  const stopping = new AbortController();
  const loop = new WorkLoop({
    clock: deps.clock,
    log: deps.log,
    stopping: stopping.signal,
    pollMs: POLL_MS,
    subject: 'messages of suppliers',
    takeDue: () => workOffDue(deps, stopping.signal),
  });
  return {
    wake: () => loop.wake(),
    async stop(limitMs) {
      stopping.abort();
      await finishWithin(deps.clock, limitMs, loop.finish());
    },
  };
}

/** Works off a bounded number of messages, one transaction each, and answers how long the loop may rest. */
async function workOffDue(deps: CallbackWorkerDeps, stopping: AbortSignal): Promise<number> {
  let count = 0;
  let hasAsked = false;
  while (count < BATCH && !stopping.aborted) {
    const outcome = await workOffNext(deps);
    if (outcome === null) break;
    count += 1;
    hasAsked ||= outcome === 'asked';
  }
  if (hasAsked) deps.wakeDispatcher();
  return count === BATCH ? 0 : POLL_MS;
}

/** The hint, what it changes about the order and that it was worked off are one transaction. */
async function workOffNext(deps: CallbackWorkerDeps): Promise<HintOutcome['kind'] | 'failed' | null> {
  let taken: string | null = null;
  try {
    return await inTransaction(deps.db, async (tx) => {
      const now = deps.clock.now();
      const callback = await takeDueCallback(tx, now);
      if (callback === null) return null;
      taken = callback.id;
      const { supplierCode, reference, supplierReference, status } = callback;
      const outcome = await takeHint(tx, deps, { supplierCode, reference, supplierReference, status: status ?? '' });
      if (outcome.kind === 'held') await putOff(tx, callback.id, after(now, HELD_RETRY_MS));
      else {
        const orderId = outcome.kind === 'unmatched' ? null : outcome.orderId;
        await markHandled(tx, callback.id, { state: STATE_OF[outcome.kind], orderId, at: now });
      }
      return outcome.kind;
    });
  } catch (error) {
    if (taken === null) throw error;
    deps.log.error({ err: error, callback: taken }, 'A message of a supplier could not be worked off; it is tried again.');
    await putOff(deps.db, taken, after(deps.clock.now(), FAILED_RETRY_MS));
    return 'failed';
  }
}

/** Deletes messages older than 30 days, batch by batch; answers how many. */
export async function pruneCallbacks({ db, clock }: { db: Db; clock: Clock }): Promise<{ deleted: number }> {
  const before = after(clock.now(), -KEEP_DAYS * DAY_MS);
  let deleted = 0;
  for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; deleted += batch)
    batch = await deleteCallbacksBefore(db, before, PRUNE_BATCH);
  return { deleted };
}
