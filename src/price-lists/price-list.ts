import type { Catalog, ServiceChange } from '../catalog/index.ts';
import type { Amount } from '../lib/money.ts';
import { leastPrice, type OfferedRoute, type RouteTerms, type RoutingRules } from '../routing/index.ts';

/**
 * What is done with a supplier's price list. `costs`: costs and availability of routes follow it. `prices`: prices of services are
 * raised too, so that the margin floor holds; never lowered. `catalogue`: and services nobody can deliver any more are closed, and
 * opened again when somebody can.
 */
export const RULES = ['costs', 'prices', 'catalogue'] as const;
export type Rule = (typeof RULES)[number];

/** An item of a supplier's list as it was last read. */
export interface Item {
  sku: string;
  name: string;
  cost: Amount;
  available: boolean;
  /** Null, here and below: the list does not say. */
  cutOff: { start: string; end: string } | 'none' | null;
  oncePerDay: boolean | null;
  firstSeenAt: Date;
  /** Since when it is no longer in the list. */
  goneAt: Date | null;
}

/** What a list says of an item beside its cost. */
export type ListedTerms = Pick<OfferedRoute, 'cutOff' | 'oncePerDay'>;

/** How a list differs from our routes and services, and what applying it does. */
export interface ListPlan {
  /** In the list for the first time. */
  newItems: Item[];
  costChanges: { serviceCode: string; sku: string; costBefore: Amount; cost: Amount }[];
  /** Costs that are not believed: the routes keep theirs until an operator says that these are right. */
  heldBack: { serviceCode: string; sku: string; costBefore: Amount; cost: Amount }[];
  /** Routes with another cut-off, or that a player may have only once a day from now on, or more often again. */
  termsChanges: { serviceCode: string; sku: string; before: ListedTerms; after: ListedTerms }[];
  /** Routes taken out of choice, and routes that come back. */
  unavailable: { serviceCode: string; sku: string; reason: 'gone' | 'unavailable' }[];
  availableAgain: { serviceCode: string; sku: string }[];
  /** Routes to items that were never in a list: entered by hand, rightly or not. They are left as they are. */
  notListed: { serviceCode: string; sku: string }[];
  /** Prices, after all changes, that are below what the cheapest available route costs and the margin floor. */
  belowFloor: { serviceCode: string; tierCode: string; price: Amount; leastPrice: Amount }[];
  priceChanges: { serviceCode: string; priceBefore: Amount; price: Amount }[];
  closed: string[];
  opened: string[];
  /** What is written. */
  terms: RouteTerms[];
  services: ServiceChange[];
}

export interface PlanContext {
  supplierCode: string;
  rule: Rule;
  /** An operator's word that costs are right, whatever they were before. */
  believesAnything: boolean;
  readAt: Date;
  items: ReadonlyMap<string, Item>;
  /** Every route of every service, as stored. */
  routes: ReadonlyMap<string, OfferedRoute[]>;
  routing: RoutingRules;
  catalog: Catalog;
}

/** Compares a list with what we sell, and decides what the rule makes of it. */
export function planList(context: PlanContext): ListPlan {
  const { items, routes, readAt } = context;
  const plan: ListPlan = {
    newItems: [...items.values()].filter(
      ({ firstSeenAt, goneAt }) => goneAt === null && firstSeenAt.getTime() === readAt.getTime(),
    ),
    costChanges: [],
    heldBack: [],
    termsChanges: [],
    unavailable: [],
    availableAgain: [],
    notListed: [],
    belowFloor: [],
    priceChanges: [],
    closed: [],
    opened: [],
    terms: [],
    services: [],
  };
  for (const [serviceCode, before] of routes) {
    if (!before.some(({ supplierCode }) => supplierCode === context.supplierCode)) continue;
    const after = before.map((route) =>
      route.supplierCode === context.supplierCode ? follow(plan, context, serviceCode, route) : route,
    );
    planService(plan, context, serviceCode, after);
  }
  return plan;
}

/** The route as the list has it; what changes is noted. */
function follow(plan: ListPlan, context: PlanContext, serviceCode: string, route: OfferedRoute): OfferedRoute {
  const { sku } = route;
  const item = context.items.get(sku);
  if (item === undefined) {
    plan.notListed.push({ serviceCode, sku });
    return route;
  }
  const isAvailable = item.goneAt === null && item.available;
  const known = route.cost > 0n ? route.cost : (context.catalog.services.get(serviceCode)?.cost ?? 0n);
  const isBelieved = item.cost === route.cost || context.believesAnything || isLikely(known, item.cost);
  const after: OfferedRoute = {
    ...route,
    cost: isBelieved ? item.cost : route.cost,
    cutOff: item.cutOff === 'none' ? null : (item.cutOff ?? route.cutOff),
    oncePerDay: item.oncePerDay ?? route.oncePerDay,
    isAvailable,
  };
  if (!isBelieved && isAvailable) plan.heldBack.push({ serviceCode, sku, costBefore: route.cost, cost: item.cost });
  if (after.cost !== route.cost) plan.costChanges.push({ serviceCode, sku, costBefore: route.cost, cost: after.cost });
  if (hasOtherTerms(route, after)) plan.termsChanges.push({ serviceCode, sku, before: termsOf(route), after: termsOf(after) });
  if (route.isAvailable && !after.isAvailable)
    plan.unavailable.push({ serviceCode, sku, reason: item.goneAt === null ? 'unavailable' : 'gone' });
  if (!route.isAvailable && after.isAvailable) plan.availableAgain.push({ serviceCode, sku });
  if (isChanged(route, after)) plan.terms.push({ serviceCode, ...after });
  return after;
}

/** What suppliers' prices move by from one day to the next, with much to spare. */
const LIKELY_FACTOR = 2n;

/** A slip of the supplier, or of how it is read, is rarely by little: nothing at all, or some zeros too many. */
function isLikely(known: Amount, cost: Amount): boolean {
  if (cost === 0n) return false;
  return known === 0n || (cost <= known * LIKELY_FACTOR && known <= cost * LIKELY_FACTOR);
}

function isChanged(before: OfferedRoute, after: OfferedRoute): boolean {
  return before.cost !== after.cost || before.isAvailable !== after.isAvailable || hasOtherTerms(before, after);
}

function hasOtherTerms(before: ListedTerms, after: ListedTerms): boolean {
  return (
    before.oncePerDay !== after.oncePerDay ||
    before.cutOff?.start !== after.cutOff?.start ||
    before.cutOff?.end !== after.cutOff?.end
  );
}

function termsOf({ cutOff, oncePerDay }: OfferedRoute): ListedTerms {
  return { cutOff, oncePerDay };
}

/** What the routes, as they will be, mean for the service they deliver. */
function planService(plan: ListPlan, context: PlanContext, serviceCode: string, routes: OfferedRoute[]): void {
  const { rule, routing, catalog } = context;
  const service = catalog.services.get(serviceCode);
  if (!service) return;
  const change: ServiceChange = { code: serviceCode };
  const costs = routes.filter(({ isAvailable }) => isAvailable).map(({ cost }) => cost);
  const cheapest = costs.reduce<Amount | null>((least, cost) => (least === null || cost < least ? cost : least), null);
  const inForce = routing.of(serviceCode);

  if (cheapest !== null && !inForce.sellsBelowCost) {
    const least = leastPrice(cheapest, inForce);
    if (rule !== 'costs') {
      // Tiers with a markup go by the service's cost, all others by its price.
      if (service.cost < cheapest) change.cost = cheapest;
      if (service.price < least) {
        change.price = least;
        plan.priceChanges.push({ serviceCode, priceBefore: service.price, price: least });
      }
    }
    for (const tierCode of catalog.tiers.keys()) {
      const price = catalog.price({ ...service, ...change }, tierCode);
      if (price < least) plan.belowFloor.push({ serviceCode, tierCode, price, leastPrice: least });
    }
  }
  if (rule === 'catalogue') {
    const isClosedByList = routing.closedByList.has(serviceCode) && service.status === 'Unavailable';
    if (cheapest === null && service.status === 'Available') {
      change.status = 'Unavailable';
      plan.closed.push(serviceCode);
    }
    if (cheapest !== null && isClosedByList) {
      change.status = 'Available';
      plan.opened.push(serviceCode);
    }
  }
  if (Object.keys(change).length > 1) plan.services.push(change);
}

/** With fewer items in use, losing some of them is nothing out of the ordinary. */
const LOST_TO_DOUBT = 3;

/** Why a list is not believed; null: it is. A supplier that is being rebuilt lists nothing, or half of what it has. */
export function doubtList(listed: ReadonlySet<string>, inUse: readonly string[]): string | null {
  if (listed.size === 0) return 'The list is empty.';
  const lost = inUse.filter((sku) => !listed.has(sku));
  if (lost.length < LOST_TO_DOUBT || lost.length * 2 <= inUse.length) return null;
  return `The list has lost ${lost.length} of the ${inUse.length} items in use.`;
}
