import { after, MINUTE_MS } from '../lib/clock.ts';
import { FAILURES } from '../suppliers/index.ts';
import type { Settlement } from './fulfilment.ts';
import { type Attempt, isClosed, type Order, TRANSITIONS } from './order.ts';

/** What an operator decided about an order after looking into it. */
export interface Resolution {
  outcome: 'Success' | 'Failed' | 'Refunded';
  serialNumber: string | null;
  operator: string;
}

const ASK_FURTHER_MS = 10 * MINUTE_MS;

export type ResolutionOutcome = { kind: 'resolved'; settlement: Settlement } | { kind: 'not_possible'; state: Order['state'] };

/**
 * Applies an operator's decision, within the same transitions as everything else. The state that a flagged order already has
 * takes the flag down.
 */
export function decideResolution(order: Order, attempts: Attempt[], resolution: Resolution, now: Date): ResolutionOutcome {
  if (order.review !== null && order.state === resolution.outcome) {
    return { kind: 'resolved', settlement: acknowledge(order) };
  }
  if (!TRANSITIONS[order.state].includes(resolution.outcome)) return { kind: 'not_possible', state: order.state };
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
    return {
      kind: 'resolved',
      settlement: {
        order: { ...ended, serialNumber },
        attempt: open && closeDelivered(open, serialNumber, now),
        refund: null,
      },
    };
  }
  const code = resolution.outcome === 'Failed' ? 'operator_decision' : 'reversed';
  const { message, fixableByPlayer } = FAILURES[code];
  const failed: Order = { ...ended, failure: { code, message, fixableByPlayer } };
  if (resolution.outcome === 'Refunded') {
    return {
      kind: 'resolved',
      settlement: { order: failed, attempt: open && { ...open, state: 'Reversed', updatedAt: now }, refund: 'reversal' },
    };
  }
  // What the supplier made of an open attempt is not known, so it stays as it is, and the supplier is asked further.
  const nextActionAt = open && after(now, ASK_FURTHER_MS);
  return { kind: 'resolved', settlement: { order: { ...failed, nextActionAt }, attempt: null, refund: 'refund' } };
}

/** What is known not to be at the supplier was delivered some other way. */
function closeDelivered(open: Attempt, serialNumber: string | null, now: Date): Attempt {
  if (open.state === 'Queued')
    return { ...open, state: 'Rejected', message: 'an operator delivered the order another way', updatedAt: now };
  return { ...open, state: 'Delivered', serialNumber, message: 'an operator found it delivered', updatedAt: now };
}

/** The operator has seen what was flagged and leaves the order as it is. */
function acknowledge(order: Order): Settlement {
  return { order: { ...order, review: null }, attempt: null, refund: null };
}
