import type { Db } from '../db/database.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Route } from './route.ts';
import { hasService, replaceRoutes } from './store.ts';

export interface SetRoutesDeps {
  db: Db;
  clock: Clock;
  revisions: RevisionWatch;
}

export type SetRoutesOutcome =
  | { kind: 'saved' }
  | { kind: 'unknown_service' }
  | { kind: 'unknown_supplier' }
  | { kind: 'repeated'; supplierCode: string; sku: string };

/** Replaces all routes of a service; the list is the order of preference. An empty list sends live orders to the sandbox again. */
export async function setRoutes(
  deps: SetRoutesDeps,
  actor: Actor,
  serviceCode: string,
  routes: Route[],
): Promise<SetRoutesOutcome> {
  // A route that said no is recognised by supplier and item, so the same pair twice could never be tried twice.
  const repeated = routes.find(
    (route, index) => routes.findIndex((other) => other.supplierCode === route.supplierCode && other.sku === route.sku) !== index,
  );
  if (repeated) return { kind: 'repeated', supplierCode: repeated.supplierCode, sku: repeated.sku };
  try {
    const known = await inTransaction(deps.db, async (tx) => {
      if (!(await hasService(tx, serviceCode))) return false;
      await replaceRoutes(tx, serviceCode, routes);
      await bumpRevision(tx, 'suppliers');
      const details = { routes: routes.map(({ supplierCode, sku, cost }) => ({ supplierCode, sku, cost: toJsonAmount(cost) })) };
      await recordAction(tx, deps.clock, actor, { action: 'route.set', subject: serviceCode, details });
      return true;
    });
    if (!known) return { kind: 'unknown_service' };
    await deps.revisions.check();
    return { kind: 'saved' };
  } catch (error) {
    if (isForeignKeyViolation(error, 'routes_supplier')) return { kind: 'unknown_supplier' };
    throw error;
  }
}
