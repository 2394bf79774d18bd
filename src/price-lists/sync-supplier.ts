import { changeServices, loadCatalog, lockCatalog, type TellingDeps } from '../catalog/index.ts';
import type { Tx } from '../db/database.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Log } from '../lib/log.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import { listRoutes, loadRouting, type OfferedRoute, setClosedByList, updateRouteTerms } from '../routing/index.ts';
import type { SupplierService, UnreadItem } from '../suppliers/index.ts';
import { type ReportView, reportView } from './contract.ts';
import { type ListPlan, planList, type Rule } from './price-list.ts';
import { type ReadDeps, readList } from './read-list.ts';
import { findList, listItems, saveResult } from './store.ts';

const MAX_LOGGED = 20;

export interface SyncDeps extends ReadDeps, TellingDeps {
  log: Log;
  revisions: RevisionWatch;
}

export interface SyncRequest {
  supplierCode: string;
  rule: Rule;
  /** Compare and change nothing. */
  dryRun: boolean;
  /** Believe a list that has lost most of the items in use, and costs that are far from what they were. */
  force: boolean;
}

export type SyncOutcome =
  | { kind: 'done'; report: ReportView; listed: SupplierService[]; unread: UnreadItem[] }
  | { kind: 'too_early'; nextAt: Date }
  | { kind: 'unknown' | 'not_asked'; reason: string }
  | { kind: 'no_routes' }
  | { kind: 'not_supported' };

/** How many of what was changed the audit log names; the others are counted. */
const MAX_NAMED = 200;

/**
 * Reads a supplier's price list, says how it differs from our routes, and applies it by a rule. What was read for a dry run is
 * applied without asking the supplier again, as long as it is too early for that.
 */
export async function syncSupplier(deps: SyncDeps, actor: Actor, request: SyncRequest): Promise<SyncOutcome> {
  const { supplierCode, rule, dryRun } = request;
  const skus = await listSkus(deps, supplierCode);
  const read = await readList(deps, supplierCode, { ...skus, believesAnything: request.force });
  if ('unread' in read && read.unread.length > 0)
    deps.log.warn(
      { supplier: supplierCode, unread: read.unread.slice(0, MAX_LOGGED), count: read.unread.length },
      'Parts of a price list could not be read and are left out.',
    );
  switch (read.kind) {
    case 'not_supported':
    case 'no_routes':
      return read;
    case 'not_asked':
    case 'unknown':
      await keep(deps, supplierCode, reportView({ outcome: 'failed', message: read.reason, rule }, deps.view));
      return read;
    case 'doubtful':
      deps.log.warn({ supplier: supplierCode, reason: read.reason }, 'A price list is not believed and was not applied.');
      return {
        kind: 'done',
        listed: read.listed,
        unread: read.unread,
        report: await keep(deps, supplierCode, reportView({ outcome: 'refused', message: read.reason, rule }, deps.view)),
      };
    case 'too_early': {
      const { readAt, askedAt } = await findList(deps.db, supplierCode);
      const isFresh = readAt !== null && askedAt !== null && readAt >= askedAt;
      return dryRun || !isFresh
        ? read
        : { kind: 'done', listed: [], unread: [], report: await apply(deps, actor, request, readAt) };
    }
    default: {
      const report = dryRun ? await compare(deps, request, read.readAt) : await apply(deps, actor, request, read.readAt);
      return { kind: 'done', report, listed: read.listed, unread: read.unread };
    }
  }
}

async function compare(deps: SyncDeps, request: SyncRequest, readAt: Date): Promise<ReportView> {
  const { supplierCode, rule } = request;
  const plan = await inTransaction(deps.db, (tx) => loadPlan(tx, request, readAt));
  const message = 'Compared; nothing was changed.';
  return keep(deps, supplierCode, reportView({ outcome: 'compared', message, rule, readAt, plan }, deps.view));
}

async function apply(deps: SyncDeps, actor: Actor, request: SyncRequest, readAt: Date): Promise<ReportView> {
  const { supplierCode, rule } = request;
  const now = deps.clock.now();
  const plan = await inTransaction(deps.db, async (tx) => {
    await lockCatalog(tx);
    const decided = await loadPlan(tx, request, readAt);
    await updateRouteTerms(tx, decided.terms, now);
    for (const serviceCode of decided.closed) await setClosedByList(tx, serviceCode, true, now);
    for (const serviceCode of decided.opened) await setClosedByList(tx, serviceCode, false, now);
    await changeServices(tx, deps, decided.services);
    const routes = decided.terms.length;
    const services = decided.services.length;
    if (routes + services === 0) return decided;
    await bumpRevision(tx, 'suppliers');
    const details = {
      rule,
      routes,
      services,
      changed_routes: decided.terms.slice(0, MAX_NAMED).map(({ serviceCode, sku }) => `${serviceCode} ${sku}`),
      changed_services: decided.services.slice(0, MAX_NAMED).map(({ code }) => code),
    };
    await recordAction(tx, deps.clock, actor, { action: 'supplier.sync', subject: supplierCode, details });
    return decided;
  });
  await deps.revisions.check();
  if (plan.heldBack.length > 0)
    deps.log.warn(
      { supplier: supplierCode, heldBack: plan.heldBack.length },
      'Costs of a price list are not believed and were not applied.',
    );
  const message = plan.terms.length + plan.services.length === 0 ? 'Applied; nothing had changed.' : 'Applied.';
  return keep(deps, supplierCode, reportView({ outcome: 'applied', message, rule, readAt, plan }, deps.view), now);
}

/** As the database has everything at this moment, so that what was changed meanwhile is not undone. */
async function loadPlan(tx: Tx, { supplierCode, rule, force }: SyncRequest, readAt: Date): Promise<ListPlan> {
  return planList({
    supplierCode,
    rule,
    believesAnything: force,
    readAt,
    items: await listItems(tx, supplierCode),
    routes: await listRoutes(tx),
    routing: await loadRouting(tx),
    catalog: await loadCatalog(tx, 0),
  });
}

async function keep(deps: SyncDeps, supplierCode: string, report: ReportView, appliedAt: Date | null = null) {
  await saveResult(deps.db, supplierCode, report, appliedAt);
  return report;
}

/** The items of our routes to the supplier, and those of them that are in choice. */
async function listSkus({ db }: SyncDeps, supplierCode: string): Promise<{ wanted: string[]; inUse: string[] }> {
  const routes = [...(await listRoutes(db)).values()].flat().filter((route) => route.supplierCode === supplierCode);
  const skusOf = (some: OfferedRoute[]) => [...new Set(some.map(({ sku }) => sku))];
  return { wanted: skusOf(routes), inUse: skusOf(routes.filter(({ isAvailable }) => isAvailable)) };
}
