import { SECOND_MS } from '../lib/clock.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import { nextReading } from './balance.ts';
import type { HoldDeps } from './hold-keeper.ts';
import { claimBalance, listDueBalances } from './hold-store.ts';
import { readBalance } from './read-balance.ts';
import { findSupplier } from './store.ts';

const LOOK_EVERY_MS = 15 * SECOND_MS;

export interface BalancePoller {
  /** Waits, at most `limitMs`, for the readings under way. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Reads the balances of active suppliers that can tell them. Every worker looks what is due; the row says who reads, and moves
 * the next time on before the call, so a supplier is never asked by two. For a supplier that is misconfigured this is the
 * harmless probe that finds out whether it is set right.
 */
export function startBalancePoller(deps: HoldDeps): BalancePoller {
  const stopping = new AbortController();
  const loop = new WorkLoop({
    clock: deps.clock,
    log: deps.log,
    stopping: stopping.signal,
    pollMs: LOOK_EVERY_MS,
    subject: 'balances of suppliers',
    async takeDue(running) {
      const { registry } = deps;
      const able = registry.codes().filter((code) => registry.connection(code).kind.capabilities.balance);
      for (const code of await listDueBalances(deps.db, able, deps.clock.now())) {
        if (await claim(deps, code))
          running.start(
            async () => void (await readBalance(deps, code)),
            () => undefined,
          );
      }
      return LOOK_EVERY_MS;
    },
  });
  return {
    async stop(limitMs) {
      stopping.abort();
      await finishWithin(deps.clock, limitMs, loop.finish());
    },
  };
}

async function claim(deps: HoldDeps, code: string): Promise<boolean> {
  const supplier = await findSupplier(deps.db, code);
  if (supplier === null) return false;
  const now = deps.clock.now();
  return claimBalance(deps.db, code, now, nextReading(supplier.hold, supplier.heldSince, now));
}
