import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import { bumpRevision, lockTopic, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { type Actor, describe, recordAction } from '../operators/index.ts';
import { checkRoute } from './check-route.ts';
import type { Route } from './route.ts';
import { findNeedOfZone, listRoutesOf, replaceRoutes } from './store.ts';

export interface SetRoutesDeps {
  db: Db;
  clock: Clock;
  revisions: RevisionWatch;
  registry: SupplierRegistry;
}

export type SetRoutesOutcome =
  | { kind: 'saved' }
  | { kind: 'unknown_service' }
  | { kind: 'unknown_supplier' }
  | { kind: 'repeated'; supplierCode: string; sku: string }
  | { kind: 'unfit'; index: number; field: string; message: string };

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
    const outcome = await inTransaction(deps.db, async (tx): Promise<SetRoutesOutcome> => {
      const needsZone = await findNeedOfZone(tx, serviceCode);
      if (needsZone === null) return { kind: 'unknown_service' };
      const unfit = findUnfit(deps.registry, routes, needsZone);
      if (unfit) return unfit;
      // Two lists at once would be one after the other, each with what was before it.
      await lockTopic(tx, 'suppliers');
      const before = await listRoutesOf(tx, serviceCode);
      await replaceRoutes(tx, new Map([[serviceCode, routes]]));
      await bumpRevision(tx, 'suppliers');
      const details = { before: detailsOf(before), after: detailsOf(routes) };
      await recordAction(tx, deps.clock, actor, { action: 'route.set', subject: serviceCode, details });
      return { kind: 'saved' };
    });
    if (outcome.kind === 'saved') await deps.revisions.check();
    return outcome;
  } catch (error) {
    if (isForeignKeyViolation(error, 'routes_supplier')) return { kind: 'unknown_supplier' };
    throw error;
  }
}

/** The first route that the supplier would misunderstand. */
function findUnfit(registry: SupplierRegistry, routes: Route[], needsZone: boolean): SetRoutesOutcome | null {
  for (const [index, route] of routes.entries()) {
    const fault = findFault(registry, route, needsZone);
    if (fault) return { kind: 'unfit', index, ...fault };
  }
  return null;
}

/** Why the supplier would misunderstand a route; null: it would not, or there is none whom to ask. */
export function findFault(
  registry: SupplierRegistry,
  route: Route,
  needsZone: boolean,
): { field: string; message: string } | null {
  if (!registry.codes().includes(route.supplierCode)) return null;
  const { kind, settings } = registry.connection(route.supplierCode);
  return checkRoute(route, { kind, standardTemplate: settings.accountTemplate, needsZone });
}

/** Routes as the audit log keeps them. */
export function detailsOf(routes: readonly Route[]): Record<string, unknown>[] {
  return routes.map(toDetails);
}

function toDetails({ supplierCode, sku, cost, accountTemplate, oncePerDay, cutOff }: Route): Record<string, unknown> {
  return describe({ supplier: supplierCode, sku, cost, accountTemplate, oncePerDay, cutOff });
}
