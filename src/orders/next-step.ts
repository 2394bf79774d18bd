import { after, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import { type FailureCode, fillTemplate } from '../suppliers/index.ts';
import { begun } from './in-transit.ts';
import { type Attempt, isClosed, isConfirmed, limitedTargetOf, type Order, toOrderId, wasSent } from './order.ts';
import { lastFailureCode, MAX_ATTEMPTS, routesLeft } from './routes-left.ts';

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

/** Decides the next step from what is stored alone, so any worker can take over at any time. */
export function decideStep(order: Order, attempts: Attempt[], context: StepContext): Step {
  const { now } = context;
  const open = attempts.find((attempt) => !isClosed(attempt));
  const waitedMs = now.getTime() - order.createdAt.getTime();
  // An order that has ended is asked about, never sent: whatever ended it, sending could deliver it twice.
  if (order.state !== 'Process' && (!open || !canBeAskedAfterEnd(open, context))) return { kind: 'rest' };
  if (open?.state === 'Queued' && order.state === 'Process') {
    if (!context.isAcceptingOrders(open.supplierCode)) return waitForSupplier(open.supplierCode, waitedMs, now);
    return { kind: 'send', attempt: { ...open, ...begun(open, now), state: 'Sending', sends: open.sends + 1, updatedAt: now } };
  }
  // Also an attempt still marked as being sent: its sender died, and only the supplier knows how far it came.
  if (open)
    return {
      kind: 'check',
      attempt: {
        ...open,
        ...begun(open, context.checkMayBuy(open.supplierCode) ? now : null),
        checks: open.checks + 1,
        updatedAt: now,
      },
    };

  const left = routesLeft(context.routes, attempts, now);
  if (left.length === 0 || attempts.length >= MAX_ATTEMPTS) return { kind: 'give_up', code: lastFailureCode(attempts) };
  const accepting = left.filter(({ supplierCode }) => context.isAcceptingOrders(supplierCode));
  const possible = accepting.filter((candidate) => context.targetOf(candidate) !== 'used');
  if (left.every((candidate) => context.targetOf(candidate) === 'used')) return { kind: 'give_up', code: 'limit_reached' };
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
  return wasSent(open) && (isConfirmed(open) || !checkMayBuy(open.supplierCode));
}

/** A purchase that was sent before is not given up by the program: after the same hour an operator is told that it waits. */
function waitForSupplier(supplierCode: string, waitedMs: number, now: Date): Step {
  const wait: Step = { kind: 'wait', until: after(now, WAIT_STEP_MS), supplierCode };
  return waitedMs < WAIT_FOR_SUPPLIER_MS
    ? wait
    : { ...wait, reviewReason: 'the supplier takes no orders; the purchase is known not to be there' };
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
    underWayAt: now,
    unansweredAt: null,
    isPartial: false,
    code: null,
    message: null,
    serialNumber: null,
    createdAt: now,
    updatedAt: now,
  };
}
