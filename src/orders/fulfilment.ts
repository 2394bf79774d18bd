import type { SupplierAnswer } from '../connections/index.ts';
import { invariant, unreachable } from '../lib/assert.ts';
import { after, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import { FAILURES, type FailureCode, fillTemplate, type Told } from '../suppliers/index.ts';
import { type Attempt, type AttemptState, isClosed, isConfirmed, limitedTargetOf, type Order, toOrderId } from './order.ts';

/** What a worker does next with an order it holds. */
export type Step =
  /** Send the purchase; the attempt is written (again) before the first byte leaves. */
  | { kind: 'send'; attempt: Attempt }
  /** Ask what became of it. */
  | { kind: 'check'; attempt: Attempt }
  /** Nothing is under way, and this supplier cannot take it now: another one can, at once, or none can for a while. */
  | { kind: 'wait'; until: Date; supplierCode: string; reviewReason?: string }
  /** The order has ended and there is nothing to ask about. */
  | { kind: 'rest' }
  /** No route is left and nothing was delivered: certain, so the money goes back. */
  | { kind: 'give_up'; code: FailureCode };

export interface StepContext {
  routes: Route[];
  isAcceptingOrders: (supplierCode: string) => boolean;
  /** Asking this supplier about a purchase buys it if the supplier does not know it. */
  checkMayBuy: (supplierCode: string) => boolean;
  /** What other purchases of the same item for the same player leave possible. */
  targetOf: (route: Route) => TargetState;
  now: Date;
}

/** `unlimited`: the supplier does not care. `busy`: another one is under way. `used`: it takes no more today. */
export type TargetState = 'unlimited' | 'free' | 'busy' | 'used';

/** How long an order waits for a supplier that is paused or resting before it fails; nothing has been sent then. */
const WAIT_FOR_SUPPLIER_MS = HOUR_MS;
const WAIT_STEP_MS = 15 * SECOND_MS;
const WAIT_FOR_TARGET_MS = 5 * SECOND_MS;
/** How long a supplier is still asked about an order that an operator has refunded meanwhile. */
const LATE_NEWS_MS = 3 * DAY_MS;
export const MAX_ATTEMPTS = 100;
/** How long a request may be under way after nobody waits for its answer any more. */
const IN_TRANSIT_MS = 10 * MINUTE_MS;
/** The code of an attempt that the supplier turned away only because we came too fast. */
const BUSY = 'busy';
const MAX_BUSY = 5;

/** Decides the next step from what is stored alone, so any worker can take over at any time. */
export function decideStep(order: Order, attempts: Attempt[], context: StepContext): Step {
  const { now } = context;
  const open = attempts.find((attempt) => !isClosed(attempt));
  const waitedMs = now.getTime() - order.createdAt.getTime();
  // An order that has ended is asked about, never sent: whatever ended it, sending could deliver it twice.
  if (order.state !== 'Process' && (!open || !canBeAskedAfterEnd(open, context))) return { kind: 'rest' };
  if (open?.state === 'Queued') {
    if (!context.isAcceptingOrders(open.supplierCode)) return waitForSupplier(open.supplierCode, waitedMs, now);
    return { kind: 'send', attempt: { ...open, state: 'Sending', sends: open.sends + 1, updatedAt: now } };
  }
  // Also an attempt still marked as being sent: its sender died, and only the supplier knows how far it came.
  if (open) return { kind: 'check', attempt: { ...open, checks: open.checks + 1, updatedAt: now } };

  const left = routesLeft(context.routes, attempts);
  if (left.length === 0 || attempts.length >= MAX_ATTEMPTS) return { kind: 'give_up', code: lastFailureCode(attempts) };
  const accepting = left.filter(({ supplierCode }) => context.isAcceptingOrders(supplierCode));
  const possible = accepting.filter((candidate) => context.targetOf(candidate) !== 'used');
  if (accepting.length > 0 && possible.length === 0) return { kind: 'give_up', code: 'limit_reached' };
  const route = possible.find((candidate) => context.targetOf(candidate) !== 'busy') ?? possible[0];
  // Each supplier's worker sends only to its own supplier, within its own limits.
  if (route && route.supplierCode !== order.supplierCode) return { kind: 'wait', until: now, supplierCode: route.supplierCode };
  if (route && context.targetOf(route) === 'busy')
    // The other purchase may never be known to have ended, and nothing was sent for this one.
    return waitedMs >= WAIT_FOR_SUPPLIER_MS
      ? { kind: 'give_up', code: 'temporarily_unavailable' }
      : { kind: 'wait', until: after(now, WAIT_FOR_TARGET_MS), supplierCode: route.supplierCode };
  if (route) return { kind: 'send', attempt: newAttempt(order, attempts.length + 1, route, context) };
  if (waitedMs >= WAIT_FOR_SUPPLIER_MS) return { kind: 'give_up', code: 'temporarily_unavailable' };
  return waitForSupplier(order.supplierCode, waitedMs, now);
}

function canBeAskedAfterEnd(open: Attempt, { checkMayBuy }: StepContext): boolean {
  // What the supplier has confirmed is there, so the question cannot buy it.
  return open.state !== 'Queued' && (isConfirmed(open) || !checkMayBuy(open.supplierCode));
}

/** A purchase that was sent before is not given up by the program: after the same hour an operator is told that it waits. */
function waitForSupplier(supplierCode: string, waitedMs: number, now: Date): Step {
  const wait: Step = { kind: 'wait', until: after(now, WAIT_STEP_MS), supplierCode };
  return waitedMs < WAIT_FOR_SUPPLIER_MS
    ? wait
    : { ...wait, reviewReason: 'the supplier takes no orders; the purchase is known not to be there' };
}

/** What an answer changes. Null where nothing was learnt that is not known already. */
export interface Settlement {
  order: Order;
  attempt: Attempt | null;
  /** The money to give back, in the same transaction. */
  refund: 'refund' | 'reversal' | null;
}

export interface OutcomeContext {
  routes: Route[];
  now: Date;
  lookAgainAfterMs: readonly number[];
  reviewAfterMs: number;
  trustworthyNotFound: boolean;
  /** Asking this supplier is sending the purchase again. */
  checkMayBuy: boolean;
}

/**
 * Decides what a supplier's answer about an attempt means for the order and its money. The rules, in short: only `delivered`
 * delivers, only `rejected` refunds or goes to the next supplier, and everything else is asked about again until it is one of
 * the two or an operator decides.
 */
export function decideOutcome(
  order: Order,
  attempts: Attempt[],
  before: Attempt,
  outcome: SupplierAnswer,
  context: OutcomeContext,
): Settlement | null {
  if (isClosed(before)) return null;
  const attempt = withWhatWasTold(before, outcome);
  if (order.state === 'Failed' && attempt.state !== 'Delivered') return lateNews(order, attempt, outcome, context);
  if (order.state === 'Failed' || order.state === 'Refunded') return decideRest(order);
  if (attempt.state === 'Delivered') return decideConfirmation(order, attempt, outcome, context);
  invariant(order.state === 'Process', 'an undelivered attempt belongs to an order in process');
  const { now } = context;

  switch (outcome.kind) {
    case 'delivered':
      return deliver(order, attempt, outcome.serialNumber, outcome.confirmInMs ?? null, now);
    case 'rejected':
      return !outcome.recorded && mayStillArrive(attempt, context)
        ? awaitEarlierRequest(order, attempt, outcome.detail ?? outcome.code, context)
        : reject(order, attempts, attempt, outcome, context);
    case 'reversed':
      // Delivered and taken back before we had heard of either: for this order it is a plain no.
      return reject(
        order,
        attempts,
        attempt,
        { code: 'not_deliverable', retryElsewhere: false, ...(outcome.detail && { detail: outcome.detail }) },
        context,
      );
    case 'pending':
      return lookAgain(order, { ...attempt, state: 'Pending', message: null }, outcome.lookAgainInMs ?? null, context);
    case 'misconfigured':
      return misconfigured(order, attempts, attempt, outcome.detail, context);
    case 'not_sent':
      return lookAgain(order, notSent(attempt), WAIT_STEP_MS, context);
    case 'not_found':
      return notFound(order, attempt, context);
    case 'unknown':
      return lookAgain(order, { ...attempt, state: unknownAfter(attempt), message: outcome.reason }, null, context);
    case 'unclear':
      return flag(
        lookAgain(order, { ...attempt, state: unknownAfter(attempt), message: outcome.reason }, null, context),
        outcome.reason,
        now,
      );
    default:
      return unreachable(outcome);
  }
}

/** Nothing more can be tried and nothing was delivered. */
export function decideGiveUp(order: Order, code: FailureCode, now: Date): Settlement {
  return { order: fail(order, code, now), attempt: null, refund: 'refund' };
}

export function decideWait(order: Order, wait: Extract<Step, { kind: 'wait' }>, now: Date): Settlement {
  const waiting: Order = { ...order, supplierCode: wait.supplierCode, nextActionAt: wait.until, lease: null };
  const settlement: Settlement = { order: waiting, attempt: null, refund: null };
  return wait.reviewReason === undefined ? settlement : flag(settlement, wait.reviewReason, now);
}

export function decideRest(order: Order): Settlement {
  return { order: { ...order, nextActionAt: null, lease: null }, attempt: null, refund: null };
}

/** The routes that have not said no to this order, in order of preference; last those that were only too busy. */
function routesLeft(routes: Route[], attempts: Attempt[]): Route[] {
  const tried = (route: Route) =>
    attempts.filter(({ supplierCode, sku }) => supplierCode === route.supplierCode && sku === route.sku);
  const untried = routes.filter((route) => tried(route).length === 0);
  const busy = routes.filter((route) => {
    const earlier = tried(route);
    return earlier.length > 0 && earlier.length < MAX_BUSY && earlier.every(({ code }) => code === BUSY);
  });
  return [...untried, ...busy];
}

/** What the supplier has confirmed stays confirmed: neither an answer that nobody understands nor a denial takes it back. */
function unknownAfter(attempt: Attempt): AttemptState {
  return isConfirmed(attempt) ? 'Pending' : 'Unknown';
}

function withWhatWasTold(attempt: Attempt, outcome: SupplierAnswer): Attempt {
  const { supplierReference, charged }: Told = 'supplierReference' in outcome || 'charged' in outcome ? outcome : {};
  // What was taken for a purchase that came to nothing went back, unless the supplier says that it kept some of it.
  const earlier = outcome.kind === 'rejected' || outcome.kind === 'reversed' ? null : attempt.charged;
  return {
    ...attempt,
    supplierReference: supplierReference ?? attempt.supplierReference,
    charged: charged ?? earlier,
  };
}

function deliver(order: Order, attempt: Attempt, serialNumber: string | null, confirmInMs: number | null, now: Date): Settlement {
  const nextActionAt = confirmInMs === null ? null : after(now, confirmInMs);
  const settlement: Settlement = {
    order: { ...order, state: 'Success', serialNumber, nextActionAt, lease: null, review: null, updatedAt: now },
    attempt: { ...attempt, state: 'Delivered', serialNumber, code: null, message: null, updatedAt: now },
    refund: null,
  };
  const { charged } = attempt;
  return charged !== null && charged > order.price
    ? flag(settlement, `delivered at a loss: the supplier charged ${charged}, the reseller paid ${order.price}`, now)
    : settlement;
}

function reject(
  order: Order,
  attempts: Attempt[],
  attempt: Attempt,
  rejection: { code: FailureCode; retryElsewhere: boolean; retryAfterMs?: number; detail?: string },
  context: OutcomeContext,
): Settlement {
  const { now } = context;
  const closed: Attempt = {
    ...attempt,
    state: 'Rejected',
    code: rejection.retryAfterMs === undefined ? rejection.code : BUSY,
    message: rejection.detail ?? null,
    updatedAt: now,
  };
  const tried = attempts.map((other) => (other.number === closed.number ? closed : other));
  const [next] = rejection.retryElsewhere && tried.length < MAX_ATTEMPTS ? routesLeft(context.routes, tried) : [];
  if (!next) return { order: fail(order, rejection.code, now), attempt: closed, refund: 'refund' };
  const isSameAgain = next.supplierCode === closed.supplierCode && next.sku === closed.sku;
  const nextActionAt = isSameAgain ? after(now, rejection.retryAfterMs ?? WAIT_STEP_MS) : now;
  return { order: { ...order, supplierCode: next.supplierCode, nextActionAt, lease: null }, attempt: closed, refund: null };
}

/** Nothing was bought, and nothing is wrong with the order: it goes elsewhere, or waits until the supplier is set right. */
function misconfigured(order: Order, attempts: Attempt[], attempt: Attempt, detail: string, context: OutcomeContext): Settlement {
  if (routesLeft(context.routes, attempts).length > 0)
    return reject(order, attempts, attempt, { code: 'temporarily_unavailable', retryElsewhere: true, detail }, context);
  return lookAgain(order, { ...notSent(attempt), message: detail }, WAIT_STEP_MS, context);
}

/** Nothing of this sending is under way any more, so it counts for none. */
function notSent(attempt: Attempt): Attempt {
  return { ...attempt, state: 'Queued', sends: attempt.sends - 1 };
}

/**
 * The purchase was sent before, or asked about by sending it, and that request was never answered: it may still be on its way,
 * through a proxy for instance, and buy after this no. Only a no that comes long after it is final, or one to a purchase that the
 * supplier has written down.
 */
function mayStillArrive(attempt: Attempt, { now, checkMayBuy }: OutcomeContext): boolean {
  const isRepeated = (attempt.state === 'Sending' && attempt.sends > 1) || (checkMayBuy && attempt.checks > 0);
  return isRepeated && !isConfirmed(attempt) && now < after(attempt.createdAt, IN_TRANSIT_MS);
}

function awaitEarlierRequest(order: Order, attempt: Attempt, detail: string, context: OutcomeContext): Settlement {
  const message = `rejected, but an earlier request may still arrive: ${detail}`;
  const leftMs = attempt.createdAt.getTime() + IN_TRANSIT_MS - context.now.getTime();
  return lookAgain(order, { ...attempt, state: 'Unknown', message }, leftMs, context);
}

function notFound(order: Order, attempt: Attempt, context: OutcomeContext): Settlement {
  // A supplier that has confirmed the purchase before contradicts itself; that is no ground for sending again.
  const maySendAgain = context.trustworthyNotFound && !isConfirmed(attempt);
  if (!maySendAgain)
    return lookAgain(
      order,
      { ...attempt, state: unknownAfter(attempt), message: 'the supplier does not know the purchase' },
      null,
      context,
    );
  const delayMs = attempt.sends === 1 ? 0 : waitFor(context, attempt.sends);
  return lookAgain(order, { ...attempt, state: 'Queued', message: null }, delayMs, context);
}

/** Puts the order down until the next look, and before an operator's eyes when that has gone on for too long. */
function lookAgain(order: Order, attempt: Attempt, delayMs: number | null, context: OutcomeContext): Settlement {
  const { now } = context;
  const settlement: Settlement = {
    order: {
      ...order,
      supplierCode: attempt.supplierCode,
      nextActionAt: after(now, delayMs ?? waitFor(context, attempt.checks)),
      lease: null,
    },
    attempt: { ...attempt, updatedAt: now },
    refund: null,
  };
  const waitedMs = now.getTime() - attempt.createdAt.getTime();
  return waitedMs < context.reviewAfterMs
    ? settlement
    : flag(settlement, `no final answer from the supplier for ${Math.round(waitedMs / SECOND_MS)} s`, now);
}

/** A delivered order that is asked about once more, because its supplier may take deliveries back. */
function decideConfirmation(order: Order, attempt: Attempt, outcome: SupplierAnswer, context: OutcomeContext): Settlement | null {
  const { now } = context;
  if (outcome.kind === 'reversed') {
    return {
      order: { ...order, state: 'Refunded', failure: describe('reversed'), nextActionAt: null, lease: null, updatedAt: now },
      attempt: { ...attempt, state: 'Reversed', message: outcome.detail ?? null, updatedAt: now },
      refund: 'reversal',
    };
  }
  if (outcome.kind === 'delivered') {
    const nextActionAt = outcome.confirmInMs === undefined ? null : after(now, outcome.confirmInMs);
    // What was flagged before, a loss for instance, is an operator's to take down.
    return { order: { ...order, nextActionAt, lease: null }, attempt: null, refund: null };
  }
  if (outcome.kind === 'rejected' || outcome.kind === 'unclear' || outcome.kind === 'not_found') {
    const settlement: Settlement = { order: { ...order, nextActionAt: null, lease: null }, attempt: null, refund: null };
    return flag(settlement, `the supplier reported the delivery and now answers "${outcome.kind}"`, now);
  }
  return {
    order: { ...order, nextActionAt: after(now, waitFor(context, attempt.checks)), lease: null },
    attempt: null,
    refund: null,
  };
}

/** An operator refunded the order before the supplier had said what became of it. Its answer is still wanted, and moves no money. */
function lateNews(order: Order, attempt: Attempt, outcome: SupplierAnswer, context: OutcomeContext): Settlement {
  const { now } = context;
  const ended: Order = { ...order, nextActionAt: null, lease: null };
  if (outcome.kind === 'rejected' || outcome.kind === 'reversed') {
    return { order: ended, attempt: { ...attempt, state: 'Rejected', code: outcome.kind, updatedAt: now }, refund: null };
  }
  if (outcome.kind === 'delivered') {
    const delivered: Attempt = { ...attempt, state: 'Delivered', serialNumber: outcome.serialNumber, updatedAt: now };
    return flag(
      { order: ended, attempt: delivered, refund: null },
      'the supplier delivered although the order had been refunded',
      now,
    );
  }
  const askedForMs = now.getTime() - attempt.createdAt.getTime();
  const nextActionAt = askedForMs < LATE_NEWS_MS ? after(now, waitFor(context, attempt.checks)) : null;
  return { order: { ...ended, nextActionAt }, attempt, refund: null };
}

function fail(order: Order, code: FailureCode, now: Date): Order {
  return { ...order, state: 'Failed', failure: describe(code), nextActionAt: null, lease: null, review: null, updatedAt: now };
}

function flag(settlement: Settlement, reason: string, now: Date): Settlement {
  return { ...settlement, order: { ...settlement.order, review: settlement.order.review ?? { since: now, reason } } };
}

function describe(code: FailureCode) {
  const { message, fixableByPlayer } = FAILURES[code];
  return { code, message, fixableByPlayer };
}

function waitFor({ lookAgainAfterMs }: OutcomeContext, timesAsked: number): number {
  return lookAgainAfterMs[Math.min(timesAsked, lookAgainAfterMs.length - 1)] ?? WAIT_STEP_MS;
}

function lastFailureCode(attempts: Attempt[]): FailureCode {
  const code = attempts.at(-1)?.code ?? 'not_deliverable';
  if (code === BUSY) return 'temporarily_unavailable';
  return code in FAILURES ? (code as FailureCode) : 'not_deliverable';
}

export function newAttempt(order: Order, number: number, route: Route, { now, targetOf }: StepContext): Attempt {
  return {
    accountId: order.accountId,
    orderId: order.id,
    number,
    supplierCode: route.supplierCode,
    sku: route.sku,
    cost: route.cost,
    accountText: route.accountTemplate === null ? null : fillTemplate(route.accountTemplate, order),
    reference: `${toOrderId(order.id)}-${number}`,
    supplierReference: null,
    charged: null,
    limitedTarget: targetOf(route) === 'unlimited' ? null : limitedTargetOf(order, route),
    state: 'Sending',
    sends: 1,
    checks: 0,
    code: null,
    message: null,
    serialNumber: null,
    createdAt: now,
    updatedAt: now,
  };
}
