import type { Db } from '../db/database.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { WorkLoop } from '../lib/work-loop.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Hold, ObserveCall } from '../suppliers/index.ts';
import { beginHold } from './hold-store.ts';
import type { SupplierRegistry } from './registry.ts';

export interface HoldDeps {
  db: Db;
  clock: Clock;
  log: Log;
  revisions: RevisionWatch;
  registry: SupplierRegistry;
}

/** Brings what this process met to all the others. */
export interface HoldKeeper {
  observe: ObserveCall;
  stop(): Promise<void>;
}

/** The service itself, where it acts without an operator. */
export const SERVICE: Actor = { name: 'service', requestId: null };
const LOOK_EVERY_MS = 5 * SECOND_MS;

/**
 * Writes the holds that connections of this process began by themselves, so that every process has them and they outlive it.
 * It goes by what the connections and the stored records say, not by events: a hold that could not be written, or that was
 * ended elsewhere while it began anew here, is written at the next look. Until then this process holds it alone.
 */
export function startHoldKeeper(deps: HoldDeps): HoldKeeper {
  const stopping = new AbortController();
  const loop = new WorkLoop({
    clock: deps.clock,
    log: deps.log,
    stopping: stopping.signal,
    pollMs: LOOK_EVERY_MS,
    subject: 'holds of suppliers',
    async takeDue() {
      for (const { code, hold } of deps.registry.unsavedHolds()) await holdSupplier(deps, code, hold);
      return LOOK_EVERY_MS;
    },
  });
  return {
    observe({ hold }) {
      if (hold !== null) loop.wake();
    },
    async stop() {
      stopping.abort();
      await loop.finish();
    },
  };
}

/** Sends a supplier no more orders, in every process, and says so once. */
export async function holdSupplier(deps: HoldDeps, code: string, hold: Hold): Promise<void> {
  const begun = await inTransaction(deps.db, async (tx) => {
    if (!(await beginHold(tx, code, hold, deps.clock.now()))) return false;
    await bumpRevision(tx, 'suppliers');
    await recordAction(tx, deps.clock, SERVICE, { action: 'supplier.hold', subject: code, details: { ...hold } });
    return true;
  });
  if (begun) deps.log.warn({ supplier: code, hold: hold.kind, reason: hold.reason }, 'A supplier is on hold and gets no orders.');
  await deps.revisions.check();
}
