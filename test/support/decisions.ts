import { after, HOUR_MS } from '../../src/lib/clock.ts';
import { decideStep, type StepContext } from '../../src/orders/next-step.ts';
import { type Attempt, isConfirmed, type Order } from '../../src/orders/order.ts';
import { decideOutcome, type OutcomeContext } from '../../src/orders/settlement.ts';
import type { CheckOutcome, NotSent } from '../../src/suppliers/index.ts';
import { TEST_START } from './fake-clock.ts';
import { orderWith, STEP_CONTEXT as PLAIN_CONTEXT, ROUTES as THREE_ROUTES } from './order-fixture.ts';

/** An order that a worker holds, with two routes, and what is decided about it. */
export const ROUTES = THREE_ROUTES.slice(0, 2).map((route) => ({ ...route, accountTemplate: '{user_id}|{zone}' }));
export const ORDER = orderWith({ nextActionAt: TEST_START, lease: 'lease' });

export const CONTEXT: OutcomeContext = {
  routes: ROUTES,
  now: after(TEST_START, 1_000),
  lookAgainAfterMs: [1_000, 2_000, 5_000],
  reviewAfterMs: HOUR_MS,
  trustworthyNotFound: true,
  checkMayBuy: false,
  request: 'check',
  wasConfirmed: false,
  requestedAt: after(TEST_START, 1_000),
};

export const STEP_CONTEXT: StepContext = { ...PLAIN_CONTEXT, routes: ROUTES };

/** The attempt as it is written when the order is sent. */
export function sent(order: Order = ORDER, attempts: Attempt[] = []): Attempt {
  const step = decideStep(order, attempts, STEP_CONTEXT);
  if (step.kind !== 'send') throw new Error(`expected a send, got ${step.kind}`);
  return step.attempt;
}

/** What an answer about the order's only attempt changes. */
export function learn(
  outcome: CheckOutcome | NotSent,
  fields: { order?: Partial<Order>; attempt?: Partial<Attempt>; context?: Partial<OutcomeContext> } = {},
) {
  const attempt = { ...sent(), ...fields.attempt };
  // As it was when the request left, unless the test says otherwise.
  const requestedAt = fields.context?.now ?? CONTEXT.now;
  const context = { ...CONTEXT, wasConfirmed: isConfirmed(attempt), requestedAt, ...fields.context };
  return decideOutcome({ ...ORDER, ...fields.order }, [attempt], attempt, outcome, context);
}
