import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { orderWith, STEP_CONTEXT as PLAIN_CONTEXT, ROUTES as THREE_ROUTES } from '../../test/support/order-fixture.ts';
import type { NotSent } from '../connections/index.ts';
import { after, HOUR_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import type { CheckOutcome } from '../suppliers/index.ts';
import {
  decideGiveUp,
  decideOutcome,
  decideRest,
  decideStep,
  decideWait,
  type OutcomeContext,
  type Settlement,
  type StepContext,
  type TargetState,
} from './fulfilment.ts';
import { type Attempt, isClosed, type Order, TRANSITIONS } from './order.ts';

const ROUTES = THREE_ROUTES.slice(0, 2).map((route) => ({ ...route, accountTemplate: '{user_id}|{zone}' }));
const ORDER = orderWith({ nextActionAt: TEST_START, lease: 'lease' });

const CONTEXT: OutcomeContext = {
  routes: ROUTES,
  now: after(TEST_START, 1_000),
  lookAgainAfterMs: [1_000, 2_000, 5_000],
  reviewAfterMs: HOUR_MS,
  trustworthyNotFound: true,
  checkMayBuy: false,
};

const STEP_CONTEXT: StepContext = { ...PLAIN_CONTEXT, routes: ROUTES };

function sent(order: Order = ORDER, attempts: Attempt[] = []): Attempt {
  const step = decideStep(order, attempts, STEP_CONTEXT);
  if (step.kind !== 'send') throw new Error(`expected a send, got ${step.kind}`);
  return step.attempt;
}

function learn(
  outcome: CheckOutcome | NotSent,
  fields: { order?: Partial<Order>; attempt?: Partial<Attempt>; context?: Partial<OutcomeContext> } = {},
) {
  const attempt = { ...sent(), ...fields.attempt };
  return decideOutcome({ ...ORDER, ...fields.order }, [attempt], attempt, outcome, { ...CONTEXT, ...fields.context });
}

describe('the next step', () => {
  test("a new order is sent to its first route, under a reference of its own and in the supplier's notation", () => {
    const attempt = sent();
    expect(attempt).toMatchObject({ number: 1, supplierCode: 'first', state: 'Sending', sends: 1, accountText: '12345678|2001' });
    expect(attempt.reference).toMatch(/^TG[0-9A-Z]{26}-1$/);
  });

  test.each(['Sending', 'Pending', 'Unknown'] as const)('an attempt that is %s is asked about, never sent again', (state) => {
    const step = decideStep(ORDER, [{ ...sent(), state }], STEP_CONTEXT);
    expect(step).toMatchObject({ kind: 'check', attempt: { number: 1, checks: 1, sends: 1 } });
  });

  test('an attempt that is known not to be at the supplier is sent again under the same reference', () => {
    const attempt = sent();
    const step = decideStep(ORDER, [{ ...attempt, state: 'Queued' }], STEP_CONTEXT);
    expect(step).toMatchObject({ kind: 'send', attempt: { number: 1, reference: attempt.reference, sends: 2 } });
  });

  test('a supplier that takes no orders is passed over: the order is handed to the worker of the next one', () => {
    const step = decideStep(ORDER, [], { ...STEP_CONTEXT, isAcceptingOrders: (code) => code === 'second' });
    expect(step).toEqual({ kind: 'wait', until: TEST_START, supplierCode: 'second' });
    const handedOver = decideStep({ ...ORDER, supplierCode: 'second' }, [], {
      ...STEP_CONTEXT,
      isAcceptingOrders: (code) => code === 'second',
    });
    expect(handedOver).toMatchObject({ kind: 'send', attempt: { supplierCode: 'second' } });
  });

  test('when nobody takes orders it waits, and after an hour gives up, as nothing has been sent', () => {
    const nobody = { ...STEP_CONTEXT, isAcceptingOrders: () => false };
    expect(decideStep(ORDER, [], nobody).kind).toBe('wait');
    expect(decideStep(ORDER, [], { ...nobody, now: after(TEST_START, HOUR_MS) })).toEqual({
      kind: 'give_up',
      code: 'temporarily_unavailable',
    });
  });

  test('an order that has ended is never sent, whatever brought it up', () => {
    const ended = { ...ORDER, state: 'Success' as const };
    expect(decideStep(ended, [], STEP_CONTEXT)).toEqual({ kind: 'rest' });
    expect(decideStep(ended, [{ ...sent(), state: 'Queued' }], STEP_CONTEXT)).toEqual({ kind: 'rest' });
    expect(decideStep(ended, [{ ...sent(), state: 'Delivered' }], STEP_CONTEXT).kind).toBe('check');
  });

  test('a purchase that waits for its supplier for an hour is brought before an operator', () => {
    const queued: Attempt = { ...sent(), state: 'Queued' };
    const paused = { ...STEP_CONTEXT, isAcceptingOrders: () => false };
    expect(decideStep(ORDER, [queued], paused)).not.toHaveProperty('reviewReason');
    const step = decideStep(ORDER, [queued], { ...paused, now: after(TEST_START, HOUR_MS) });
    if (step.kind !== 'wait') throw new Error('it waits');
    expect(decideWait(ORDER, step, TEST_START).order.review?.reason).toContain('takes no orders');
  });

  test('an order that has ended is not asked about where asking could buy: what was never confirmed', () => {
    const buying = { ...STEP_CONTEXT, checkMayBuy: () => true };
    const refunded = { ...ORDER, state: 'Failed' as const };
    expect(decideStep(refunded, [{ ...sent(), state: 'Unknown' }], STEP_CONTEXT).kind).toBe('check');
    expect(decideStep(refunded, [{ ...sent(), state: 'Unknown' }], buying)).toEqual({ kind: 'rest' });
    expect(decideStep(refunded, [{ ...sent(), state: 'Pending' }], buying).kind).toBe('check');
    expect(decideStep({ ...ORDER, state: 'Success' }, [{ ...sent(), state: 'Delivered' }], buying).kind).toBe('check');
    expect(decideStep(ORDER, [{ ...sent(), state: 'Unknown' }], buying).kind).toBe('check');
  });

  test('where a supplier takes one purchase at a time for a player, the next waits; what it takes once a day goes elsewhere', () => {
    const stateOf = (first: TargetState, second: TargetState) => (route: Route) =>
      route.supplierCode === 'first' ? first : second;
    const step = (first: TargetState, second: TargetState) =>
      decideStep(ORDER, [], { ...STEP_CONTEXT, targetOf: stateOf(first, second) });
    expect(step('free', 'unlimited')).toMatchObject({ kind: 'send', attempt: { limitedTarget: 'ML85\n12345678\n2001' } });
    expect(step('busy', 'unlimited')).toMatchObject({ kind: 'wait', supplierCode: 'second' });
    expect(step('busy', 'used')).toEqual({ kind: 'wait', until: after(TEST_START, 5_000), supplierCode: 'first' });
    expect(step('used', 'used')).toEqual({ kind: 'give_up', code: 'limit_reached' });
  });

  test('nobody waits for ever behind a purchase for the same player whose end nobody tells', () => {
    const context = { ...STEP_CONTEXT, targetOf: () => 'busy' as const };
    const at = (minutes: number) => ({ ...context, now: after(ORDER.createdAt, minutes * 60_000) });
    expect(decideStep(ORDER, [], at(59)).kind).toBe('wait');
    expect(decideStep(ORDER, [], at(60))).toEqual({ kind: 'give_up', code: 'temporarily_unavailable' });
  });

  test('a template never expands what a player wrote', () => {
    const order = { ...ORDER, userId: '{zone}' };
    expect(sent(order).accountText).toBe('{zone}|2001');
  });
});

describe('an answer', () => {
  test('delivered: Success with its serial number, and nothing left to do', () => {
    const settlement = learn({ kind: 'delivered', serialNumber: 'SN-1' });
    expect(settlement).toMatchObject({
      order: { state: 'Success', serialNumber: 'SN-1', nextActionAt: null },
      attempt: { state: 'Delivered' },
      refund: null,
    });
  });

  test('rejected, worth another try: the next route, at once, no money moved', () => {
    const settlement = learn({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true });
    expect(settlement).toMatchObject({
      order: { state: 'Process', supplierCode: 'second', nextActionAt: CONTEXT.now },
      attempt: { state: 'Rejected' },
      refund: null,
    });
  });

  test('rejected by the last route: Failed, with the refund in the same breath', () => {
    const first: Attempt = { ...sent(), state: 'Rejected' };
    const second = sent({ ...ORDER, supplierCode: 'second' }, [first]);
    const settlement = decideOutcome(
      ORDER,
      [first, second],
      second,
      { kind: 'rejected', code: 'out_of_stock', retryElsewhere: true },
      CONTEXT,
    );
    expect(settlement).toMatchObject({
      order: { state: 'Failed', failure: { code: 'out_of_stock' }, nextActionAt: null },
      refund: 'refund',
    });
  });

  test('rejected for a fault of the order: Failed, and no other supplier is bothered', () => {
    const settlement = learn({ kind: 'rejected', code: 'player_rejected', retryElsewhere: false });
    expect(settlement).toMatchObject({
      order: { state: 'Failed', failure: { code: 'player_rejected', fixableByPlayer: true } },
      refund: 'refund',
    });
  });

  test.each<CheckOutcome>([{ kind: 'unknown', reason: 'timeout' }, { kind: 'pending' }, { kind: 'unclear', reason: 'partial' }])(
    '$kind: no refund and no other route, only another look',
    (outcome) => {
      const settlement = learn(outcome);
      expect(settlement).toMatchObject({ order: { state: 'Process', supplierCode: 'first' }, refund: null });
      expect(settlement?.order.nextActionAt?.getTime()).toBeGreaterThan(CONTEXT.now.getTime());
    },
  );

  test('unclear goes to an operator at once; unknown and pending when they last too long', () => {
    expect(learn({ kind: 'unclear', reason: 'a part was delivered' })?.order.review?.reason).toBe('a part was delivered');
    expect(learn({ kind: 'unknown', reason: 'timeout' })?.order.review).toBeNull();
    const late = { context: { now: after(TEST_START, HOUR_MS) } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, late)?.order.review).not.toBeNull();
    expect(learn({ kind: 'pending' }, late)?.order.review).not.toBeNull();
  });

  test('never heard of it: sent again only where the adapter vouches for that answer, and never after it had confirmed', () => {
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Unknown' } })?.attempt?.state).toBe('Queued');
    expect(
      learn({ kind: 'not_found' }, { attempt: { state: 'Unknown' }, context: { trustworthyNotFound: false } })?.attempt?.state,
    ).toBe('Unknown');
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Pending' } })?.attempt?.state).toBe('Pending');
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Unknown', supplierReference: 'T-1' } })?.attempt?.state).toBe(
      'Pending',
    );
  });

  test('what a supplier has confirmed stays confirmed, whatever it cannot answer later: it is never sent again', () => {
    let attempt: Attempt = { ...sent(), state: 'Pending' };
    for (const outcome of [{ kind: 'unknown', reason: 'timeout' }, { kind: 'not_found' }, { kind: 'not_found' }] as const) {
      attempt = learn(outcome, { attempt })?.attempt ?? attempt;
      expect(attempt.state).toBe('Pending');
    }
  });

  test("busy: the next route at once; with none left the same one again after the supplier's time, as a new purchase, five times", () => {
    const busy = { kind: 'rejected', code: 'temporarily_unavailable', retryElsewhere: true, retryAfterMs: 6_000 } as const;
    expect(learn(busy)?.order).toMatchObject({ supplierCode: 'second', nextActionAt: CONTEXT.now });

    const only = { ...CONTEXT, routes: ROUTES.slice(0, 1) };
    const stepContext = { ...STEP_CONTEXT, routes: only.routes };
    let attempts: Attempt[] = [];
    let order = ORDER;
    for (let round = 1; round <= 5; round += 1) {
      const step = decideStep(order, attempts, stepContext);
      if (step.kind !== 'send') throw new Error('it is sent again');
      expect(step.attempt).toMatchObject({ number: round, sends: 1 });
      const settlement = decideOutcome(order, [...attempts, step.attempt], step.attempt, busy, only);
      if (!settlement?.attempt) throw new Error('something is learnt');
      attempts = [...attempts, settlement.attempt];
      order = settlement.order;
      if (round < 5) expect(order).toMatchObject({ state: 'Process', nextActionAt: after(CONTEXT.now, 6_000) });
    }
    expect(order).toMatchObject({ state: 'Failed', failure: { code: 'temporarily_unavailable' } });
  });

  test('a no to a purchase that was sent before settles nothing while the first request may still arrive', () => {
    const rejected = { kind: 'rejected', code: 'player_rejected', retryElsewhere: false } as const;
    const again: Attempt = { ...sent(), sends: 2 };
    const early = learn(rejected, { attempt: again });
    expect(early).toMatchObject({ order: { state: 'Process' }, attempt: { state: 'Unknown' }, refund: null });
    expect(early?.order.nextActionAt).toEqual(after(TEST_START, 600_000));
    const late = learn(rejected, { attempt: again, context: { now: after(TEST_START, 600_000) } });
    expect(late).toMatchObject({ order: { state: 'Failed' }, refund: 'refund' });
    // What the supplier answers to a question is what it has written down, unless the question is the order.
    const asked: Partial<Attempt> = { state: 'Unknown', checks: 1 };
    expect(learn(rejected, { attempt: asked })?.order.state).toBe('Failed');
    expect(learn(rejected, { attempt: asked, context: { checkMayBuy: true } })?.order.state).toBe('Process');
    const recorded = { ...rejected, recorded: true } as const;
    expect(learn(recorded, { attempt: asked, context: { checkMayBuy: true } })?.order.state).toBe('Failed');
    const confirmed: Partial<Attempt> = { state: 'Pending', checks: 1 };
    expect(learn(rejected, { attempt: confirmed, context: { checkMayBuy: true } })?.order.state).toBe('Failed');
  });

  test('a purchase of which nothing left counts as not sent', () => {
    const back = learn({ kind: 'not_sent' })?.attempt;
    expect(back).toMatchObject({ state: 'Queued', sends: 0 });
    expect(decideStep(ORDER, [back ?? sent()], STEP_CONTEXT)).toMatchObject({ kind: 'send', attempt: { sends: 1 } });
  });

  test('misconfigured: the next route if there is one, else it waits for the operator, and nothing is refunded', () => {
    const refusal = { kind: 'misconfigured', detail: '45 IP tidak dikenali' } as const;
    expect(learn(refusal)).toMatchObject({ order: { state: 'Process', supplierCode: 'second' }, attempt: { state: 'Rejected' } });
    expect(learn(refusal, { context: { routes: ROUTES.slice(0, 1) } })).toMatchObject({
      order: { state: 'Process', supplierCode: 'first' },
      attempt: { state: 'Queued', message: '45 IP tidak dikenali' },
      refund: null,
    });
  });

  test('what the supplier tells of its reference and its price is kept, and kept when it tells nothing more', () => {
    const told = learn({ kind: 'pending', supplierReference: 'T-1', charged: 95n })?.attempt;
    expect(told).toMatchObject({ supplierReference: 'T-1', charged: 95n });
    expect(learn({ kind: 'pending' }, { attempt: told ?? {} })?.attempt).toMatchObject({
      supplierReference: 'T-1',
      charged: 95n,
    });
  });

  test('delivered at more than the reseller paid: Success, and an operator is told of the loss', () => {
    expect(learn({ kind: 'delivered', serialNumber: 'SN', charged: 100n })?.order.review).toBeNull();
    const settlement = learn({ kind: 'delivered', serialNumber: 'SN', charged: 101n });
    expect(settlement).toMatchObject({ order: { state: 'Success' }, refund: null });
    expect(settlement?.order.review?.reason).toContain('at a loss');
  });

  test('reversed after Success: Refunded, with the reversal in the same breath', () => {
    const settlement = learn(
      { kind: 'reversed' },
      { order: { state: 'Success', serialNumber: 'SN' }, attempt: { state: 'Delivered' } },
    );
    expect(settlement).toMatchObject({
      order: { state: 'Refunded', failure: { code: 'reversed' } },
      attempt: { state: 'Reversed' },
      refund: 'reversal',
    });
  });

  test('a supplier that denies what it had confirmed moves no money: an operator looks', () => {
    const settlement = learn(
      { kind: 'not_found' },
      { order: { state: 'Success', serialNumber: 'SN' }, attempt: { state: 'Delivered' } },
    );
    expect(settlement).toMatchObject({ order: { state: 'Success' }, refund: null });
    expect(settlement?.order.review).not.toBeNull();
  });

  test('a delivery that is confirmed once more takes no flag down', () => {
    const review = { since: TEST_START, reason: 'delivered at a loss' };
    const order = { state: 'Success' as const, serialNumber: 'SN', review };
    const confirmed = learn({ kind: 'delivered', serialNumber: 'SN' }, { order, attempt: { state: 'Delivered' } });
    expect(confirmed?.order.review).toEqual(review);
  });

  test('an order that an operator refunded is asked about further, for a bounded time', () => {
    const refunded = { order: { state: 'Failed' as const, nextActionAt: null }, attempt: { state: 'Unknown' as const } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, refunded)).toMatchObject({
      order: { state: 'Failed', nextActionAt: expect.any(Date) },
      refund: null,
    });
    const late = { ...refunded, context: { now: after(TEST_START, 4 * 24 * HOUR_MS) } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, late)).toMatchObject({ order: { nextActionAt: null }, refund: null });
    expect(learn({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true }, refunded)).toMatchObject({
      order: { state: 'Failed', nextActionAt: null },
      refund: null,
    });
  });

  test('delivered after an operator had refunded: written down and flagged, no money moved', () => {
    const settlement = learn(
      { kind: 'delivered', serialNumber: 'SN' },
      { order: { state: 'Failed' }, attempt: { state: 'Unknown' } },
    );
    expect(settlement).toMatchObject({ order: { state: 'Failed' }, attempt: { state: 'Delivered' }, refund: null });
    expect(settlement?.order.review).not.toBeNull();
  });

  test('about an attempt that has ended, nothing is learnt any more', () => {
    expect(learn({ kind: 'delivered', serialNumber: 'SN' }, { attempt: { state: 'Rejected' } })).toBeNull();
  });
});

const outcomes: fc.Arbitrary<CheckOutcome | NotSent> = fc.oneof(
  fc.constant({ kind: 'delivered' as const, serialNumber: 'SN' }),
  fc.constant({ kind: 'delivered' as const, serialNumber: 'SN', confirmInMs: 5_000 }),
  fc.constant({ kind: 'pending' as const }),
  fc.record({
    kind: fc.constant('rejected' as const),
    code: fc.constantFrom('out_of_stock' as const, 'player_rejected' as const),
    retryElsewhere: fc.boolean(),
  }),
  fc.constant({ kind: 'unknown' as const, reason: 'timeout' }),
  fc.constant({ kind: 'unclear' as const, reason: 'partial' }),
  fc.constant({ kind: 'not_found' as const }),
  fc.constant({ kind: 'not_sent' as const }),
  fc.constant({ kind: 'misconfigured' as const, detail: 'IP' }),
  fc.constant({ kind: 'rejected' as const, code: 'out_of_stock' as const, retryElsewhere: true, retryAfterMs: 6_000 }),
  fc.constant({ kind: 'reversed' as const }),
);

test('whatever suppliers answer, in whatever order: never two open attempts, never a refund on a guess, never money twice', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(outcomes, fc.boolean()), { maxLength: 30 }), (answers) => {
      let order = ORDER;
      let attempts: Attempt[] = [];
      let refunds = 0;
      for (const [index, [outcome, accepting]] of answers.entries()) {
        if (order.nextActionAt === null) break;
        const now = after(TEST_START, index * 60_000);
        const step = decideStep(order, attempts, { ...STEP_CONTEXT, now, isAcceptingOrders: () => accepting });
        const settlement = follow(step, outcome, now);
        if (settlement === null) continue;
        if (settlement.order.state !== order.state) expect(TRANSITIONS[order.state]).toContain(settlement.order.state);
        const { attempt } = settlement;
        if (attempt) attempts = [...attempts.filter(({ number }) => number !== attempt.number), attempt];
        order = settlement.order;
        if (settlement.refund !== null) {
          refunds += 1;
          expect(attempts.every(isClosed)).toBe(true);
        }
        expect(attempts.filter((one) => !isClosed(one)).length).toBeLessThanOrEqual(1);
        expect(refunds).toBe(order.state === 'Failed' || order.state === 'Refunded' ? 1 : 0);
        if (order.state === 'Process') expect(order.nextActionAt).not.toBeNull();
        if (order.state === 'Success') expect(attempts.filter(({ state }) => state === 'Delivered')).toHaveLength(1);
      }

      function follow(step: ReturnType<typeof decideStep>, outcome: CheckOutcome | NotSent, now: Date): Settlement | null {
        if (step.kind === 'wait') return decideWait(order, step, now);
        if (step.kind === 'rest') return decideRest(order);
        if (step.kind === 'give_up') return decideGiveUp(order, step.code, now);
        // What a check can answer and what a send can are not the same.
        const answer =
          step.kind === 'send' && (outcome.kind === 'not_found' || outcome.kind === 'reversed')
            ? { kind: 'unknown' as const, reason: '' }
            : outcome;
        if (step.kind === 'check' && (answer.kind === 'not_sent' || answer.kind === 'misconfigured')) return null;
        attempts = [...attempts.filter(({ number }) => number !== step.attempt.number), step.attempt];
        return decideOutcome(order, attempts, step.attempt, answer, { ...CONTEXT, now });
      }
    }),
    { numRuns: 500 },
  );
});
