import type { Connection } from '../connections/index.ts';
import { newId } from '../lib/ids.ts';
import { type Claim, leaseEnd } from './claim-orders.ts';
import { decideStep } from './next-step.ts';
import type { Attempt, Order } from './order.ts';
import { isLimited, type StepDeps, stepContext } from './target-book.ts';

/** New orders as they are to be written, some of them held from the first moment on. */
export interface NewClaims {
  orders: Order[];
  /** What is about to be sent, to be written with them. */
  attempts: Attempt[];
  /** They are on disk: what is held is sent, and for the rest somebody is told. */
  begin(): void;
  /** They are not: what was reserved for them is free again. */
  release(): void;
}

export type ClaimNew = (orders: Order[]) => NewClaims;

/** For a process without a worker: the orders are due as they are, and `tell` makes workers look. */
export function leaveToWorkers(tell: () => void): ClaimNew {
  return (orders) => ({
    orders,
    attempts: [],
    begin() {
      if (orders.length > 0) tell();
    },
    release() {},
  });
}

/**
 * Decides which of a supplier's new orders are sent at once: as many as there is room for, each with the attempt and the lease
 * that a claim from the table would have written, one transaction later. An order that cannot be sent now stays due.
 */
export function decideNewClaims(
  deps: StepDeps,
  supplier: Connection,
  orders: Order[],
  context: { room: number; now: Date },
): Claim[] {
  const { room, now } = context;
  const until = leaseEnd(supplier, now);
  const lease = newId(now);
  const claims: Claim[] = [];
  for (const order of orders.slice(0, room)) {
    // Where the supplier minds earlier purchases, those have to be read first, as a claim from the table does.
    if (deps.routing.routes(order).some((route) => isLimited(deps.registry, route))) continue;
    const step = decideStep(
      order,
      [],
      stepContext(deps, order, () => 'unlimited'),
    );
    if (step.kind !== 'send') continue;
    claims.push({ order: { ...order, nextActionAt: until, lease }, step, lease, until });
  }
  return claims;
}
