import { FAILURES } from '../suppliers/index.ts';
import type { Settlement } from './fulfilment.ts';
import { type Attempt, isClosed, type Order, TRANSITIONS } from './order.ts';

/** What an operator decided about an order after looking into it. */
export interface Resolution {
  outcome: 'Success' | 'Failed' | 'Refunded';
  serialNumber: string | null;
  operator: string;
}

export type ResolutionOutcome = { kind: 'resolved'; settlement: Settlement } | { kind: 'not_possible'; state: Order['state'] };

/** Applies an operator's decision, within the same transitions as everything else. */
export function decideResolution(order: Order, attempts: Attempt[], resolution: Resolution, now: Date): ResolutionOutcome {
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
        attempt: open && { ...open, state: 'Delivered', serialNumber, message: 'an operator found it delivered', updatedAt: now },
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
  // What the supplier may still do with an open attempt is not known, so it stays as it is and late news is still heard.
  return { kind: 'resolved', settlement: { order: failed, attempt: null, refund: 'refund' } };
}
