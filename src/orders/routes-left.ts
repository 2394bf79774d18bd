import { after, HOUR_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import { FAILURES, type FailureCode } from '../suppliers/index.ts';
import type { Attempt } from './order.ts';

export const MAX_ATTEMPTS = 100;
/** The code of an attempt that the supplier turned away only because we came too fast. */
export const BUSY = 'busy';
/** How long a supplier that is only too busy is tried again. */
const MAX_BUSY_MS = HOUR_MS;

/** The routes that have not said no to this order, in order of preference; last those that were only too busy. */
export function routesLeft(routes: Route[], attempts: Attempt[], now: Date): Route[] {
  const tried = (route: Route) =>
    attempts.filter(({ supplierCode, sku }) => supplierCode === route.supplierCode && sku === route.sku);
  const untried = routes.filter((route) => tried(route).length === 0);
  const busy = routes.filter((route) => {
    const earlier = tried(route);
    const [first] = earlier;
    return first !== undefined && earlier.every(({ code }) => code === BUSY) && now < after(first.createdAt, MAX_BUSY_MS);
  });
  return [...untried, ...busy];
}

/** Why an order fails that nobody delivered: the reason of the last one who said no. */
export function lastFailureCode(attempts: Attempt[]): FailureCode {
  const code = attempts.at(-1)?.code ?? 'not_deliverable';
  if (code === BUSY) return 'temporarily_unavailable';
  return code in FAILURES ? (code as FailureCode) : 'not_deliverable';
}
