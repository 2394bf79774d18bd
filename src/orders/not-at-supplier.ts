import { MINUTE_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import type { NotPossible } from './ask-again.ts';
import { inTransitUntil } from './in-transit.ts';
import { newAttempt, type StepContext } from './next-step.ts';
import { type Attempt, BY_OPERATOR, isClosed, isHeld, type Order } from './order.ts';
import { MAX_ATTEMPTS } from './routes-left.ts';

/** Changes that move no money: the order stays in Process. */
export type Redirection = { kind: 'redirected'; order: Order; attempts: Attempt[] } | NotPossible;

const BUSY = 'The supplier is being called about this order at this moment. Try again in some seconds.';

/**
 * An operator has verified with the supplier that nothing was delivered and nothing will be: the open attempt is closed, and the
 * order goes on with its next route, or fails and is refunded when it has none.
 */
export function decideNotDelivered(
  order: Order,
  attempts: Attempt[],
  finding: { operator: string; reason: string },
  now: Date,
): Redirection {
  if (order.state !== 'Process') return notPossible(`The order is ${order.state}: it has ended.`);
  if (isHeld(order, now)) return notPossible(BUSY);
  const open = attempts.find((attempt) => !isClosed(attempt));
  if (!open) return notPossible('No purchase is open: nothing is known to be at a supplier.');
  // The supplier cannot know yet what is still on its way to it.
  const inTransit = whyInTransit(open, now);
  if (inTransit) return inTransit;
  return {
    kind: 'redirected',
    order: { ...order, nextActionAt: now, lease: null, review: null },
    attempts: [closed(open, `${finding.operator}: ${finding.reason}`, now)],
  };
}

/** An operator sends the order another way. Only what is known not to be with any supplier may be: it could be delivered twice. */
export function decideReroute(
  order: Order,
  attempts: Attempt[],
  wanted: { supplierCode: string; sku: string } | null,
  context: StepContext,
): Redirection {
  const { now } = context;
  if (order.state !== 'Process') return notPossible(`The order is ${order.state}: it has ended.`);
  if (isHeld(order, now)) return notPossible(BUSY);
  const open = attempts.find((attempt) => !isClosed(attempt));
  if (open && open.state !== 'Queued')
    return notPossible(
      `${open.supplierCode} may still deliver this order. Have it asked first (recheck); when it has told you that nothing was delivered, say so (not-delivered).`,
    );
  const inTransit = open && whyInTransit(open, now);
  if (inTransit) return inTransit;
  // The supplier did not have it while that request was still on its way, which says nothing of now.
  if (open && inTransitUntil(open, open.updatedAt))
    return notPossible(
      `A request to ${open.supplierCode} may have arrived since it was asked. Have it asked again first (recheck).`,
    );
  if (attempts.length >= MAX_ATTEMPTS) return notPossible('The order has had as many attempts as one can have.');
  const choice = chooseRoute(attempts, wanted, context);
  if ('kind' in choice) return choice;
  const next: Attempt = { ...newAttempt(order, attempts.length + 1, choice, context), state: 'Queued', sends: 0 };
  return {
    kind: 'redirected',
    order: { ...order, supplierCode: choice.supplierCode, nextActionAt: now, lease: null, review: null },
    // The one that closes comes first: the database lets no two be open.
    attempts: [...(open ? [closed(open, 'an operator sent the order another way', now)] : []), next],
  };
}

function chooseRoute(
  attempts: Attempt[],
  wanted: { supplierCode: string; sku: string } | null,
  context: StepContext,
): Route | NotPossible {
  const isTried = (route: { supplierCode: string; sku: string }) =>
    attempts.some(({ supplierCode, sku }) => supplierCode === route.supplierCode && sku === route.sku);
  const untried = context.routes.filter((route) => !isTried(route));
  if (wanted && isTried(wanted)) return notPossible(`The route ${wanted.supplierCode} ${wanted.sku} was tried already.`);
  const possible = wanted
    ? untried.filter(({ supplierCode, sku }) => supplierCode === wanted.supplierCode && sku === wanted.sku)
    : untried;
  if (possible.length === 0)
    return notPossible(
      wanted
        ? `The route ${wanted.supplierCode} ${wanted.sku} cannot be used now: the service has none such, it costs too much for this order, or it is in its cut-off. See the service's routing.`
        : "Every route of the service that can be used now was tried. Add another one to the service's routes, or resolve the order.",
    );
  const free = possible.filter((route) => ['unlimited', 'free'].includes(context.targetOf(route)));
  const [first] = free;
  if (!first)
    return notPossible('The supplier takes this item for this player only once at a time, or once a day. Try again later.');
  // A route that the operator names may also be one that he is about to open again.
  const choice = wanted ? first : free.find(({ supplierCode }) => context.isAcceptingOrders(supplierCode));
  return (
    choice ??
    notPossible(
      `${first.supplierCode} takes no orders now: it is paused, on hold or resting. Resume it first, or name its route to have the order wait for it.`,
    )
  );
}

function whyInTransit(open: Attempt, now: Date): NotPossible | null {
  const until = inTransitUntil(open, now);
  return (
    until &&
    notPossible(
      `A request to ${open.supplierCode} that was never answered may still arrive there within ${minutesLeft(until, now)}. Wait for that.`,
    )
  );
}

function minutesLeft(until: Date, now: Date): string {
  const minutes = Math.ceil((until.getTime() - now.getTime()) / MINUTE_MS);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

function closed(attempt: Attempt, message: string, now: Date): Attempt {
  return { ...attempt, state: 'Rejected', code: BY_OPERATOR, message, updatedAt: now };
}

function notPossible(why: string): NotPossible {
  return { kind: 'not_possible', why };
}
