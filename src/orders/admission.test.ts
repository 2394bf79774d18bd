import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import type { Account } from '../ledger/index.ts';
import { newId } from '../lib/ids.ts';
import { type Candidate, decideAdmissions } from './admission.ts';

const ACCOUNT: Account = { id: newId(TEST_START), resellerId: newId(TEST_START), mode: 'test', balance: 100n, seq: 0n };

function candidate(fields: Partial<Candidate> = {}): Candidate {
  return {
    accountId: ACCOUNT.id,
    orderId: newId(TEST_START),
    transferId: newId(TEST_START),
    mode: 'test',
    refId: 'REF-1',
    productCode: 'MLBB',
    serviceCode: 'MLBB-85',
    serviceName: '85 Diamonds',
    userId: '12345678',
    zone: '2001',
    nickname: 'Player',
    maxPrice: null,
    price: 30n,
    supplierCode: 'sandbox',
    lowBalanceThreshold: null,
    at: TEST_START,
    ...fields,
  };
}

function decide(candidates: Candidate[], account: Account = ACCOUNT) {
  return decideAdmissions(new Map([[account.id, account]]), [], candidates);
}

describe('a batch of orders', () => {
  test('is decided in the order of arrival: those the balance pays for are placed, the rest refused', () => {
    const batch = decide(['A', 'B', 'C', 'D'].map((refId) => candidate({ refId })));
    expect(batch.decisions.map(({ kind }) => kind)).toEqual(['placed', 'placed', 'placed', 'insufficient_balance']);
    expect(batch.transfers.map(({ balanceAfter }) => balanceAfter)).toEqual([70n, 40n, 10n]);
  });

  test('a cheaper order still fits after a dearer one was refused', () => {
    const batch = decide([candidate({ refId: 'A', price: 101n }), candidate({ refId: 'B', price: 100n })]);
    expect(batch.decisions.map(({ kind }) => kind)).toEqual(['insufficient_balance', 'placed']);
  });

  test('the same reference twice in one batch is one order and a replay of it', () => {
    const batch = decide([candidate(), candidate()]);
    expect(batch.decisions.map(({ kind }) => kind)).toEqual(['placed', 'replayed']);
    expect(batch.orders).toHaveLength(1);
    expect(batch.transfers).toHaveLength(1);
  });

  test.each([
    ['service_code', { serviceCode: 'MLBB-5' }],
    ['account_identifier.user_id', { userId: '87654321' }],
    ['account_identifier.zone', { zone: '2002' }],
    ['max_price', { maxPrice: 40n }],
  ])('the same reference with another %s is a conflict that names it', (field, change) => {
    const { decisions } = decide([candidate(), candidate(change)]);
    expect(decisions[1]).toMatchObject({ kind: 'ref_id_conflict', differs: [field] });
  });

  test('a replay is answered although the price has risen above max_price since', () => {
    const { decisions } = decide([candidate({ maxPrice: 30n }), candidate({ maxPrice: 30n, price: 50n })]);
    expect(decisions[1]?.kind).toBe('replayed');
  });

  test('max_price is checked before the balance, and equal is not above', () => {
    const { decisions } = decide([
      candidate({ refId: 'A', price: 500n, maxPrice: 499n }),
      candidate({ refId: 'B', price: 30n, maxPrice: 30n }),
    ]);
    expect(decisions).toMatchObject([{ kind: 'price_changed', price: 500n }, { kind: 'placed' }]);
  });

  test('a balance that falls below its threshold is told once, by the order that crosses it', () => {
    const batch = decide(['A', 'B', 'C'].map((refId) => candidate({ refId, lowBalanceThreshold: 50n })));
    expect(batch.lowBalances).toEqual([{ accountId: ACCOUNT.id, balance: 40n, threshold: 50n }]);
  });
});

const candidates = fc.array(
  fc.record({
    refId: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
    price: fc.bigInt({ min: 1n, max: 60n }),
    userId: fc.constantFrom('1', '2'),
    maxPrice: fc.option(fc.bigInt({ min: 0n, max: 60n })),
  }),
  { maxLength: 40 },
);

test('whatever arrives: no balance below zero, one order per reference, one debit of the price per order, no gap in the history', () => {
  fc.assert(
    fc.property(candidates, fc.bigInt({ min: 0n, max: 300n }), (fields, balance) => {
      const account = { ...ACCOUNT, balance, seq: 7n };
      const batch = decide(fields.map(candidate), account);

      expect(batch.decisions).toHaveLength(fields.length);
      expect(new Set(batch.orders.map(({ refId }) => refId)).size).toBe(batch.orders.length);
      expect(batch.transfers.map(({ orderId, amount }) => [orderId, amount])).toEqual(
        batch.orders.map(({ id, price }) => [id, price]),
      );
      let before = account.balance;
      for (const [index, transfer] of batch.transfers.entries()) {
        expect(transfer.seq).toBe(8n + BigInt(index));
        expect(transfer.balanceAfter).toBe(before - transfer.amount);
        expect(transfer.balanceAfter).toBeGreaterThanOrEqual(0n);
        before = transfer.balanceAfter;
      }
      for (const [index, decision] of batch.decisions.entries()) {
        if (decision.kind === 'insufficient_balance') expect(decision.price).toBeGreaterThan(decision.balance);
        if (decision.kind === 'replayed') expect(decision.order.userId).toBe(fields[index]?.userId);
      }
    }),
  );
});
