import { isDeepStrictEqual } from 'node:util';
import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock } from '../lib/clock.ts';
import type { SupplierService, UnreadItem } from '../suppliers/index.ts';
import { divideList } from './divide-list.ts';
import { doubtList, type Item } from './price-list.ts';
import { claimReading, findList, listItems, releaseReading, saveItems, saveReadAt } from './store.ts';

export interface ReadDeps {
  db: Db;
  clock: Clock;
  registry: SupplierRegistry;
}

export type ReadOutcome =
  | { kind: 'read'; readAt: Date; listed: SupplierService[]; unread: UnreadItem[] }
  /** Read, but not believed: what is stored stays as it was. */
  | { kind: 'doubtful'; reason: string; listed: SupplierService[]; unread: UnreadItem[] }
  | { kind: 'too_early'; nextAt: Date }
  | { kind: 'unknown'; reason: string }
  /** Nothing was asked, so it may be tried again at once. */
  | { kind: 'not_asked'; reason: string }
  | { kind: 'no_routes' }
  | { kind: 'not_supported' };

/** Some milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const WRITE_BATCH = 500;
const MAX_ITEMS = 50_000;

/**
 * Reads a supplier's price list and stores it, with the history of its prices. No more often than the supplier allows, whoever
 * asks and in however many processes. `wanted` are the items of all our routes, `inUse` of those that are not out of choice already;
 * `believesAnything` is an operator's word that a list which has lost most of these is right.
 */
export async function readList(
  deps: ReadDeps,
  supplierCode: string,
  { wanted, inUse, believesAnything }: { wanted: string[]; inUse: string[]; believesAnything: boolean },
): Promise<ReadOutcome> {
  const { db, clock } = deps;
  const connection = deps.registry.connection(supplierCode);
  if (!connection.kind.capabilities.priceList) return { kind: 'not_supported' };
  if (connection.kind.listsByRoute && wanted.length === 0) return { kind: 'no_routes' };
  const everyMs = connection.settings.limits.priceListEveryMs;
  const askedAt = clock.now();
  if (!(await claimReading(db, supplierCode, askedAt, everyMs))) {
    const { askedAt: before } = await findList(db, supplierCode);
    return { kind: 'too_early', nextAt: after(before ?? askedAt, everyMs) };
  }
  const answer = await connection.listServices(wanted);
  if (answer.kind === 'not_asked') await releaseReading(db, supplierCode, askedAt);
  if (answer.kind !== 'known') return answer;
  const { listed, unread } = divideList(answer.services);
  if (listed.length > MAX_ITEMS)
    return { kind: 'doubtful', reason: `The list has more than ${MAX_ITEMS} items.`, listed, unread };
  const doubt = doubtList(new Set(listed.map(({ sku }) => sku)), inUse);
  if (doubt !== null && !believesAnything) return { kind: 'doubtful', reason: doubt, listed, unread };
  const readAt = clock.now();
  await storeList(deps, supplierCode, listed, readAt);
  return { kind: 'read', readAt, listed, unread };
}

/** Only what changed is written: most readings change little. */
async function storeList({ db }: ReadDeps, supplierCode: string, listed: SupplierService[], readAt: Date): Promise<void> {
  const known = await listItems(db, supplierCode);
  const current = new Map(listed.map((service) => [service.sku, toItem(service, known.get(service.sku), readAt)]));
  const gone = [...known.values()]
    .filter(({ sku, goneAt }) => goneAt === null && !current.has(sku))
    .map((item) => ({ ...item, goneAt: readAt }));
  const changed = [...current.values(), ...gone].filter((item) => !isDeepStrictEqual(item, known.get(item.sku)));
  for (let start = 0; start < changed.length; start += WRITE_BATCH) {
    const batch = changed.slice(start, start + WRITE_BATCH);
    const repriced = batch.filter(({ sku, cost }) => known.get(sku)?.cost !== cost);
    await inTransaction(db, (tx) => saveItems(tx, supplierCode, batch, repriced, readAt));
  }
  await saveReadAt(db, supplierCode, readAt);
}

function toItem(service: SupplierService, known: Item | undefined, readAt: Date): Item {
  return {
    sku: service.sku,
    name: service.name,
    cost: service.cost,
    available: service.available,
    cutOff: service.cutOff === null ? 'none' : (service.cutOff ?? null),
    oncePerDay: service.oncePerDay ?? null,
    firstSeenAt: known?.firstSeenAt ?? readAt,
    goneAt: null,
  };
}
