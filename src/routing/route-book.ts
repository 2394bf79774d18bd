import { type Clock, MINUTE_MS, minuteOfDay, SECOND_MS } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { Health } from '../supplier-health/index.ts';
import type { OfferedRoute, Route } from './route.ts';
import { inPreferredOrder, isWithin, leastPrice, type RoutingRule, toWindow, type Window } from './route-choice.ts';
import type { RoutingRules } from './rule-store.ts';

/** The routes of every service, in order of preference and ready to be chosen from. */
export interface RouteBook {
  load(routes: Map<string, OfferedRoute[]>, rules: RoutingRules): void;
  /** Every route of the service, whatever its state; null where it has none of its own. */
  all(serviceCode: string): readonly Route[] | null;
  /** What may deliver an order that was sold at this price, held suppliers last; null where the service has no routes. */
  forOrder(serviceCode: string, price: Amount): Route[] | null;
  /** Who would deliver a new order at this price. `none`: nobody may for now. Null where the service has no routes. */
  forNewOrder(serviceCode: string, price: Amount): Route | 'none' | null;
}

export interface RouteBookDeps {
  clock: Clock;
  timeZone: string;
  healthOf: (supplierCode: string) => Health;
  isHeld: (supplierCode: string) => boolean;
}

/** What is worked out beforehand for a service, so that an order only compares. */
interface Plan {
  offered: OfferedRoute[];
  rule: RoutingRule;
  entries: Entry[];
  /** The routes of the entries: handed out as they are when all of them may deliver, which is the usual case. */
  routes: Route[];
  hasWindow: boolean;
  sortedAt: Date;
}

interface Entry {
  route: Route;
  leastPrice: Amount;
  window: Window;
}

/** Scores follow the last hour, so looking more often would change nothing. */
const SORT_EVERY_MS = 10 * SECOND_MS;

export function createRouteBook({ clock, timeZone, healthOf, isHeld }: RouteBookDeps): RouteBook {
  let plans = new Map<string, Plan>();
  let knownMinute = { from: Number.NEGATIVE_INFINITY, value: 0 };

  const minute = (): number => {
    const now = clock.now();
    const from = Math.floor(now.getTime() / MINUTE_MS);
    if (from !== knownMinute.from) knownMinute = { from, value: minuteOfDay(now, timeZone) };
    return knownMinute.value;
  };

  const planOf = (serviceCode: string): Plan | null => {
    const plan = plans.get(serviceCode);
    if (!plan) return null;
    const isStale = plan.rule.preference === 'best' && clock.now().getTime() - plan.sortedAt.getTime() >= SORT_EVERY_MS;
    if (!isStale) return plan;
    const sorted = makePlan(plan.offered, plan.rule, healthOf, clock.now());
    plans.set(serviceCode, sorted);
    return sorted;
  };

  return {
    load(routes, rules) {
      const now = clock.now();
      plans = new Map(
        [...routes].map(([serviceCode, offered]) => [serviceCode, makePlan(offered, rules.of(serviceCode), healthOf, now)]),
      );
    },
    all: (serviceCode) => plans.get(serviceCode)?.offered ?? null,
    forOrder(serviceCode, price) {
      const plan = planOf(serviceCode);
      if (plan === null) return null;
      const at = plan.hasWindow ? minute() : 0;
      const isUsual = plan.entries.every((entry) => isOpen(entry, price, at) && !isHeld(entry.route.supplierCode));
      if (isUsual) return plan.routes;
      const open = plan.entries.filter((entry) => isOpen(entry, price, at)).map(({ route }) => route);
      const [held, free] = [
        open.filter(({ supplierCode }) => isHeld(supplierCode)),
        open.filter((route) => !isHeld(route.supplierCode)),
      ];
      return [...free, ...held];
    },
    forNewOrder(serviceCode, price) {
      const plan = planOf(serviceCode);
      if (plan === null) return null;
      const at = plan.hasWindow ? minute() : 0;
      const entry = plan.entries.find((candidate) => isOpen(candidate, price, at) && !isHeld(candidate.route.supplierCode));
      return entry ? entry.route : 'none';
    },
  };
}

function isOpen({ leastPrice: least, window }: Entry, price: Amount, minute: number): boolean {
  return price >= least && !isWithin(window, minute);
}

function makePlan(offered: OfferedRoute[], rule: RoutingRule, healthOf: RouteBookDeps['healthOf'], now: Date): Plan {
  const available = offered.filter(({ isAvailable }) => isAvailable);
  const entries = inPreferredOrder(available, rule.preference, healthOf).map((route) => ({
    route,
    leastPrice: leastPrice(route.cost, rule),
    window: toWindow(route.cutOff),
  }));
  return {
    offered,
    rule,
    entries,
    routes: entries.map(({ route }) => route),
    hasWindow: entries.some(({ window }) => window !== null),
    sortedAt: now,
  };
}
