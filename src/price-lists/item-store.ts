import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Amount } from '../lib/money.ts';
import { type Page, toPage } from '../lib/page.ts';

/** An item of a supplier's list as it was last read, and what of ours it delivers. */
export interface FoundItem {
  sku: string;
  name: string;
  cost: Amount;
  available: boolean;
  firstSeenAt: Date;
  goneAt: Date | null;
  /** When the list was last read. */
  readAt: Date | null;
  serviceCodes: string[];
}

/** Items whose SKU or name has every one of the words, by SKU. */
export async function searchItems(
  db: Db,
  supplierCode: string,
  filter: { words: string[]; cursor?: string | undefined; limit: number },
): Promise<Page<FoundItem>> {
  let query = db
    .selectFrom('supplier_items as item')
    .innerJoin('supplier_lists as list', 'list.supplier_code', 'item.supplier_code')
    .select(['item.sku', 'item.name', 'item.cost', 'item.available', 'item.first_seen_at', 'item.gone_at', 'list.read_at'])
    .where('item.supplier_code', '=', supplierCode)
    .orderBy('item.sku')
    .limit(filter.limit + 1);
  for (const word of filter.words)
    query = query.where(sql<boolean>`position(lower(${word}) in lower(item.sku || ' ' || item.name)) > 0`);
  if (filter.cursor !== undefined) query = query.where('item.sku', '>', filter.cursor);
  const rows = await query.execute();
  const skus = rows.map(({ sku }) => sku);
  const services = skus.length === 0 ? new Map<string, string[]>() : await findServices(db, supplierCode, skus);
  const items = rows.map((row) => ({
    sku: row.sku,
    name: row.name,
    cost: row.cost,
    available: row.available && row.gone_at === null,
    firstSeenAt: row.first_seen_at,
    goneAt: row.gone_at,
    readAt: row.read_at,
    serviceCodes: services.get(row.sku) ?? [],
  }));
  return toPage(items, filter.limit, ({ sku }) => sku);
}

/** The services that routes to these items deliver. */
async function findServices(db: Db, supplierCode: string, skus: string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('routes')
    .select(['sku', 'service_code'])
    .where('supplier_code', '=', supplierCode)
    .where('sku', 'in', skus)
    .orderBy('service_code')
    .execute();
  return new Map([...Map.groupBy(rows, ({ sku }) => sku)].map(([sku, ofSku]) => [sku, ofSku.map((row) => row.service_code)]));
}

/** What lists say of an item, where one was ever read. */
export interface ListedItem {
  readAt: Date;
  /** Null: the list does not have it. */
  item: { cost: Amount; available: boolean } | null;
}

/** What the lists of these items' suppliers say of them; null for suppliers whose list was never read. */
export async function findListed(db: Db, wanted: { supplierCode: string; sku: string }[]): Promise<(ListedItem | null)[]> {
  const keys = wanted.map(({ supplierCode, sku }, position) => ({ position, supplier_code: supplierCode, sku }));
  const { rows } = await sql<{ position: number; read_at: Date; cost: Amount | null; is_available: boolean | null }>`
    select key.position, list.read_at, case when item.gone_at is null then item.cost end as cost, item.available as is_available
    from json_to_recordset(${JSON.stringify(keys)}::json) as key (position integer, supplier_code text, sku text)
    join supplier_lists as list on list.supplier_code = key.supplier_code and list.read_at is not null
    left join supplier_items as item on item.supplier_code = key.supplier_code and item.sku = key.sku`.execute(db);
  const found = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((_key, position) => {
    const row = found.get(position);
    if (row === undefined) return null;
    return { readAt: row.read_at, item: row.cost === null ? null : { cost: row.cost, available: row.is_available === true } };
  });
}
