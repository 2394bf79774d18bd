import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import type { Hold } from '../suppliers/hold.ts';
import { type BalanceBefore, decideBalance, firstWaitMs, nextReading } from './balance.ts';

const LOW: Hold = { kind: 'low_balance', reason: 'saldo kurang' };
const WRONG: Hold = { kind: 'misconfigured', reason: 'wrong key' };
const LOGGED_OUT: Hold = { kind: 'needs_operator', reason: 'error_require_login' };
const NONE = { warnBalance: null, minimumBalance: null };
const WITH_MINIMUM = { warnBalance: null, minimumBalance: 1_000n };

function before(fields: Partial<BalanceBefore> = {}): BalanceBefore {
  return { hold: null, heldSince: fields.hold ? TEST_START : null, balance: 5_000n, balanceAt: TEST_START, ...fields };
}

describe('a hold', () => {
  test.each([
    ['of misconfiguration ends when the supplier answers', before({ hold: WRONG }), NONE, 1n, null],
    ['of misconfiguration ends also when no balance can be told', before({ hold: WRONG }), NONE, null, null],
    ['that needs an operator stays when the supplier answers', before({ hold: LOGGED_OUT }), NONE, 1n, LOGGED_OUT],
    ['that needs an operator stays at the minimum', before({ hold: LOGGED_OUT }), WITH_MINIMUM, 5_000n, LOGGED_OUT],
    ['that needs an operator stays when no balance can be told', before({ hold: LOGGED_OUT }), NONE, null, LOGGED_OUT],
    ['of a low balance stays when no balance can be told', before({ hold: LOW }), NONE, null, LOW],
    ['of a low balance ends at the minimum', before({ hold: LOW }), WITH_MINIMUM, 1_000n, null],
    ['of a low balance stays below it', before({ hold: LOW }), WITH_MINIMUM, 999n, LOW],
    ['without a minimum ends when the balance has risen', before({ hold: LOW, balance: 10n }), NONE, 11n, null],
    ['without a minimum stays while it has not', before({ hold: LOW, balance: 10n }), NONE, 10n, LOW],
    [
      'is not ended by comparing with a reading from before it',
      before({ hold: LOW, balance: 10n, balanceAt: after(TEST_START, -1) }),
      NONE,
      11n,
      LOW,
    ],
    ['is not begun at the minimum', before(), WITH_MINIMUM, 1_000n, null],
    ['is not begun where no minimum is set', before(), NONE, 0n, null],
  ])('%s', (_what, known, limits, reading, hold) => {
    expect(decideBalance(known, limits, reading).hold).toEqual(hold);
  });

  test('begins below the minimum, before any order fails', () => {
    expect(decideBalance(before(), WITH_MINIMUM, 999n).hold).toMatchObject({ kind: 'low_balance' });
  });

  test('of misconfiguration becomes one of a low balance when that is what is left', () => {
    expect(decideBalance(before({ hold: WRONG }), WITH_MINIMUM, 1n).hold?.kind).toBe('low_balance');
  });
});

describe('a warning', () => {
  const limits = { warnBalance: 2_000n, minimumBalance: null };

  test.each([
    ['comes when the balance falls below', 2_000n, 1_999n, true],
    ['comes once per fall', 1_999n, 1_500n, false],
    ['comes for a first reading that is below', null, 1n, true],
    ['does not come at the limit', 5_000n, 2_000n, false],
  ])('%s', (_what, known, reading, warns) => {
    expect(decideBalance(before({ balance: known }), limits, reading).warns).toBe(warns);
  });
});

test.each([
  ['usually every five minutes', null, 0, 5],
  ['of what is low on money just as often', LOW, 10 * HOUR_MS, 5],
  ['of what is misconfigured at first too', WRONG, MINUTE_MS, 5],
  ['then ever more rarely', WRONG, 20 * MINUTE_MS, 20],
  ['but at least every hour', WRONG, 10 * HOUR_MS, 60],
])('balances are read again %s', (_what, hold, heldMs, minutes) => {
  expect(nextReading(hold, hold && TEST_START, after(TEST_START, heldMs))).toEqual(
    after(TEST_START, heldMs + minutes * MINUTE_MS),
  );
});

test.each([
  ['the first time five minutes', null, null, 5],
  ['twice as long when it begins again within the hour', 10, 5, 10],
  ['at most an hour', 59, 50, 60],
  ['five minutes again after a good hour', 60, 20, 5],
])('a hold waits for its first probe %s', (_what, minutesAgo, waitMinutes, minutes) => {
  const endedAt = minutesAgo === null ? null : after(TEST_START, -minutesAgo * MINUTE_MS);
  const waitMs = waitMinutes === null ? null : waitMinutes * MINUTE_MS;
  expect(firstWaitMs({ endedAt, waitMs }, TEST_START)).toBe(minutes * MINUTE_MS);
});
