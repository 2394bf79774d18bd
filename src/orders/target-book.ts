import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { type Clock, startOfDay } from '../lib/clock.ts';
import type { Route, Routing } from '../routing/index.ts';
import { findLimitedAttempts } from './attempt-store.ts';
import type { StepContext, TargetState } from './next-step.ts';
import { type Attempt, isClosed, limitedTargetOf, type Order } from './order.ts';

export interface StepDeps {
  clock: Clock;
  registry: SupplierRegistry;
  routing: Routing;
  timeZone: string;
}

/** What is known of purchases of the same item for the same player, where a supplier limits those. */
export interface TargetBook {
  stateOf(order: Order, route: Route): TargetState;
  /** A purchase that is about to be made counts for all that are decided after it. */
  add(attempt: Attempt): void;
}

/** Whether the supplier behind a route minds several purchases of the same item for the same player. */
export function isLimited(registry: SupplierRegistry, route: Route): boolean {
  return route.oncePerDay || registry.connection(route.supplierCode).settings.limits.oneAtATimePerPlayer;
}

const NO_LIMITS: TargetBook = { stateOf: () => 'unlimited', add() {} };

/** Reads what bears on these orders. Most routes are not limited, and then nothing is read. */
export async function openTargetBook(deps: StepDeps, tx: Db, orders: Order[]): Promise<TargetBook> {
  const targets = orders.flatMap((order) =>
    deps.routing
      .routes(order)
      .filter((route) => isLimited(deps.registry, route))
      .map((route) => ({ supplierCode: route.supplierCode, target: limitedTargetOf(order, route) })),
  );
  if (targets.length === 0) return NO_LIMITS;
  const today = startOfDay(deps.clock.now(), deps.timeZone);
  const known = await findLimitedAttempts(tx, targets, today);
  return {
    stateOf(order, route) {
      if (!isLimited(deps.registry, route)) return 'unlimited';
      const target = limitedTargetOf(order, route);
      const others = known.filter(
        (attempt) =>
          attempt.supplierCode === route.supplierCode && attempt.limitedTarget === target && attempt.orderId !== order.id,
      );
      if (others.some((other) => !isClosed(other) && other.state !== 'Delivered')) return 'busy';
      const isUsed = route.oncePerDay && others.some((other) => !isClosed(other) && other.createdAt >= today);
      return isUsed ? 'used' : 'free';
    },
    add(attempt) {
      if (attempt.limitedTarget !== null) known.push(attempt);
    },
  };
}

/** Everything a worker has to know to decide the next step of one order. */
export function stepContext(deps: StepDeps, order: Order, targetOf: StepContext['targetOf']): StepContext {
  const { registry, routing } = deps;
  return {
    routes: routing.routes(order),
    isAcceptingOrders: (code) => registry.connection(code).isAcceptingOrders(),
    checkMayBuy: (code) => registry.connection(code).kind.capabilities.checkMayBuy,
    targetOf,
    now: deps.clock.now(),
  };
}
