import { after, MINUTE_MS } from '../lib/clock.ts';
import type { Attempt } from './order.ts';

/** How long a request may be under way after nobody waits for its answer any more. */
const IN_TRANSIT_MS = 10 * MINUTE_MS;

/** A request that could buy is sent now, or, with null, one that cannot. One that was under way was never answered. */
export function begun({ underWayAt, unansweredAt }: Attempt, now: Date | null): Pick<Attempt, 'underWayAt' | 'unansweredAt'> {
  return { underWayAt: now, unansweredAt: underWayAt ?? unansweredAt };
}

/**
 * The purchase was sent before, or asked about by sending it, and that request was never answered: it may still be on its way,
 * through a proxy for instance, and buy after this no. Only a no to a request that left long after it is final, or one to a
 * purchase that the supplier has written down. When the no is heard proves nothing: a suspended process hears it late.
 */
export function mayStillArrive(
  attempt: Attempt,
  { requestedAt, request, checkMayBuy }: { requestedAt: Date; request: 'place' | 'check'; checkMayBuy: boolean },
): boolean {
  const isRepeated = request === 'place' ? attempt.sends > 1 : checkMayBuy;
  return isRepeated && inTransitUntil(attempt, requestedAt) !== null;
}

/** Until when a request that was never answered may still arrive at the supplier; null when none may. */
export function inTransitUntil({ underWayAt, unansweredAt }: Attempt, now: Date): Date | null {
  const sentAt = underWayAt ?? unansweredAt;
  const until = sentAt && after(sentAt, IN_TRANSIT_MS);
  return until !== null && now < until ? until : null;
}
