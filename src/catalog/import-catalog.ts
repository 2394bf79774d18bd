import { isDeepStrictEqual } from 'node:util';
import { bumpRevision, lockTopic } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { CsvIssue } from '../lib/csv-records.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Product, Service } from './catalog.ts';
import { type CatalogItem, readCatalogCsv } from './csv.ts';
import type { EditDeps } from './edit-catalog.ts';
import { tellingChanges } from './service-changes.ts';
import { listProducts, listServices, saveProducts, saveServices } from './store.ts';

export interface ImportSummary {
  newProducts: string[];
  changedProducts: string[];
  newServices: string[];
  changedServices: { code: string; priceBefore: bigint; price: bigint }[];
  unchangedServices: number;
  /** Services whose price is below their cost: allowed, but worth a look. */
  belowCost: string[];
}

/** How many of what was changed the audit log names; the others are counted. */
const MAX_NAMED = 200;

export type ImportOutcome = { kind: 'imported' | 'dry_run'; summary: ImportSummary } | { kind: 'invalid'; issues: CsvIssue[] };

/**
 * Brings products and services from a CSV file into the catalogue: new ones are added, known ones brought up to date, what
 * the file does not name stays as it is. A dry run tells the same and changes nothing.
 */
export async function importCatalog(
  deps: EditDeps,
  actor: Actor,
  request: { csv: string; dryRun: boolean },
): Promise<ImportOutcome> {
  const file = readCatalogCsv(request.csv);
  if (file.kind === 'invalid') return file;
  const summary = await inTransaction(deps.db, async (tx) => {
    if (!request.dryRun) await lockTopic(tx, 'catalog');
    const plan = planImport(file.items, await listProducts(tx), await listServices(tx), deps.clock.now());
    if (request.dryRun) return plan.summary;
    await tellingChanges(tx, deps, async () => {
      await saveProducts(tx, plan.products);
      await saveServices(tx, plan.services);
      await deps.onStatesSet(tx, plan.statesSet);
    });
    await bumpRevision(tx, 'catalog');
    const details = {
      products: plan.products.length,
      services: plan.services.length,
      changed: [...plan.products, ...plan.services].slice(0, MAX_NAMED).map(({ code }) => code),
    };
    await recordAction(tx, deps.clock, actor, { action: 'catalog.import', subject: 'catalog', details });
    return plan.summary;
  });
  if (request.dryRun) return { kind: 'dry_run', summary };
  await deps.revisions.check();
  return { kind: 'imported', summary };
}

/** Compares the file with what is stored and decides what has to be written. */
function planImport(
  items: CatalogItem[],
  products: Product[],
  services: Service[],
  now: Date,
): { products: Product[]; services: Service[]; statesSet: string[]; summary: ImportSummary } {
  const knownProducts = new Map(products.map((product) => [product.code, product]));
  const knownServices = new Map(services.map((service) => [service.code, service]));
  const plan = { products: [] as Product[], services: [] as Service[], statesSet: [] as string[] };
  const summary: ImportSummary = {
    newProducts: [],
    changedProducts: [],
    newServices: [],
    changedServices: [],
    unchangedServices: 0,
    belowCost: [],
  };

  for (const { services: rows, ...item } of items) {
    const known = knownProducts.get(item.code);
    const product: Product = {
      ...item,
      status: known?.status ?? 'Available',
      createdAt: known?.createdAt ?? now,
      updatedAt: now,
    };
    if (!known) summary.newProducts.push(item.code);
    else if (isChanged(known, product)) summary.changedProducts.push(item.code);
    if (!known || isChanged(known, product)) plan.products.push(product);

    for (const row of rows) {
      const before = knownServices.get(row.code);
      const service: Service = { ...row, createdAt: before?.createdAt ?? now, updatedAt: now };
      if (service.price < service.cost) summary.belowCost.push(service.code);
      if (before && !isChanged(before, service)) {
        summary.unchangedServices += 1;
        continue;
      }
      plan.services.push(service);
      if (before && before.status !== service.status) plan.statesSet.push(service.code);
      if (before) summary.changedServices.push({ code: service.code, priceBefore: before.price, price: service.price });
      else summary.newServices.push(service.code);
    }
  }
  return { ...plan, summary };
}

function isChanged<Item extends { updatedAt: Date }>(before: Item, after: Item): boolean {
  return !isDeepStrictEqual({ ...before, updatedAt: after.updatedAt }, after);
}
