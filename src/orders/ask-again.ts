import { after, DAY_MS, SECOND_MS } from '../lib/clock.ts';
import type { StepContext } from './next-step.ts';
import { type Attempt, BY_OPERATOR, isClosed, isConfirmed, isHeld, type Order, withReview } from './order.ts';

/** What an operator asked for cannot be done now; `why` is a sentence that says what to do instead. */
export interface NotPossible {
  kind: 'not_possible';
  why: string;
}

/** A message of a supplier about one of our purchases. It is believed only as far as that something has happened. */
export interface Hint {
  /** The supplier's word for the state. */
  status: string;
  /** That word is the supplier's for "delivered". */
  saysDelivered: boolean;
}

export type HintDecision =
  /** The supplier is asked at once; the attempt is given where it changes. */
  | { kind: 'ask'; order: Order; attempt: Attempt | null }
  /** A worker is asking, or sending, or did so just now, or another supplier is to deliver: what comes of that comes first. */
  | { kind: 'held' }
  /** The supplier had rejected the purchase. It is asked whether that still holds, and its answer changes nothing but what we know. */
  | { kind: 'verify' }
  /** The purchase has ended and so has the order: nothing is left to ask. */
  | { kind: 'settled' }
  /** The message contradicts what was settled, and the supplier may not be asked: an operator has to look. */
  | { kind: 'late'; order: Order };

/**
 * Suppliers forget purchases after some months, and one that buys what it does not know would then deliver a second time. So such
 * a supplier is not asked about a purchase older than this.
 */
const MAX_AGE_TO_ASK_MS = 30 * DAY_MS;

/** Whoever repeats a message has the supplier asked no faster than this. The first question comes at once. */
const ASK_AGAIN_AFTER_MS = 2 * SECOND_MS;

type AskContext = Pick<StepContext, 'checkMayBuy' | 'now'>;

/** Decides what a supplier's message means. It never settles anything: at most the supplier is asked at once. */
export function decideHint(order: Order, attempt: Attempt, hint: Hint, context: AskContext): HintDecision {
  const { now } = context;
  const says = `the supplier's callback says "${hint.status}"`;
  if (isClosed(attempt)) return decideOfClosed(order, attempt, { says, ...hint }, context);
  const wasJustAsked = attempt.checks > 0 && now < after(attempt.updatedAt, ASK_AGAIN_AFTER_MS);
  if (isHeld(order, now) || wasJustAsked) return { kind: 'held' };
  if (order.state !== 'Process' && attempt.state !== 'Delivered') {
    if (attempt.state === 'Queued' || !mayAsk(attempt, order, context))
      return { kind: 'late', order: withReview(order, `${says} although an operator had ended the order`, now) };
  } else if (order.state === 'Failed' || order.state === 'Refunded') {
    return { kind: 'settled' };
  } else if (!mayAsk(attempt, order, context)) {
    return { kind: 'late', order: withReview(order, `${says} of a purchase too old to be asked about`, now) };
  }
  const due: Order = { ...order, supplierCode: attempt.supplierCode, nextActionAt: now, lease: null };
  // We took it for not being there and would send it. Whoever reports about it may know better: ask before anything is sent.
  if (isTakenForAbsent(attempt))
    return { kind: 'ask', order: due, attempt: { ...attempt, state: 'Unknown', message: says, updatedAt: now } };
  return { kind: 'ask', order: due, attempt: null };
}

/** A purchase that was closed never opens again. But if it was delivered after all, somebody has paid for it and has to know. */
function decideOfClosed(
  order: Order,
  attempt: Attempt,
  { says, saysDelivered }: Hint & { says: string },
  { checkMayBuy, now }: AskContext,
): HintDecision {
  const isByHand = attempt.code === BY_OPERATOR;
  // Where asking may buy, a rejected purchase is never asked about.
  const cannotBeAsked = !isByHand && checkMayBuy(attempt.supplierCode);
  // What was taken back is no news.
  if (attempt.state === 'Reversed' || (cannotBeAsked && !saysDelivered)) return { kind: 'settled' };
  // The end of an order takes a flag down, so it is only put up after that.
  if (order.state === 'Process') return { kind: 'held' };
  if (cannotBeAsked) return { kind: 'late', order: withReview(order, `${says} of a purchase that it had rejected`, now) };
  if (!isByHand) return { kind: 'verify' };
  return { kind: 'late', order: withReview(order, `${says} of a purchase that an operator had closed as not delivered`, now) };
}

/** What an order that has ended becomes when a supplier takes back that it had rejected a purchase of it: the same, in review. */
export function decideContradiction(order: Order, finding: { kind: string }, now: Date): Order {
  return withReview(order, `the supplier now answers "${finding.kind}" about a purchase that it had rejected`, now);
}

/** The supplier is asked at once; the attempt is given where it changes. */
export interface Recheck {
  kind: 'scheduled';
  order: Order;
  attempt: Attempt | null;
}

/** Whether an operator may have the supplier asked now. Nothing is sent by it. */
export function decideRecheck(order: Order, attempts: Attempt[], context: AskContext): Recheck | NotPossible {
  const { now } = context;
  const open = attempts.find((attempt) => !isClosed(attempt));
  if (open === undefined)
    return { kind: 'not_possible', why: `No purchase of this order is open: there is nothing left to ask about.` };
  if (open.state === 'Queued' && open.sends === 0)
    return { kind: 'not_possible', why: `Nothing was sent to ${open.supplierCode} yet: there is nothing to ask about.` };
  if (!mayAsk(open, order, context))
    return {
      kind: 'not_possible',
      why: 'Asking this supplier now could buy again what it no longer knows. Look into its own records and decide.',
    };
  // A worker that holds the order is asking at this moment; its answer will do.
  if (isHeld(order, now)) return { kind: 'scheduled', order, attempt: null };
  // Asked, not sent: whoever looks once more may have delivered it himself meanwhile.
  const attempt: Attempt | null = isTakenForAbsent(open) ? { ...open, state: 'Unknown', updatedAt: now } : null;
  return { kind: 'scheduled', order: { ...order, supplierCode: open.supplierCode, nextActionAt: now, lease: null }, attempt };
}

/** The supplier has said that it does not know the purchase, so it would be sent again next. */
function isTakenForAbsent({ state, sends }: Attempt): boolean {
  return state === 'Queued' && sends > 0;
}

/** Where asking may buy, only what an order still wants, or what is known to be there, is asked about, and only for a time. */
function mayAsk(attempt: Attempt, order: Order, { checkMayBuy, now }: AskContext): boolean {
  if (!checkMayBuy(attempt.supplierCode)) return true;
  const isHarmless = order.state === 'Process' || isConfirmed(attempt);
  return isHarmless && now < after(attempt.createdAt, MAX_AGE_TO_ASK_MS);
}
