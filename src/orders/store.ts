import { type Selectable, sql } from 'kysely';
import type { Db, ReadDb, Tx } from '../db/database.ts';
import type { OrdersTable } from '../db/tables.ts';
import { later, type Reading, reading } from '../db/transaction.ts';
import type { Mode } from '../lib/mode.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { Order, OrderState } from './order.ts';

/** What names an order from outside: the account and either the client's reference or our id. */
export type OrderKey = { accountId: string } & ({ refId: string } | { id: string });

export async function findOrder(db: Db, key: OrderKey): Promise<Order | null> {
  let query = db.selectFrom('orders').selectAll().where('account_id', '=', key.accountId);
  query = 'refId' in key ? query.where('ref_id', '=', key.refId) : query.where('id', '=', key.id);
  const row = await query.executeTakeFirst();
  return row ? toOrder(row) : null;
}

/** For operators, who know an order by its id alone. */
export async function findOrderById(db: Db, id: string): Promise<Order | null> {
  const row = await db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toOrder(row) : null;
}

/** The orders that exist under these references. Read after the accounts are locked, so none can appear in between. */
export function findingByReferences(references: { accountId: string; refId: string }[]): Reading<Order[]> {
  const keys = references.map(({ accountId, refId }) => ({ account_id: accountId, ref_id: refId }));
  const query = sql<Selectable<OrdersTable>>`
    select earlier.*
    from (select distinct account_id, ref_id
          from json_to_recordset(${JSON.stringify(keys)}::json) as row (account_id uuid, ref_id text)) as key
    cross join lateral (select * from orders where account_id = key.account_id and ref_id = key.ref_id limit 1) as earlier`;
  return reading(query, (rows) => rows.map(toOrder));
}

/** Writes new orders. Their debits are written in the same transaction, before or after: the link is checked at commit. */
export async function insertOrders(tx: Tx, orders: Order[]): Promise<void> {
  if (orders.length === 0) return;
  const rows = orders.map((order) => ({
    account_id: order.accountId,
    id: order.id,
    mode: order.mode,
    ref_id: order.refId,
    product_code: order.productCode,
    service_code: order.serviceCode,
    service_name: order.serviceName,
    user_id: order.userId,
    zone: order.zone,
    nickname: order.nickname,
    price: String(order.price),
    max_price: order.maxPrice === null ? null : String(order.maxPrice),
    supplier_code: order.supplierCode,
    next_action_at: order.nextActionAt,
    lease: order.lease,
    debit_seq: String(order.debitSeq),
    created_at: order.createdAt,
  }));
  await later(
    tx,
    sql`
    insert into orders (account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price,
                        max_price, state, supplier_code, next_action_at, lease, debit_seq, created_at, updated_at)
    select account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price, max_price,
           'Process', supplier_code, next_action_at, lease, debit_seq, created_at, created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      account_id uuid, id uuid, mode text, ref_id text, product_code text, service_code text, service_name text, user_id text,
      zone text, nickname text, price bigint, max_price bigint, supplier_code text, next_action_at timestamptz, lease uuid,
      debit_seq bigint, created_at timestamptz)`,
  );
}

/**
 * Takes due orders of one supplier: the lease is written and the next action moved to its end, so a worker that dies loses
 * them by itself. Orders that another worker is taking at this moment are skipped, not waited for.
 */
export async function claimDueOrders(
  tx: Tx,
  claim: { supplierCode: string; now: Date; leaseUntil: Date; lease: string; limit: number },
): Promise<Order[]> {
  const { rows } = await sql<Selectable<OrdersTable>>`
    with due as (
      select account_id, id from orders
      where supplier_code = ${claim.supplierCode} and next_action_at <= ${claim.now}
      order by next_action_at
      limit ${claim.limit}
      for no key update skip locked
    )
    update orders set next_action_at = ${claim.leaseUntil}, lease = ${claim.lease}
    from due
    where orders.account_id = due.account_id and orders.id = due.id
    returning orders.*`.execute(tx);
  return rows.map(toOrder);
}

/** When the next order of the supplier is due, or null when none is waiting. */
export async function findNextDue(db: Db, supplierCode: string): Promise<Date | null> {
  const { rows } = await sql<{ next: Date }>`
    select next_action_at as next from orders
    where supplier_code = ${supplierCode} and next_action_at is not null
    order by next_action_at limit 1`.execute(db);
  return rows[0]?.next ?? null;
}

/** Makes every held order due at once. Only for a process that is alone, at its start: whoever held them is gone. */
export async function releaseLeases(db: Db, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update orders set next_action_at = ${now}, lease = null where next_action_at is not null and lease is not null`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Locks orders, always in the same sequence, and reads them as they are now. */
export function lockingOrders(keys: { accountId: string; id: string }[]): Reading<Order[]> {
  const rows = keys.map(({ accountId, id }) => ({ account_id: accountId, id }));
  const query = sql<Selectable<OrdersTable>>`
    select orders.*
    from (select distinct account_id, id
          from json_to_recordset(${JSON.stringify(rows)}::json) as row (account_id uuid, id uuid)
          order by account_id, id) as key
    cross join lateral (
      select * from orders where account_id = key.account_id and id = key.id for no key update) as orders`;
  return reading(query, (locked) => locked.map(toOrder));
}

/** Writes what may change about orders; what was sold and paid is not among it, and a trigger would refuse it. */
export async function updateOrders(tx: Tx, orders: Order[]): Promise<void> {
  if (orders.length === 0) return;
  const rows = orders.map((order) => ({
    account_id: order.accountId,
    id: order.id,
    state: order.state,
    serial_number: order.serialNumber,
    failure_code: order.failure?.code ?? null,
    failure_message: order.failure?.message ?? null,
    failure_fixable: order.failure?.fixableByPlayer ?? null,
    supplier_code: order.supplierCode,
    next_action_at: order.nextActionAt,
    lease: order.lease,
    review_since: order.review?.since ?? null,
    review_reason: order.review?.reason ?? null,
    resolved_by: order.resolvedBy,
    refund_seq: order.refundSeq === null ? null : String(order.refundSeq),
    updated_at: order.updatedAt,
  }));
  await later(
    tx,
    sql`
    update orders set state = row.state, serial_number = row.serial_number, failure_code = row.failure_code,
      failure_message = row.failure_message, failure_fixable = row.failure_fixable, supplier_code = row.supplier_code,
      next_action_at = row.next_action_at, lease = row.lease, review_since = row.review_since,
      review_reason = row.review_reason, resolved_by = row.resolved_by, refund_seq = row.refund_seq, updated_at = row.updated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      account_id uuid, id uuid, state text, serial_number text, failure_code text, failure_message text, failure_fixable boolean,
      supplier_code text, next_action_at timestamptz, lease uuid, review_since timestamptz, review_reason text,
      resolved_by text, refund_seq bigint, updated_at timestamptz)
    where orders.account_id = row.account_id and orders.id = row.id`,
  );
}

export interface OrderFilter {
  accountId?: string | undefined;
  resellerId?: string | undefined;
  mode?: Mode | undefined;
  state?: OrderState | undefined;
  productCode?: string | undefined;
  refId?: string | undefined;
  supplierCode?: string | undefined;
  /** Only orders that wait for an operator. */
  inReview?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Continue after this order, towards older ones. */
  cursor?: string | undefined;
  limit: number;
}

/** Orders, newest first: their ids are in the order of their creation. */
export async function listOrders(db: ReadDb, filter: OrderFilter): Promise<Page<Order>> {
  let query = db
    .selectFrom('orders')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
  if (filter.accountId) query = query.where('account_id', '=', filter.accountId);
  if (filter.resellerId) {
    const { resellerId } = filter;
    query = query.where('account_id', 'in', (accounts) =>
      accounts.selectFrom('accounts').select('id').where('reseller_id', '=', resellerId),
    );
  }
  if (filter.mode) query = query.where('mode', '=', filter.mode);
  if (filter.state) query = query.where('state', '=', filter.state);
  if (filter.productCode) query = query.where('product_code', '=', filter.productCode);
  if (filter.refId) query = query.where('ref_id', '=', filter.refId);
  if (filter.supplierCode) query = query.where('supplier_code', '=', filter.supplierCode);
  if (filter.inReview) query = query.where('review_since', 'is not', null);
  if (filter.from) query = query.where('created_at', '>=', filter.from);
  if (filter.to) query = query.where('created_at', '<', filter.to);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  const rows = await query.execute();
  return toPage(rows.map(toOrder), filter.limit, (order) => order.id);
}

/** Orders in review, longest waiting first. The cursor is the moment and the id of the last one seen. */
export async function listReviews(
  db: Db,
  filter: { supplier?: string | undefined; mode?: Mode | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<Order>> {
  let query = db
    .selectFrom('orders')
    .selectAll()
    .where('review_since', 'is not', null)
    .orderBy('review_since')
    .orderBy('id')
    .limit(filter.limit + 1);
  if (filter.supplier) query = query.where('supplier_code', '=', filter.supplier);
  if (filter.mode) query = query.where('mode', '=', filter.mode);
  if (filter.cursor) {
    const [since = '', id = ''] = filter.cursor.split(' ');
    query = query.where(sql<boolean>`(review_since, id) > (${new Date(since)}::timestamptz, ${id}::uuid)`);
  }
  const rows = await query.execute();
  return toPage(rows.map(toOrder), filter.limit, ({ id, review }) => `${review?.since.toISOString()} ${id}`);
}

function toOrder(row: Selectable<OrdersTable>): Order {
  const { failure_code: code, failure_message: message, failure_fixable: fixableByPlayer } = row;
  return {
    accountId: row.account_id,
    id: row.id,
    mode: row.mode,
    refId: row.ref_id,
    productCode: row.product_code,
    serviceCode: row.service_code,
    serviceName: row.service_name,
    userId: row.user_id,
    zone: row.zone,
    nickname: row.nickname,
    price: row.price,
    maxPrice: row.max_price,
    state: row.state,
    serialNumber: row.serial_number,
    failure: code === null || message === null || fixableByPlayer === null ? null : { code, message, fixableByPlayer },
    supplierCode: row.supplier_code,
    nextActionAt: row.next_action_at,
    lease: row.lease,
    review:
      row.review_since === null || row.review_reason === null ? null : { since: row.review_since, reason: row.review_reason },
    resolvedBy: row.resolved_by,
    debitSeq: row.debit_seq,
    refundSeq: row.refund_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
