import type { Amount } from '../lib/money.ts';
import type { Health } from '../supplier-health/index.ts';
import type { Route } from './route.ts';

/** `fixed`: as the operator listed them. `cheapest`: by cost. `best`: by score. Equals stay as they were listed. */
export const PREFERENCES = ['fixed', 'cheapest', 'best'] as const;
export type Preference = (typeof PREFERENCES)[number];

/** How the routes of a service are chosen. */
export interface RoutingRule {
  preference: Preference;
  /** A route is used only where the reseller pays at least its cost and this. */
  marginFloor: Amount;
  /** Then margins do not matter at all. */
  sellsBelowCost: boolean;
}

export const DEFAULT_RULE: RoutingRule = { preference: 'fixed', marginFloor: 0n, sellsBelowCost: false };

/** Minutes since midnight, the end not included. Null: none. */
export type Window = { start: number; end: number } | null;

const WEIGHTS = { price: 0.4, success: 0.5, speed: 0.1 } as const;
/** Every supplier is taken to have had this many purchases more, one of them bad: so little known is no verdict. */
const ASSUMED_CALLS = 30;
const ASSUMED_GOOD = 29;
/** A supplier that takes this long gets half of what speed is worth; so does one whose speed is not known. */
const MIDDLING_LATENCY_MS = 2_000;

/**
 * Score = 0.4 × price + 0.5 × success + 0.1 × speed, each from 0 to 1:
 *
 *  - price: the cheapest route's cost ÷ this one's;
 *  - success: (good purchases of the last hour + 29) ÷ (all + 30), so that a single failure of a new supplier does not end it;
 *  - speed: 2 s ÷ (2 s + the median latency).
 *
 * Ten percent of success weigh about as much as twelve percent of cost: a failed purchase costs minutes and goodwill, and the
 * next route is then tried at its own cost anyway.
 */
export function scoreOf(cost: Amount, cheapest: Amount, health: Health): number {
  const price = cost === 0n ? 1 : Number(cheapest) / Number(cost);
  const good = (health.successRate ?? 0) * health.calls;
  const success = (good + ASSUMED_GOOD) / (health.calls + ASSUMED_CALLS);
  const speed = MIDDLING_LATENCY_MS / (MIDDLING_LATENCY_MS + (health.latencyP50Ms ?? MIDDLING_LATENCY_MS));
  return WEIGHTS.price * price + WEIGHTS.success * success + WEIGHTS.speed * speed;
}

/** The routes in the order in which they are tried. */
export function inPreferredOrder<Offer extends Route>(
  routes: readonly Offer[],
  preference: Preference,
  healthOf: (supplierCode: string) => Health,
): Offer[] {
  if (preference === 'fixed') return [...routes];
  if (preference === 'cheapest') return routes.toSorted((one, other) => compareAmounts(one.cost, other.cost));
  const cheapest = routes.reduce<Amount | null>((least, { cost }) => (least === null || cost < least ? cost : least), null) ?? 0n;
  const scores = new Map(routes.map((route) => [route, scoreOf(route.cost, cheapest, healthOf(route.supplierCode))]));
  return routes.toSorted((one, other) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0));
}

/** The least a reseller must pay for the route to be used. */
export function leastPrice(cost: Amount, { marginFloor, sellsBelowCost }: RoutingRule): Amount {
  return sellsBelowCost ? 0n : cost + marginFloor;
}

/** `HH:MM` to `HH:MM`; it may cross midnight, and equal ends mean that there is none. */
export function toWindow(cutOff: { start: string; end: string } | null): Window {
  if (cutOff === null || cutOff.start === cutOff.end) return null;
  return { start: toMinute(cutOff.start), end: toMinute(cutOff.end) };
}

export function isWithin(window: Window, minute: number): boolean {
  if (window === null) return false;
  const { start, end } = window;
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

function toMinute(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

function compareAmounts(one: Amount, other: Amount): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
