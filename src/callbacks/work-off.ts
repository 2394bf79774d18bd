import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import { flagContradiction, type HintOutcome, takeHint } from '../orders/index.ts';
import type { Callback, CallbackState } from './callback.ts';
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
/** While a worker calls the supplier about the same order, its answer comes first: soon, or after hours. */
const FIRST_RETRY_MS = 2 * SECOND_MS;
const LAST_RETRY_MS = 5 * MINUTE_MS;
/** A message that cannot be worked off must not hold up those behind it. */
const FAILED_RETRY_MS = MINUTE_MS;
/** Questions about rejected purchases that are open at once; each has the time limit of its supplier. */
const MAX_VERIFYING = 4;
/** The same message again has a rejection verified no faster than this. */
const VERIFY_AGAIN_AFTER_MS = MINUTE_MS;
/** A supplier that does not answer that question in this time is left alone: its statement will tell. */
const VERIFY_FOR_MS = HOUR_MS;
const KEEP_DAYS = 30;
const PRUNE_BATCH = 500;

const STATE_OF = { asked: 'Asked', settled: 'Settled', late: 'Late', unmatched: 'Unmatched' } as const satisfies Record<
  Exclude<HintOutcome['kind'], 'held' | 'verify'>,
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
    takeDue: (running) => workOffDue(deps, running, stopping.signal),
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
async function workOffDue(deps: CallbackWorkerDeps, loop: WorkLoop, stopping: AbortSignal): Promise<number> {
  let count = 0;
  let hasAsked = false;
  while (count < BATCH && !stopping.aborted) {
    const done = await workOffNext(deps, loop.underWay < MAX_VERIFYING);
    if (done === null) break;
    count += 1;
    if (done.outcome?.kind === 'asked') hasAsked = true;
    if (done.outcome?.kind === 'verify') {
      const { outcome } = done;
      loop.start(
        () => verify(deps, done.callback, outcome),
        () => undefined,
      );
    }
  }
  if (hasAsked) deps.wakeDispatcher();
  return count === BATCH ? 0 : POLL_MS;
}

/** The hint, what it changes about the order and that it was worked off are one transaction. Null when none is due. */
async function workOffNext(
  deps: CallbackWorkerDeps,
  mayVerify: boolean,
): Promise<{ callback: Callback; outcome: HintOutcome | null } | null> {
  let taken: Callback | null = null;
  try {
    return await inTransaction(deps.db, async (tx) => {
      const now = deps.clock.now();
      const callback = await takeDueCallback(tx, now);
      taken = callback;
      if (callback === null) return null;
      const { supplierCode, reference, supplierReference, status } = callback;
      const outcome = await takeHint(tx, deps, { supplierCode, reference, supplierReference, status: status ?? '' });
      const wasJustVerified = callback.handledAt !== null && now < after(callback.handledAt, VERIFY_AGAIN_AFTER_MS);
      if (outcome.kind === 'held' || (outcome.kind === 'verify' && (!mayVerify || wasJustVerified))) {
        await putOff(tx, callback.id, after(now, retryAfter(callback, now)));
        return { callback, outcome: null };
      }
      // Asked outside the transaction; should this process die meanwhile, another one asks after that time.
      if (outcome.kind === 'verify') await putOff(tx, callback.id, after(now, FAILED_RETRY_MS));
      else {
        const orderId = outcome.kind === 'unmatched' ? null : outcome.orderId;
        await markHandled(tx, callback.id, { state: STATE_OF[outcome.kind], orderId, at: now });
      }
      return { callback, outcome };
    });
  } catch (error) {
    const failed = taken as Callback | null;
    if (failed === null) throw error;
    deps.log.error({ err: error, callback: failed.id }, 'A message of a supplier could not be worked off; it is tried again.');
    await putOff(deps.db, failed.id, after(deps.clock.now(), FAILED_RETRY_MS));
    return { callback: failed, outcome: null };
  }
}

/** A quarter of the time it has waited already. */
function retryAfter({ lastSeenAt }: Callback, now: Date): number {
  const waitedMs = now.getTime() - lastSeenAt.getTime();
  return Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, waitedMs / 4));
}

/** Asks whether a rejection still holds. Whatever the answer, no order changes its state by it. */
async function verify(
  deps: CallbackWorkerDeps,
  callback: Callback,
  { orderId, accountId, purchase }: Extract<HintOutcome, { kind: 'verify' }>,
): Promise<void> {
  const finding = await deps.registry.connection(callback.supplierCode).checkOrder(purchase);
  const at = deps.clock.now();
  if (finding.kind === 'unknown' && at < after(callback.lastSeenAt, VERIFY_FOR_MS)) return;
  const isContradiction = finding.kind === 'delivered' || finding.kind === 'pending' || finding.kind === 'unclear';
  await inTransaction(deps.db, async (tx) => {
    if (isContradiction) await flagContradiction(tx, deps, { accountId, orderId }, finding);
    await markHandled(tx, callback.id, { state: isContradiction ? 'Late' : 'Settled', orderId, at });
  });
}

/** Deletes messages older than 30 days, batch by batch; answers how many. */
export async function pruneCallbacks({ db, clock }: { db: Db; clock: Clock }): Promise<{ deleted: number }> {
  const before = after(clock.now(), -KEEP_DAYS * DAY_MS);
  let deleted = 0;
  for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; deleted += batch)
    batch = await deleteCallbacksBefore(db, before, PRUNE_BATCH);
  return { deleted };
}
