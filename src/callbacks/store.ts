import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { SupplierCallbacksTable } from '../db/supplier-tables.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { Callback, CallbackState } from './callback.ts';

export interface NewCallback extends Omit<Callback, 'orderId' | 'seen' | 'createdAt' | 'lastSeenAt' | 'handledAt'> {
  day: number;
  digest: Uint8Array;
  at: Date;
}

/** Of messages that are no hints, so many of each supplier are kept: enough to see what somebody tries. */
const MAX_OTHERS = 200;

/**
 * Writes a message down; the same one again that day counts, and is worked off once more: suppliers repeat a state that an order
 * had before.
 */
export async function saveCallback(db: Db, callback: NewCallback): Promise<void> {
  await sql`
    insert into supplier_callbacks (id, supplier_code, day, digest, method, query, body, headers, remote_address, reading, reason,
                                    status, reference, supplier_reference, state, due_at, created_at, last_seen_at)
    values (${callback.id}, ${callback.supplierCode}, ${callback.day}, ${callback.digest}, ${callback.method}, ${callback.query},
            ${callback.body}, ${JSON.stringify(callback.headers)}, ${callback.remoteAddress}, ${callback.reading},
            ${callback.reason}, ${callback.status}, ${callback.reference}, ${callback.supplierReference}, ${callback.state},
            ${callback.state === 'Received' ? callback.at : null}, ${callback.at}, ${callback.at})
    on conflict (supplier_code, day, digest) do update set
      seen = supplier_callbacks.seen + 1, last_seen_at = excluded.last_seen_at, headers = excluded.headers,
      remote_address = excluded.remote_address, state = excluded.state, due_at = excluded.due_at`.execute(db);
  if (callback.reading !== 'hint') await dropOldOthers(db, callback.supplierCode);
}

async function dropOldOthers(db: Db, supplierCode: string): Promise<void> {
  await sql`
    delete from supplier_callbacks
    where supplier_code = ${supplierCode} and reading <> 'hint' and id < (
      select id from supplier_callbacks where supplier_code = ${supplierCode} and reading <> 'hint'
      order by id desc offset ${MAX_OTHERS - 1} limit 1)`.execute(db);
}

/** Takes the hint that waits longest, locked until the transaction ends; one that another worker has is skipped. */
export async function takeDueCallback(tx: Tx, now: Date): Promise<Callback | null> {
  const { rows } = await sql<Selectable<SupplierCallbacksTable>>`
    select * from supplier_callbacks where due_at <= ${now} order by due_at limit 1 for no key update skip locked`.execute(tx);
  return rows[0] ? toCallback(rows[0]) : null;
}

export async function markHandled(
  tx: Tx,
  id: string,
  result: { state: Exclude<CallbackState, 'Received'>; orderId: string | null; at: Date },
): Promise<void> {
  await tx
    .updateTable('supplier_callbacks')
    .set({ state: result.state, order_id: result.orderId, due_at: null, handled_at: result.at })
    .where('id', '=', id)
    .execute();
}

/** Has a hint that still waits looked at again then. */
export async function putOff(db: Db, id: string, until: Date): Promise<void> {
  await db
    .updateTable('supplier_callbacks')
    .set({ due_at: until })
    .where('id', '=', id)
    .where('state', '=', 'Received')
    .execute();
}

/** Locks a message. */
export async function lockCallback(tx: Tx, id: string): Promise<Callback | null> {
  const row = await tx.selectFrom('supplier_callbacks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row ? toCallback(row) : null;
}

export async function markReceived(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('supplier_callbacks').set({ state: 'Received', due_at: now }).where('id', '=', id).execute();
}

export interface CallbackFilter {
  supplier?: string | undefined;
  state?: CallbackState | undefined;
  reading?: Callback['reading'] | undefined;
  /** Continue after this message, towards older ones. */
  cursor?: string | undefined;
  limit: number;
}

/** Messages, newest first. */
export async function listCallbacks(db: Db, filter: CallbackFilter): Promise<Page<Callback>> {
  let query = db
    .selectFrom('supplier_callbacks')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
  if (filter.supplier) query = query.where('supplier_code', '=', filter.supplier);
  if (filter.state) query = query.where('state', '=', filter.state);
  if (filter.reading) query = query.where('reading', '=', filter.reading);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  const rows = await query.execute();
  return toPage(rows.map(toCallback), filter.limit, ({ id }) => id);
}

/** Deletes messages last seen before `time`, at most `limit`, but for those that wait; answers how many. */
export async function deleteCallbacksBefore(db: Db, time: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from supplier_callbacks where id = any(array(
      select id from supplier_callbacks where last_seen_at < ${time} and due_at is null
      order by last_seen_at limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

function toCallback(row: Selectable<SupplierCallbacksTable>): Callback {
  return {
    id: row.id,
    supplierCode: row.supplier_code,
    method: row.method,
    query: row.query,
    body: row.body,
    headers: row.headers,
    remoteAddress: row.remote_address,
    reading: row.reading,
    reason: row.reason,
    status: row.status,
    reference: row.reference,
    supplierReference: row.supplier_reference,
    state: row.state,
    orderId: row.order_id,
    seen: row.seen,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    handledAt: row.handled_at,
  };
}
