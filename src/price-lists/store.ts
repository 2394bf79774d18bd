import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { after } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { Item, Rule } from './price-list.ts';

/** What is kept about the list of one supplier. */
export interface ListRecord {
  rule: Rule | 'off';
  askedAt: Date | null;
  readAt: Date | null;
  appliedAt: Date | null;
  /** As it was shown. */
  result: unknown;
}

const NO_RECORD: ListRecord = { rule: 'off', askedAt: null, readAt: null, appliedAt: null, result: null };

export async function findList(db: Db, supplierCode: string): Promise<ListRecord> {
  const row = await db.selectFrom('supplier_lists').selectAll().where('supplier_code', '=', supplierCode).executeTakeFirst();
  if (!row) return NO_RECORD;
  return { rule: row.rule, askedAt: row.asked_at, readAt: row.read_at, appliedAt: row.applied_at, result: row.result };
}

/** What came of each supplier's list last. */
export async function listReports(db: Db): Promise<{ supplierCode: string; isScheduled: boolean; result: unknown }[]> {
  const rows = await db.selectFrom('supplier_lists').select(['supplier_code', 'rule', 'result']).execute();
  return rows.map(({ supplier_code: supplierCode, rule, result }) => ({ supplierCode, isScheduled: rule !== 'off', result }));
}

/** Suppliers whose lists are read by the schedule. */
export async function listScheduled(db: Db): Promise<{ supplierCode: string; rule: Rule }[]> {
  const rows = await db
    .selectFrom('supplier_lists')
    .innerJoin('suppliers', 'suppliers.code', 'supplier_lists.supplier_code')
    .select(['supplier_code', 'rule'])
    .where('status', '=', 'Active')
    .orderBy('supplier_code')
    .execute();
  return rows.flatMap(({ supplier_code: supplierCode, rule }) => (rule === 'off' ? [] : [{ supplierCode, rule }]));
}

export async function saveRule(tx: Tx, supplierCode: string, rule: Rule | 'off'): Promise<void> {
  await tx
    .insertInto('supplier_lists')
    .values({ supplier_code: supplierCode, rule })
    .onConflict((conflict) => conflict.column('supplier_code').doUpdateSet({ rule }))
    .execute();
}

/**
 * Takes the right to ask the supplier for its list now, unless it was asked less than `everyMs` ago by whomever. What was asked
 * before the supplier was set up as it is now does not count.
 */
export async function claimReading(db: Db, supplierCode: string, now: Date, everyMs: number): Promise<boolean> {
  const { rows } = await sql`
    insert into supplier_lists (supplier_code, rule, asked_at) values (${supplierCode}, 'off', ${now})
    on conflict (supplier_code) do update set asked_at = excluded.asked_at
    where supplier_lists.asked_at is null or supplier_lists.asked_at <= ${after(now, -everyMs)}
      or supplier_lists.asked_at < (select updated_at from suppliers where code = excluded.supplier_code)
    returning supplier_code`.execute(db);
  return rows.length > 0;
}

/** Gives the right back that was taken at `askedAt`, as nothing was asked. */
export async function releaseReading(db: Db, supplierCode: string, askedAt: Date): Promise<void> {
  await db
    .updateTable('supplier_lists')
    .set({ asked_at: null })
    .where('supplier_code', '=', supplierCode)
    .where('asked_at', '=', askedAt)
    .execute();
}

export async function saveReadAt(db: Db, supplierCode: string, readAt: Date): Promise<void> {
  await db.updateTable('supplier_lists').set({ read_at: readAt }).where('supplier_code', '=', supplierCode).execute();
}

export async function saveResult(db: Db, supplierCode: string, result: unknown, appliedAt: Date | null): Promise<void> {
  await db
    .updateTable('supplier_lists')
    .set({ result: JSON.stringify(result), ...(appliedAt && { applied_at: appliedAt }) })
    .where('supplier_code', '=', supplierCode)
    .execute();
}

export async function listItems(db: Db, supplierCode: string): Promise<Map<string, Item>> {
  const rows = await db.selectFrom('supplier_items').selectAll().where('supplier_code', '=', supplierCode).execute();
  return new Map(
    rows.map((row) => [
      row.sku,
      {
        sku: row.sku,
        name: row.name,
        cost: row.cost,
        available: row.available,
        cutOff: readCutOff(row.cut_off_start, row.cut_off_end),
        oncePerDay: row.once_per_day,
        firstSeenAt: row.first_seen_at,
        goneAt: row.gone_at,
      },
    ]),
  );
}

/** A cut-off that begins when it ends is none, and stands for the list's word that there is none. */
const NO_CUT_OFF = '00:00';

function readCutOff(start: string | null, end: string | null): Item['cutOff'] {
  if (start === null || end === null) return null;
  return start === end ? 'none' : { start, end };
}

function writeCutOff(cutOff: Item['cutOff']): { cut_off_start: string | null; cut_off_end: string | null } {
  if (cutOff === 'none') return { cut_off_start: NO_CUT_OFF, cut_off_end: NO_CUT_OFF };
  return { cut_off_start: cutOff?.start ?? null, cut_off_end: cutOff?.end ?? null };
}

/** Writes items as they are now; those whose cost is new get an entry in the history of prices. */
export async function saveItems(tx: Tx, supplierCode: string, items: Item[], repriced: Item[], at: Date): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map((item) => ({
    sku: item.sku,
    name: item.name,
    cost: String(item.cost),
    available: item.available,
    ...writeCutOff(item.cutOff),
    once_per_day: item.oncePerDay,
    first_seen_at: item.firstSeenAt,
    gone_at: item.goneAt,
  }));
  await sql`
    insert into supplier_items (supplier_code, sku, name, cost, available, cut_off_start, cut_off_end, once_per_day,
                                first_seen_at, gone_at)
    select ${supplierCode}::text, * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      sku text, name text, cost bigint, available boolean, cut_off_start text, cut_off_end text, once_per_day boolean,
      first_seen_at timestamptz, gone_at timestamptz)
    order by sku
    on conflict (supplier_code, sku) do update set name = excluded.name, cost = excluded.cost, available = excluded.available,
      cut_off_start = excluded.cut_off_start, cut_off_end = excluded.cut_off_end, once_per_day = excluded.once_per_day,
      gone_at = excluded.gone_at`.execute(tx);
  if (repriced.length === 0) return;
  await tx
    .insertInto('supplier_item_prices')
    .values(repriced.map(({ sku, cost }) => ({ supplier_code: supplierCode, sku, at, cost })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What an item cost, newest first. */
export async function listPrices(
  db: Db,
  supplierCode: string,
  sku: string,
  limit: number,
): Promise<{ at: Date; cost: Amount }[]> {
  return db
    .selectFrom('supplier_item_prices')
    .select(['at', 'cost'])
    .where('supplier_code', '=', supplierCode)
    .where('sku', '=', sku)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
}
