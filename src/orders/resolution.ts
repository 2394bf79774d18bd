import { after, MINUTE_MS } from '../lib/clock.ts';
import { FAILURES } from '../suppliers/index.ts';
import { decideRecheck, type NotPossible } from './ask-again.ts';
import type { StepContext } from './next-step.ts';
import { decideNotDelivered, decideReroute } from './not-at-supplier.ts';
import { type Attempt, BY_OPERATOR, isClosed, type Order, TRANSITIONS, wasSent } from './order.ts';
import type { Settlement } from './settlement.ts';

/** What an operator decided about an order after looking into it. */
export interface Resolution {
  outcome: 'Success' | 'Failed' | 'Refunded';
  serialNumber: string | null;
  /** With Success: not by the supplier that holds the order, which is asked further whether it delivers as well. */
  byOtherMeans?: boolean;
  operator: string;
}

const ASK_FURTHER_MS = 10 * MINUTE_MS;

export type ResolutionOutcome = { kind: 'resolved'; settlement: Settlement } | NotPossible;

/**
 * Applies an operator's decision, within the same transitions as everything else. The state that a flagged order already has
 * takes the flag down.
 */
export function decideResolution(order: Order, attempts: Attempt[], resolution: Resolution, now: Date): ResolutionOutcome {
  if (order.review !== null && order.state === resolution.outcome) {
    return { kind: 'resolved', settlement: acknowledge(order) };
  }
  if (!TRANSITIONS[order.state].includes(resolution.outcome))
    return { kind: 'not_possible', why: `An order that is ${order.state} cannot become ${resolution.outcome}.` };
  const open = attempts.find((attempt) => !isClosed(attempt)) ?? null;
  const ended: Order = {
    ...order,
    state: resolution.outcome,
    nextActionAt: null,
    lease: null,
    review: null,
    resolvedBy: resolution.operator,
    updatedAt: now,
  };

  if (resolution.outcome === 'Success') {
    const { serialNumber } = resolution;
    const mayStillDeliver = open !== null && wasSent(open) && (resolution.byOtherMeans === true || open.state === 'Queued');
    if (mayStillDeliver) return { kind: 'resolved', settlement: askFurther({ ...ended, serialNumber }, open, null, now) };
    return {
      kind: 'resolved',
      settlement: {
        order: { ...ended, serialNumber },
        attempt: open && closeDelivered(open, serialNumber, now),
        refund: null,
      },
    };
  }
  const code = resolution.outcome === 'Failed' ? BY_OPERATOR : 'reversed';
  const { message, fixableByPlayer } = FAILURES[code];
  const failed: Order = { ...ended, failure: { code, message, fixableByPlayer } };
  if (resolution.outcome === 'Refunded') {
    return {
      kind: 'resolved',
      settlement: { order: failed, attempt: open && takenBack(open, now), refund: 'reversal' },
    };
  }
  return {
    kind: 'resolved',
    settlement: open ? askFurther(failed, open, 'refund', now) : { order: failed, attempt: null, refund: 'refund' },
  };
}

/**
 * What the supplier made of an open attempt is not known, so it stays as it is, and the supplier is asked further. The player is
 * free to buy the item again: nobody waits for this one any more.
 */
function askFurther(order: Order, open: Attempt, refund: Settlement['refund'], now: Date): Settlement {
  return {
    order: { ...order, nextActionAt: after(now, ASK_FURTHER_MS) },
    attempt: { ...open, limitedTarget: null, updatedAt: now },
    refund,
  };
}

/** Only what was delivered can be taken back; of anything else the supplier has still to tell what became of it. */
function takenBack(open: Attempt, now: Date): Attempt {
  return open.state === 'Delivered' ? { ...open, state: 'Reversed', updatedAt: now } : open;
}

/** What was never sent was delivered some other way. */
function closeDelivered(open: Attempt, serialNumber: string | null, now: Date): Attempt {
  if (open.state === 'Queued')
    return { ...open, state: 'Rejected', message: 'an operator delivered the order another way', updatedAt: now };
  return {
    ...open,
    state: 'Delivered',
    serialNumber,
    code: BY_OPERATOR,
    message: 'an operator found it delivered',
    updatedAt: now,
  };
}

/** The operator has seen what was flagged and leaves the order as it is. */
function acknowledge(order: Order): Settlement {
  return { order: { ...order, review: null }, attempt: null, refund: null };
}

export const OPERATOR_ACTIONS = ['recheck', 'success', 'failed', 'refunded', 'not_delivered', 'reroute'] as const;

/** What an operator may do about an order now, and why not, where not. */
export interface PossibleAction {
  action: (typeof OPERATOR_ACTIONS)[number];
  /** Null when it is possible. */
  whyNot: string | null;
}

/** Tries every decision and keeps none, so that what is offered is what will be accepted. */
export function possibleActions(order: Order, attempts: Attempt[], context: StepContext): PossibleAction[] {
  const { now } = context;
  const ended = (outcome: Resolution['outcome']) =>
    decideResolution(order, attempts, { outcome, serialNumber: null, operator: '' }, now);
  const decisions = {
    recheck: decideRecheck(order, attempts, context),
    success: ended('Success'),
    failed: ended('Failed'),
    refunded: ended('Refunded'),
    not_delivered: decideNotDelivered(order, attempts, { operator: '', reason: '' }, now),
    reroute: decideReroute(order, attempts, null, context),
  };
  return OPERATOR_ACTIONS.map((action) => {
    const decision = decisions[action];
    return { action, whyNot: decision.kind === 'not_possible' ? decision.why : null };
  });
}
