import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { newId } from '../lib/ids.ts';
import { type Account, type Posting, post, signedAmount } from './ledger.ts';

const EMPTY: Account = { id: newId(TEST_START), resellerId: newId(TEST_START), mode: 'live', balance: 0n, seq: 0n };

function posting(fields: Partial<Posting>): Posting {
  return { id: newId(TEST_START), kind: 'deposit', amount: 100n, reference: 'R', at: TEST_START, ...fields };
}

test('a deposit raises the balance and is debited from cash', () => {
  const outcome = post(EMPTY, posting({ amount: 500n }));
  expect(outcome).toMatchObject({
    kind: 'posted',
    account: { balance: 500n, seq: 1n },
    transfer: { creditAccount: EMPTY.id, amount: 500n, balanceAfter: 500n },
  });
});

test('money that is not there cannot be spent, and nothing changes', () => {
  expect(post({ ...EMPTY, balance: 99n }, posting({ kind: 'order', amount: -100n }))).toEqual({
    kind: 'insufficient',
    balance: 99n,
  });
});

test.each([
  ['an order that raises a balance', { kind: 'order' as const, amount: 100n }],
  ['a deposit that lowers one', { kind: 'deposit' as const, amount: -100n }],
  ['a refund that lowers one', { kind: 'refund' as const, amount: -100n }],
  ['a movement of nothing', { kind: 'adjustment' as const, amount: 0n }],
])('%s is a bug and throws', (_name, fields) => {
  expect(() => post({ ...EMPTY, balance: 1_000n }, posting(fields))).toThrow('Invariant broken');
});

test('test money and live money have different counterparts', () => {
  const live = post(EMPTY, posting({}));
  const testMode = post({ ...EMPTY, mode: 'test' }, posting({}));
  if (live.kind !== 'posted' || testMode.kind !== 'posted') throw new Error('both are posted');
  expect(live.transfer.debitAccount).not.toBe(testMode.transfer.debitAccount);
});

const movements = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('deposit' as const), amount: fc.bigInt({ min: 1n, max: 1_000n }) }),
    fc.record({ kind: fc.constant('order' as const), amount: fc.bigInt({ min: -1_000n, max: -1n }) }),
    fc.record({ kind: fc.constantFrom('refund' as const, 'reversal' as const), amount: fc.bigInt({ min: 1n, max: 1_000n }) }),
    fc.record({
      kind: fc.constant('adjustment' as const),
      amount: fc.bigInt({ min: -1_000n, max: 1_000n }).filter((amount) => amount !== 0n),
    }),
  ),
);

test('after any movements the balance is their sum, never negative, and every transfer balances', () => {
  fc.assert(
    fc.property(movements, (postings) => {
      let account = EMPTY;
      let sum = 0n;
      for (const fields of postings) {
        const outcome = post(account, posting(fields));
        if (outcome.kind === 'insufficient') continue;
        const { transfer } = outcome;
        sum += signedAmount(transfer);
        account = outcome.account;
        expect(transfer.amount).toBeGreaterThan(0n);
        expect(transfer.debitAccount).not.toBe(transfer.creditAccount);
        expect(transfer.balanceAfter).toBe(sum);
        expect(account.balance).toBe(sum);
      }
      expect(sum).toBeGreaterThanOrEqual(0n);
    }),
  );
});
