import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { AttemptsTable } from '../db/tables.ts';
import { later, type Reading, reading, readOne } from '../db/transaction.ts';
import type { Attempt } from './order.ts';

/** The attempts of orders, each order's in sequence. */
export function findingAttempts(orders: { accountId: string; id: string }[]): Reading<Attempt[]> {
  const keys = orders.map(({ accountId, id }) => ({ account_id: accountId, order_id: id }));
  const query = sql<Selectable<AttemptsTable>>`
    select attempts.*
    from (select distinct account_id, order_id
          from json_to_recordset(${JSON.stringify(keys)}::json) as row (account_id uuid, order_id uuid)) as key
    cross join lateral (
      select * from attempts where account_id = key.account_id and order_id = key.order_id) as attempts
    order by account_id, order_id, number`;
  return reading(query, (rows) => rows.map(toAttempt));
}

export async function findAttempts(db: Db, orders: { accountId: string; id: string }[]): Promise<Attempt[]> {
  return orders.length === 0 ? [] : readOne(db, findingAttempts(orders));
}

/** The attempt at this supplier that it calls by this name; the latest, should it have used a name twice. */
export async function findAttemptBySupplierReference(
  db: Db,
  supplierCode: string,
  supplierReference: string,
): Promise<Attempt | null> {
  const row = await db
    .selectFrom('attempts')
    .selectAll()
    .where('supplier_code', '=', supplierCode)
    .where('supplier_reference', '=', supplierReference)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toAttempt(row) : null;
}

/** Attempts at these suppliers for these targets that are open, or were made since `since`. */
export async function findLimitedAttempts(
  db: Db,
  targets: { supplierCode: string; target: string }[],
  since: Date,
): Promise<Attempt[]> {
  const keys = targets.map(({ supplierCode, target }) => ({ supplier_code: supplierCode, target }));
  const { rows } = await sql<Selectable<AttemptsTable>>`
    select attempts.*
    from (select distinct supplier_code, target
          from json_to_recordset(${JSON.stringify(keys)}::json) as row (supplier_code text, target text)) as key
    cross join lateral (
      select * from attempts
      where supplier_code = key.supplier_code and limited_target = key.target
        and (created_at >= ${since} or state not in ('Rejected', 'Reversed', 'Delivered'))) as attempts`.execute(db);
  return rows.map(toAttempt);
}

/** Writes attempts, new ones and changes of known ones alike. What an attempt is for never changes after its first writing;
 * only the limit on its target ends with it. */
export async function saveAttempts(tx: Tx, attempts: Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map((attempt) => ({
    account_id: attempt.accountId,
    order_id: attempt.orderId,
    number: attempt.number,
    supplier_code: attempt.supplierCode,
    sku: attempt.sku,
    cost: String(attempt.cost),
    account_text: attempt.accountText,
    reference: attempt.reference,
    supplier_reference: attempt.supplierReference,
    charged: attempt.charged === null ? null : String(attempt.charged),
    limited_target: attempt.limitedTarget,
    state: attempt.state,
    sends: attempt.sends,
    checks: attempt.checks,
    under_way_at: attempt.underWayAt,
    unanswered_at: attempt.unansweredAt,
    is_partial: attempt.isPartial,
    code: attempt.code,
    message: attempt.message,
    serial_number: attempt.serialNumber,
    created_at: attempt.createdAt,
    updated_at: attempt.updatedAt,
  }));
  await later(
    tx,
    sql`
    insert into attempts (account_id, order_id, number, supplier_code, sku, cost, account_text, reference, supplier_reference,
                          charged, limited_target, state, sends, checks, under_way_at, unanswered_at, is_partial, code,
                          message, serial_number, created_at, updated_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      account_id uuid, order_id uuid, number integer, supplier_code text, sku text, cost bigint, account_text text,
      reference text, supplier_reference text, charged bigint, limited_target text, state text, sends integer,
      checks integer, under_way_at timestamptz, unanswered_at timestamptz, is_partial boolean, code text, message text,
      serial_number text, created_at timestamptz, updated_at timestamptz)
    on conflict (account_id, order_id, number) do update set state = excluded.state, sends = excluded.sends,
      supplier_reference = excluded.supplier_reference, charged = excluded.charged, checks = excluded.checks,
      under_way_at = excluded.under_way_at, unanswered_at = excluded.unanswered_at, is_partial = excluded.is_partial,
      limited_target = excluded.limited_target, code = excluded.code, message = excluded.message, serial_number = excluded.serial_number, updated_at = excluded.updated_at`,
  );
}

function toAttempt(row: Selectable<AttemptsTable>): Attempt {
  return {
    accountId: row.account_id,
    orderId: row.order_id,
    number: row.number,
    supplierCode: row.supplier_code,
    sku: row.sku,
    cost: row.cost,
    accountText: row.account_text,
    reference: row.reference,
    supplierReference: row.supplier_reference,
    charged: row.charged,
    limitedTarget: row.limited_target,
    state: row.state,
    sends: row.sends,
    checks: row.checks,
    underWayAt: row.under_way_at,
    unansweredAt: row.unanswered_at,
    isPartial: row.is_partial,
    code: row.code,
    message: row.message,
    serialNumber: row.serial_number,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
