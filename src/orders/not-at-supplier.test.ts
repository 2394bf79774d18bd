import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { attemptWith, orderWith, STEP_CONTEXT } from '../../test/support/order-fixture.ts';
import { after } from '../lib/clock.ts';
import { decideStep, type StepContext } from './next-step.ts';
import { decideNotDelivered, decideReroute } from './not-at-supplier.ts';
import { ATTEMPT_STATES, type Attempt, isClosed, ORDER_STATES } from './order.ts';
import { possibleActions } from './resolution.ts';

const HELD = { lease: 'lease', nextActionAt: after(TEST_START, 5_000) };
const FINDING = { operator: 'admin', reason: 'told by phone' };
const rejected = (fields: Partial<Attempt> = {}) => attemptWith({ state: 'Rejected', code: 'out_of_stock', ...fields });

describe('closing a purchase by hand', () => {
  test.each(['Queued', 'Sending', 'Pending', 'Unknown'] as const)('one that is %s is closed, and the order goes on', (state) => {
    const order = orderWith({ review: { since: TEST_START, reason: 'no answer' } });
    const decision = decideNotDelivered(order, [attemptWith({ state })], FINDING, TEST_START);
    expect(decision).toMatchObject({
      kind: 'redirected',
      order: { state: 'Process', nextActionAt: TEST_START, lease: null, review: null },
      attempts: [{ number: 1, state: 'Rejected', code: 'operator_decision', message: 'admin: told by phone' }],
    });
  });

  test.each(ORDER_STATES.filter((state) => state !== 'Process'))('an order that is %s has no purchase to close', (state) => {
    expect(decideNotDelivered(orderWith({ state }), [attemptWith()], FINDING, TEST_START).kind).toBe('not_possible');
  });

  test('nothing is closed while a worker calls the supplier, or when nothing is open', () => {
    expect(decideNotDelivered(orderWith(HELD), [attemptWith()], FINDING, TEST_START).kind).toBe('not_possible');
    expect(decideNotDelivered(orderWith(), [rejected()], FINDING, TEST_START).kind).toBe('not_possible');
  });

  test('without a route left the order is then given up', () => {
    const decision = decideNotDelivered(orderWith(), [attemptWith()], FINDING, TEST_START);
    if (decision.kind !== 'redirected') throw new Error(decision.why);
    const step = decideStep(decision.order, decision.attempts, { ...STEP_CONTEXT, routes: STEP_CONTEXT.routes.slice(0, 1) });
    expect(step).toEqual({ kind: 'give_up', code: 'operator_decision' });
  });
});

describe('sending another way', () => {
  const reroute = (attempts: Attempt[], wanted: string | null = null, context: Partial<StepContext> = {}) =>
    decideReroute(orderWith(), attempts, wanted === null ? null : { supplierCode: wanted, sku: 'ML85' }, {
      ...STEP_CONTEXT,
      ...context,
    });

  test('writes the purchase down, to be sent for the first time by the worker of the chosen supplier', () => {
    const decision = reroute([rejected()], 'third');
    expect(decision).toMatchObject({
      kind: 'redirected',
      order: { supplierCode: 'third', nextActionAt: TEST_START },
      attempts: [{ number: 2, supplierCode: 'third', state: 'Queued', sends: 0, reference: expect.stringMatching(/-2$/) }],
    });
    if (decision.kind !== 'redirected') throw new Error(decision.why);
    const step = decideStep(decision.order, [rejected(), ...decision.attempts], STEP_CONTEXT);
    expect(step).toMatchObject({ kind: 'send', attempt: { number: 2, supplierCode: 'third', sends: 1 } });
  });

  test('closes what is known not to be there before the next one opens', () => {
    expect(reroute([attemptWith({ state: 'Queued' })])).toMatchObject({
      attempts: [
        { number: 1, state: 'Rejected', code: 'operator_decision' },
        { number: 2, supplierCode: 'second', state: 'Queued' },
      ],
    });
  });

  test.each(ATTEMPT_STATES.filter((state) => !['Queued', 'Rejected', 'Reversed'].includes(state)))(
    'is refused while a purchase is %s: it may have been delivered',
    (state) => {
      expect(reroute([attemptWith({ state })])).toMatchObject({ kind: 'not_possible' });
      expect(reroute([attemptWith({ state })], 'second')).toMatchObject({ kind: 'not_possible' });
    },
  );

  test('names a route that was tried, that is not there, or that all were tried', () => {
    expect(reroute([rejected()], 'first')).toMatchObject({ why: expect.stringContaining('tried already') });
    expect(reroute([rejected()], 'fourth')).toMatchObject({ why: expect.stringContaining('cannot be used now') });
    const all = STEP_CONTEXT.routes.map(({ supplierCode }, index) => rejected({ number: index + 1, supplierCode }));
    expect(reroute(all)).toMatchObject({ why: expect.stringContaining('Every route') });
  });

  test('prefers a supplier that takes orders, and respects what a supplier allows one player', () => {
    const decision = reroute([rejected()], null, { isAcceptingOrders: (code) => code === 'third' });
    expect(decision).toMatchObject({ order: { supplierCode: 'third' } });
    expect(reroute([rejected()], null, { targetOf: () => 'busy' })).toMatchObject({ kind: 'not_possible' });
    expect(reroute([rejected()], null, { isAcceptingOrders: () => false })).toMatchObject({
      why: expect.stringContaining('takes no orders now'),
    });
  });
});

test('what is offered is what is accepted: in every state at least one way out, never a reroute beside an open purchase', () => {
  for (const state of ATTEMPT_STATES) {
    const attempts = [attemptWith({ state })];
    const actions = possibleActions(orderWith(), attempts, STEP_CONTEXT);
    const possible = actions.filter(({ whyNot }) => whyNot === null).map(({ action }) => action);
    expect(possible.length).toBeGreaterThan(0);
    expect(possible.includes('reroute')).toBe(attempts.every(isClosed) || state === 'Queued');
    expect(actions.every(({ whyNot }) => whyNot === null || whyNot.endsWith('.'))).toBe(true);
  }
});
