import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { attemptWith, orderWith, STEP_CONTEXT } from '../../test/support/order-fixture.ts';
import { after, DAY_MS } from '../lib/clock.ts';
import { decideHint, decideRecheck } from './ask-again.ts';
import { type Attempt, type Order, parseReference, toOrderId } from './order.ts';

const HINT = { status: 'Sukses', saysDelivered: false };
const MAY_BUY = { ...STEP_CONTEXT, checkMayBuy: () => true };
const FAILED: Partial<Order> = { state: 'Failed', nextActionAt: null, resolvedBy: 'admin', refundSeq: 2n };
const SUCCESS: Partial<Order> = { state: 'Success', nextActionAt: null };

describe("a supplier's message", () => {
  test.each<[string, Partial<Order>, Partial<Attempt>]>([
    ['about a purchase without an end', {}, { state: 'Pending' }],
    ['about one whose outcome is unknown', {}, { state: 'Unknown' }],
    ['about one whose sender died', { lease: 'gone', nextActionAt: TEST_START }, { state: 'Sending' }],
    ['about one that was delivered, which may be taken back', SUCCESS, { state: 'Delivered' }],
    ['about one that an operator refunded meanwhile', FAILED, { state: 'Unknown' }],
  ])('%s has the supplier asked at once, and nothing else changes', (_what, order, attempt) => {
    const before = orderWith({ ...order, supplierCode: 'second' });
    expect(decideHint(before, attemptWith(attempt), HINT, STEP_CONTEXT)).toEqual({
      kind: 'ask',
      order: { ...before, supplierCode: 'first', nextActionAt: TEST_START, lease: null },
      attempt: null,
    });
  });

  test('again and again has the supplier asked no faster than every two seconds', () => {
    const asked = attemptWith({ state: 'Pending', checks: 1, updatedAt: after(TEST_START, -1_000) });
    expect(decideHint(orderWith(), asked, HINT, STEP_CONTEXT)).toEqual({ kind: 'held' });
    expect(decideHint(orderWith(), { ...asked, checks: 0 }, HINT, STEP_CONTEXT)).toMatchObject({ kind: 'ask' });
    expect(decideHint(orderWith(), asked, HINT, { ...STEP_CONTEXT, now: after(TEST_START, 1_000) })).toMatchObject({
      kind: 'ask',
    });
  });

  test('about a purchase that we took for not being there has the supplier asked before it is sent again', () => {
    const decision = decideHint(orderWith(), attemptWith({ state: 'Queued' }), HINT, STEP_CONTEXT);
    expect(decision).toMatchObject({ kind: 'ask', attempt: { state: 'Unknown', message: expect.stringContaining('Sukses') } });
  });

  test('about a purchase that was never sent changes nothing about it', () => {
    const decision = decideHint(orderWith(), attemptWith({ state: 'Queued', sends: 0 }), HINT, STEP_CONTEXT);
    expect(decision).toMatchObject({ kind: 'ask', attempt: null });
  });

  test('waits while a worker is calling the supplier', () => {
    const held = orderWith({ lease: 'lease', nextActionAt: after(TEST_START, 5_000) });
    expect(decideHint(held, attemptWith({ state: 'Sending' }), HINT, STEP_CONTEXT)).toEqual({ kind: 'held' });
  });

  test.each<[string, Partial<Order>, Partial<Attempt>]>([
    ['that was taken back', { ...FAILED, state: 'Refunded' }, { state: 'Reversed' }],
    ['that was delivered after the refund, as was told before', FAILED, { state: 'Delivered' }],
  ])('about a purchase %s leaves nothing to ask', (_what, order, attempt) => {
    expect(decideHint(orderWith(order), attemptWith(attempt), HINT, STEP_CONTEXT)).toEqual({ kind: 'settled' });
  });

  test.each<[string, Partial<Order>, Partial<Attempt>, string]>([
    [
      'was refunded, from a supplier whose answer could buy',
      FAILED,
      { state: 'Unknown' },
      'although an operator had ended the order',
    ],
    ['was refunded before anything was sent', FAILED, { state: 'Queued' }, 'although an operator had ended the order'],
    ['an operator had closed', SUCCESS, { state: 'Rejected', code: 'operator_decision' }, 'closed as not delivered'],
    ['is too old to be asked about', SUCCESS, { state: 'Delivered', createdAt: after(TEST_START, -31 * DAY_MS) }, 'too old'],
  ])('about a purchase that %s is shown to an operator', (_what, order, attempt, reason) => {
    const decision = decideHint(orderWith(order), attemptWith(attempt), HINT, MAY_BUY);
    expect(decision).toMatchObject({
      kind: 'late',
      order: { review: { since: TEST_START, reason: expect.stringContaining(reason) } },
    });
    expect(decision).toMatchObject({ order: { nextActionAt: orderWith(order).nextActionAt } });
  });

  test('about a rejected purchase has that verified once the order has ended, but not where asking could buy', () => {
    const rejected = attemptWith({ state: 'Rejected', code: 'out_of_stock' });
    expect(decideHint(orderWith({ supplierCode: 'second' }), rejected, HINT, STEP_CONTEXT)).toEqual({ kind: 'held' });
    for (const order of [orderWith(SUCCESS), orderWith(FAILED)]) {
      expect(decideHint(order, rejected, HINT, STEP_CONTEXT)).toEqual({ kind: 'verify' });
      expect(decideHint(order, rejected, HINT, MAY_BUY)).toEqual({ kind: 'settled' });
    }
  });

  test('that a rejected purchase was delivered is shown to an operator where the supplier cannot be asked', () => {
    const rejected = attemptWith({ state: 'Rejected', code: 'out_of_stock' });
    const delivered = { ...HINT, saysDelivered: true };
    expect(decideHint(orderWith(), rejected, delivered, MAY_BUY)).toEqual({ kind: 'held' });
    expect(decideHint(orderWith(FAILED), rejected, delivered, MAY_BUY)).toMatchObject({
      kind: 'late',
      order: { state: 'Failed', review: { reason: expect.stringContaining('that it had rejected') } },
    });
  });

  test('about a purchase that an operator had closed waits until the order has ended, which would take the flag down', () => {
    const closed = attemptWith({ state: 'Rejected', code: 'operator_decision' });
    expect(decideHint(orderWith(), closed, HINT, STEP_CONTEXT)).toEqual({ kind: 'held' });
  });

  test('adds its reason to the one for which an order is in review already', () => {
    const review = { since: after(TEST_START, -DAY_MS), reason: 'older' };
    const decision = decideHint(orderWith({ ...FAILED, review }), attemptWith(), HINT, MAY_BUY);
    const reason = expect.stringMatching(/^older; the supplier's callback says/);
    expect(decision).toMatchObject({ kind: 'late', order: { review: { since: review.since, reason } } });
  });
});

describe('asking on request', () => {
  test('is refused where the question could buy', () => {
    const old = attemptWith({ state: 'Delivered', createdAt: after(TEST_START, -31 * DAY_MS) });
    expect(decideRecheck(orderWith(SUCCESS), [old], MAY_BUY)).toMatchObject({ kind: 'not_possible' });
    expect(decideRecheck(orderWith(FAILED), [attemptWith()], MAY_BUY)).toMatchObject({ kind: 'not_possible' });
    expect(decideRecheck(orderWith(), [attemptWith()], MAY_BUY)).toMatchObject({ kind: 'scheduled' });
    const byHand = attemptWith({ state: 'Delivered', code: 'operator_decision' });
    expect(decideRecheck(orderWith(SUCCESS), [byHand], MAY_BUY)).toMatchObject({ kind: 'not_possible' });
  });

  test('sends nothing: what is taken for not being there is asked about once more, what was never sent is not', () => {
    const absent = attemptWith({ state: 'Queued', sends: 1 });
    const asked = decideRecheck(orderWith(), [absent], STEP_CONTEXT);
    expect(asked).toMatchObject({ kind: 'scheduled', attempt: { state: 'Unknown' } });
    expect(decideRecheck(orderWith(), [attemptWith({ state: 'Queued', sends: 0 })], STEP_CONTEXT).kind).toBe('not_possible');
    expect(decideRecheck(orderWith(), [], STEP_CONTEXT).kind).toBe('not_possible');
  });
});

test.each([
  ['as it was sent', (reference: string) => reference, true],
  ['in lower case', (reference: string) => reference.toLowerCase(), true],
  ['without its number', (reference: string) => reference.slice(0, -2), false],
  ['with a number of four digits', (reference: string) => `${reference}000`, false],
  ['somebody else gave', () => 'INV-1001', false],
])('a reference %s is ours or not', (_what, change, isOurs) => {
  const { orderId } = attemptWith();
  const parsed = parseReference(change(`${toOrderId(orderId)}-1`));
  expect(parsed).toEqual(isOurs ? { orderId, number: 1 } : null);
});
