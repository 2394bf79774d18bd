import { isDeepStrictEqual } from 'node:util';
import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { bumpRevision, lockTopic } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { type CsvIssue, MAX_ISSUES } from '../lib/csv-records.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { OfferedRoute, Route } from './route.ts';
import { type FileRoute, readRouteCsv } from './route-csv.ts';
import { detailsOf, findFault, type SetRoutesDeps } from './set-routes.ts';
import { listNeedsOfZone, listRoutes, listSupplierCodes, replaceRoutes } from './store.ts';

export interface RouteImportSummary {
  /** How many routes the file has. */
  routes: number;
  /** Services that had no route before. */
  newServices: string[];
  changedServices: string[];
  unchangedServices: number;
  /** What speaks against routes in their suppliers' price lists. */
  warnings: CsvIssue[];
}

export type RouteImportOutcome =
  | { kind: 'imported' | 'dry_run'; summary: RouteImportSummary }
  | { kind: 'invalid'; issues: CsvIssue[] };

export interface ImportRoutesDeps extends SetRoutesDeps {
  warnOfRoutes: (routes: readonly Route[]) => Promise<(string | null)[]>;
}

/**
 * Sets the routes of all services that a file names, each to what the file has of it; other services keep theirs. All or nothing. A
 * dry run tells the same and changes nothing.
 */
export async function importRoutes(
  deps: ImportRoutesDeps,
  actor: Actor,
  request: { csv: string; dryRun: boolean },
): Promise<RouteImportOutcome> {
  const file = readRouteCsv(request.csv);
  if (file.kind === 'invalid') return file;
  const { services } = file;
  const outcome = await inTransaction(deps.db, async (tx) => {
    const issues = await findFaults(tx, deps.registry, services);
    if (issues.length > 0) return { kind: 'invalid' as const, issues };
    await lockTopic(tx, 'suppliers');
    const before = await listRoutes(tx);
    const changed = new Map([...services].filter(([code, routes]) => !isSame(before.get(code) ?? [], routes)));
    if (!request.dryRun && changed.size > 0) {
      await replaceRoutes(tx, changed);
      await bumpRevision(tx, 'suppliers');
      // As if each had been set by hand, so that the log of a service has them.
      for (const [code, routes] of changed) {
        const details = { before: detailsOf(before.get(code) ?? []), after: detailsOf(routes) };
        await recordAction(tx, deps.clock, actor, { action: 'route.set', subject: code, details });
      }
      const details = { services: changed.size, routes: countRoutes(changed) };
      await recordAction(tx, deps.clock, actor, { action: 'route.import', subject: 'routes', details });
    }
    const codes = [...changed.keys()];
    return {
      kind: 'planned' as const,
      newServices: codes.filter((code) => !before.has(code)),
      changedServices: codes.filter((code) => before.has(code)),
      unchangedServices: services.size - changed.size,
    };
  });
  if (outcome.kind === 'invalid') return outcome;
  if (!request.dryRun) await deps.revisions.check();
  const { kind: _planned, ...counts } = outcome;
  const summary = { ...counts, routes: countRoutes(services), warnings: await warn(deps, [...services.values()].flat()) };
  return { kind: request.dryRun ? 'dry_run' : 'imported', summary };
}

/** Lines that name a service or a supplier that does not exist, or what the supplier would misunderstand. */
async function findFaults(db: Db, registry: SupplierRegistry, services: ReadonlyMap<string, FileRoute[]>): Promise<CsvIssue[]> {
  const needsZone = await listNeedsOfZone(db);
  const supplierCodes = new Set(await listSupplierCodes(db));
  const issues = [...services].flatMap(([code, routes]) => {
    const needs = needsZone.get(code);
    if (needs === undefined) return routes.map(({ line }) => ({ line, message: `There is no service ${code}.` }));
    return routes.flatMap((route) => {
      const { line, supplierCode } = route;
      if (!supplierCodes.has(supplierCode)) return [{ line, message: `There is no supplier ${supplierCode}.` }];
      const fault = findFault(registry, route, needs);
      return fault === null ? [] : [{ line, message: fault.message }];
    });
  });
  return issues.toSorted((a, b) => a.line - b.line).slice(0, MAX_ISSUES);
}

async function warn(deps: ImportRoutesDeps, routes: FileRoute[]): Promise<CsvIssue[]> {
  const warnings = await deps.warnOfRoutes(routes);
  return routes
    .flatMap(({ line }, index) => {
      const message = warnings[index] ?? null;
      return message === null ? [] : [{ line, message }];
    })
    .toSorted((a, b) => a.line - b.line);
}

function isSame(before: OfferedRoute[], after: FileRoute[]): boolean {
  return isDeepStrictEqual(
    before.map(({ isAvailable: _, ...route }) => route),
    after.map(({ line: _, ...route }) => route),
  );
}

function countRoutes(services: ReadonlyMap<string, Route[]>): number {
  return [...services.values()].reduce((total, { length }) => total + length, 0);
}
