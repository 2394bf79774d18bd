import type { Connection } from '../connections/index.ts';
import type { Amount } from '../lib/money.ts';
import type { Health } from '../supplier-health/index.ts';
import type { OfferedRoute } from './route.ts';
import { inPreferredOrder, isWithin, leastPrice, type RoutingRule, scoreOf, toWindow } from './route-choice.ts';

export const ROUTE_STATES = ['open', 'below_floor', 'cut_off', 'unavailable', 'held', 'paused', 'resting'] as const;

/** A route as an order at some price would meet it at this moment. */
export interface ExplainedRoute {
  route: OfferedRoute;
  state: (typeof ROUTE_STATES)[number];
  /** From 0 to 1; what `best` goes by. */
  score: number;
}

/** All routes of a service in the order in which they are tried, each with what keeps it from being used. */
export function explainRoutes(
  routes: OfferedRoute[],
  rule: RoutingRule,
  context: {
    price: Amount;
    minute: number;
    healthOf: (supplierCode: string) => Health;
    connectionOf: (supplierCode: string) => Connection | null;
  },
): ExplainedRoute[] {
  const { price, minute, healthOf, connectionOf } = context;
  const costs = routes.filter(({ isAvailable }) => isAvailable).map(({ cost }) => cost);
  const cheapest = costs.reduce((least, cost) => (cost < least ? cost : least), costs[0] ?? 0n);
  const stateOf = (route: OfferedRoute): ExplainedRoute['state'] => {
    const connection = connectionOf(route.supplierCode);
    if (!route.isAvailable || connection === null) return 'unavailable';
    if (price < leastPrice(route.cost, rule)) return 'below_floor';
    if (isWithin(toWindow(route.cutOff), minute)) return 'cut_off';
    if (connection.hold !== null) return 'held';
    if (connection.health === 'Resting') return 'resting';
    return connection.isAcceptingOrders() ? 'open' : 'paused';
  };
  return inPreferredOrder(routes, rule.preference, healthOf).map((route) => ({
    route,
    state: stateOf(route),
    score: scoreOf(route.cost, cheapest, healthOf(route.supplierCode)),
  }));
}
