import { after, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { Hold } from '../suppliers/index.ts';

/** What was known of a supplier before its balance was read. */
export interface BalanceBefore {
  hold: Hold | null;
  heldSince: Date | null;
  balance: Amount | null;
  balanceAt: Date | null;
}

export interface BalanceLimits {
  warnBalance: Amount | null;
  minimumBalance: Amount | null;
}

export interface BalanceDecision {
  /** The hold from here on; null: none. */
  hold: Hold | null;
  /** The balance fell below the warning just now. */
  warns: boolean;
}

const READ_EVERY_MS = 5 * MINUTE_MS;
const LONGEST_WAIT_MS = HOUR_MS;

/**
 * Decides what a reading of the balance means. `reading` is null where the supplier answered but does not tell a balance in our
 * currency: its configuration is then good, and nothing is known of the money.
 *
 * A hold that needs an operator stays, whatever the balance is. A hold because of the balance ends at the minimum. Where none is set, it ends when the balance has risen since the first
 * reading after the supplier said that it does not suffice: an older one may be from before it was used up.
 */
export function decideBalance(before: BalanceBefore, limits: BalanceLimits, reading: Amount | null): BalanceDecision {
  const { warnBalance, minimumBalance } = limits;
  const { hold } = before;
  if (reading === null) return { hold: hold?.kind === 'misconfigured' ? null : hold, warns: false };
  const wasAbove = before.balance === null || (warnBalance !== null && before.balance >= warnBalance);
  const warns = warnBalance !== null && wasAbove && reading < warnBalance;
  if (hold?.kind === 'needs_operator') return { hold, warns };
  if (minimumBalance !== null) {
    if (reading >= minimumBalance) return { hold: null, warns };
    const reason = `our balance there is below the minimum of ${minimumBalance}`;
    return { hold: hold?.kind === 'low_balance' ? hold : { kind: 'low_balance', reason }, warns };
  }
  const mayLift = hold?.kind !== 'low_balance' || hasRisen(before, reading);
  return { hold: mayLift ? null : hold, warns };
}

/** When to read next. What is misconfigured is asked ever more rarely: after as long as it has been so, at most an hour. */
export function nextReading(hold: Hold | null, heldSince: Date | null, now: Date): Date {
  if (hold?.kind !== 'misconfigured' || heldSince === null) return after(now, READ_EVERY_MS);
  const heldMs = now.getTime() - heldSince.getTime();
  return after(now, Math.min(LONGEST_WAIT_MS, Math.max(READ_EVERY_MS, heldMs)));
}

/**
 * How long a new hold waits for its first probe. One that begins within the hour after the last was ended by a probe shows that
 * the probe proves too little, so the wait doubles.
 */
export function firstWaitMs(last: { endedAt: Date | null; waitMs: number | null }, now: Date): number {
  const isRepeated = last.endedAt !== null && now.getTime() - last.endedAt.getTime() < LONGEST_WAIT_MS;
  return isRepeated ? Math.min(LONGEST_WAIT_MS, 2 * (last.waitMs ?? READ_EVERY_MS)) : READ_EVERY_MS;
}

function hasRisen({ balance, balanceAt, heldSince }: BalanceBefore, reading: Amount): boolean {
  if (balance === null || balanceAt === null || heldSince === null || balanceAt < heldSince) return false;
  return reading > balance;
}
