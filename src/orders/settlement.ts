import type { SupplierAnswer } from '../connections/index.ts';
import { invariant, unreachable } from '../lib/assert.ts';
import { after, DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import { FAILURES, type FailureCode, type Told } from '../suppliers/index.ts';
import { inTransitUntil, mayStillArrive } from './in-transit.ts';
import type { Step } from './next-step.ts';
import { type Attempt, type AttemptState, isClosed, isConfirmed, type Order, withReview } from './order.ts';
import { BUSY, MAX_ATTEMPTS, routesLeft } from './routes-left.ts';

/** How long an order waits where the supplier says nothing of it. */
const WAIT_STEP_MS = 15 * SECOND_MS;
const MAX_BUSY_WAIT_MS = MINUTE_MS;
/** How long a supplier is still asked about a purchase of an order that has ended. */
const LATE_NEWS_MS = 3 * DAY_MS;

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
  /** What was asked: to buy, or what became of it. */
  request: 'place' | 'check';
  /** When, at the earliest, that request left: its answer may be as old, however late it is heard. */
  requestedAt: Date;
  /** The supplier had confirmed the purchase when that request left. */
  wasConfirmed: boolean;
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
  if (isClosed(before)) return decideOfClosed(order, before, outcome, context);
  const attempt = withWhatWasTold(before, outcome);
  if (order.state !== 'Process' && attempt.state !== 'Delivered') return lateNews(order, attempt, outcome, context);
  if (order.state === 'Failed' || order.state === 'Refunded') return decideRest(order);
  if (attempt.state === 'Delivered') return decideConfirmation(order, attempt, outcome, context);
  invariant(order.state === 'Process', 'an undelivered attempt belongs to an order in process');
  const { now } = context;
  if (attempt.isPartial && (outcome.kind === 'rejected' || outcome.kind === 'reversed'))
    return unclear(order, attempt, `the supplier told of a part delivered, and now answers "${outcome.kind}"`, context);

  // A late answer to an earlier request has confirmed it meanwhile. Which of the two holds, only another question tells.
  if (!context.wasConfirmed && isConfirmed(before) && saysItIsNotThere(outcome))
    return lookAgain(order, { ...attempt, state: 'Pending' }, null, context);

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
      return mayStillArrive(attempt, context)
        ? awaitEarlierRequest(order, attempt, outcome.detail, context)
        : misconfigured(order, attempts, attempt, outcome.detail, context);
    case 'not_sent':
      return lookAgain(order, { ...notSent(attempt), message: outcome.reason ?? null }, WAIT_STEP_MS, context);
    case 'not_found':
      return notFound(order, attempt, context);
    case 'unknown':
      return lookAgain(order, { ...attempt, state: unknownAfter(attempt), message: outcome.reason }, null, context);
    case 'unclear':
      return unclear(order, attempt, outcome.reason, context);
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

function saysItIsNotThere({ kind }: SupplierAnswer): boolean {
  return kind === 'rejected' || kind === 'misconfigured' || kind === 'not_sent';
}

/** What has ended changes no more. But a delivery that we took for refused has been paid for, and somebody has to know. */
function decideOfClosed(order: Order, closed: Attempt, outcome: SupplierAnswer, { now }: OutcomeContext): Settlement | null {
  if (outcome.kind !== 'delivered' || closed.state !== 'Rejected') return null;
  const reason = `${closed.supplierCode} delivered a purchase that counted as rejected`;
  return flag({ order, attempt: null, refund: null }, reason, now);
}

/**
 * What an answer that comes late, to a worker that no longer holds the order, tells for certain: that the purchase is there. When
 * the order is looked at next stays as it is, unless nobody was going to look.
 */
export function decideLateConfirmation(
  order: Order,
  before: Attempt,
  outcome: SupplierAnswer,
  context: OutcomeContext,
): Settlement | null {
  if (outcome.kind !== 'pending' || isClosed(before) || before.state === 'Delivered') return null;
  const { underWayAt, unansweredAt } = before;
  const attempt: Attempt = {
    ...withWhatWasTold(before, outcome),
    underWayAt,
    unansweredAt,
    state: 'Pending',
    updatedAt: context.now,
  };
  const nextActionAt = order.nextActionAt ?? after(context.now, waitFor(context, attempt.checks));
  return { order: { ...order, nextActionAt }, attempt, refund: null };
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
    isPartial: attempt.isPartial || (outcome.kind === 'unclear' && outcome.partial === true),
    underWayAt: null,
    unansweredAt: outcome.kind === 'unknown' ? (attempt.underWayAt ?? attempt.unansweredAt) : attempt.unansweredAt,
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
  const [next] = rejection.retryElsewhere && tried.length < MAX_ATTEMPTS ? routesLeft(context.routes, tried, now) : [];
  if (!next) return { order: fail(order, rejection.code, now), attempt: closed, refund: 'refund' };
  const isSameAgain = next.supplierCode === closed.supplierCode && next.sku === closed.sku;
  const nextActionAt = isSameAgain ? after(now, busyWaitMs(rejection.retryAfterMs, tried)) : now;
  return { order: { ...order, supplierCode: next.supplierCode, nextActionAt, lease: null }, attempt: closed, refund: null };
}

/** Longer each time, so that many orders which wait for one busy supplier do not keep it busy. */
function busyWaitMs(retryAfterMs: number | undefined, tried: Attempt[]): number {
  const times = tried.filter(({ code }) => code === BUSY).length;
  return Math.min(MAX_BUSY_WAIT_MS, (retryAfterMs ?? WAIT_STEP_MS) * Math.max(1, times));
}

/** Nothing was bought, and nothing is wrong with the order: it goes elsewhere, or waits until the supplier is set right. */
function misconfigured(order: Order, attempts: Attempt[], attempt: Attempt, detail: string, context: OutcomeContext): Settlement {
  if (routesLeft(context.routes, attempts, context.now).length > 0)
    return reject(order, attempts, attempt, { code: 'temporarily_unavailable', retryElsewhere: true, detail }, context);
  return lookAgain(order, { ...notSent(attempt), message: detail }, WAIT_STEP_MS, context);
}

/** Nothing of this sending is under way any more, so it counts for none. */
function notSent(attempt: Attempt): Attempt {
  return { ...attempt, state: 'Queued', sends: attempt.sends - 1 };
}

function awaitEarlierRequest(order: Order, attempt: Attempt, detail: string, context: OutcomeContext): Settlement {
  const message = `rejected, but an earlier request may still arrive: ${detail}`;
  const until = inTransitUntil(attempt, context.now) ?? context.now;
  return lookAgain(
    order,
    { ...attempt, state: unknownAfter(attempt), message },
    until.getTime() - context.now.getTime(),
    context,
  );
}

function notFound(order: Order, attempt: Attempt, context: OutcomeContext): Settlement {
  // A supplier that has confirmed the purchase before contradicts itself; that is no ground for sending again.
  const maySendAgain = context.trustworthyNotFound && !isConfirmed(attempt) && !attempt.isPartial;
  if (!maySendAgain)
    return lookAgain(
      order,
      { ...attempt, state: unknownAfter(attempt), message: 'the supplier does not know the purchase' },
      null,
      context,
    );
  const isStale = inTransitUntil(attempt, context.requestedAt) !== null && inTransitUntil(attempt, context.now) === null;
  if (isStale)
    return lookAgain(
      order,
      { ...attempt, state: 'Unknown', message: 'it was not there while a request was on its way' },
      0,
      context,
    );
  const delayMs = attempt.sends === 1 ? 0 : waitFor(context, attempt.sends);
  return lookAgain(order, { ...attempt, state: 'Queued', message: null }, delayMs, context);
}

/** Neither yes nor no: the supplier is asked further, and an operator is told at once. */
function unclear(order: Order, attempt: Attempt, reason: string, context: OutcomeContext): Settlement {
  const asked = lookAgain(order, { ...attempt, state: unknownAfter(attempt), message: reason }, null, context);
  return flag(asked, reason, context.now);
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
  return { order: { ...order, nextActionAt: nextLookAfterEnd(attempt, context), lease: null }, attempt: null, refund: null };
}

/** Whoever asked about an order that has ended wants to know, but not for ever. */
function nextLookAfterEnd(attempt: Attempt, context: OutcomeContext): Date | null {
  const isAskedStill = context.now < after(attempt.createdAt, LATE_NEWS_MS);
  return isAskedStill ? after(context.now, waitFor(context, attempt.checks)) : null;
}

/** An operator ended the order before the supplier had said what became of it. Its answer is still wanted, and moves no money. */
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
      `the supplier delivered although ${order.state === 'Success' ? 'an operator had delivered the order by other means' : 'the order had been refunded'}`,
      now,
    );
  }
  return { order: { ...ended, nextActionAt: nextLookAfterEnd(attempt, context) }, attempt, refund: null };
}

function fail(order: Order, code: FailureCode, now: Date): Order {
  return { ...order, state: 'Failed', failure: describe(code), nextActionAt: null, lease: null, review: null, updatedAt: now };
}

function flag(settlement: Settlement, reason: string, now: Date): Settlement {
  return { ...settlement, order: withReview(settlement.order, reason, now) };
}

function describe(code: FailureCode) {
  const { message, fixableByPlayer } = FAILURES[code];
  return { code, message, fixableByPlayer };
}

function waitFor({ lookAgainAfterMs }: OutcomeContext, timesAsked: number): number {
  return lookAgainAfterMs[Math.min(timesAsked, lookAgainAfterMs.length - 1)] ?? WAIT_STEP_MS;
}
