import { type Selectable, sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { SupplierExchangesTable } from '../db/supplier-tables.ts';
import type { KeptExchange } from './exchange.ts';

export async function insertExchanges(db: Db, exchanges: KeptExchange[]): Promise<void> {
  const rows = exchanges.map((exchange) => ({
    id: exchange.id,
    supplier_code: exchange.supplierCode,
    reference: exchange.reference,
    call: exchange.call,
    outcome: exchange.outcome,
    detail: exchange.detail,
    method: exchange.method,
    url: exchange.url,
    request_body: exchange.requestBody,
    status: exchange.status,
    response_body: exchange.responseBody,
    error: exchange.error,
    duration_ms: exchange.durationMs,
    created_at: exchange.at,
  }));
  await sql`
    insert into supplier_exchanges (id, supplier_code, reference, call, outcome, detail, method, url, request_body, status,
                                    response_body, error, duration_ms, created_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, supplier_code text, reference text, call text, outcome text, detail text, method text, url text,
      request_body text, status integer, response_body text, error text, duration_ms integer, created_at timestamptz)`.execute(
    db,
  );
}

/** The latest exchanges about each of these purchases, at most `limit` of each, oldest first. */
export async function findExchanges(db: Db, references: string[], limit: number): Promise<Map<string, KeptExchange[]>> {
  if (references.length === 0) return new Map();
  const { rows } = await sql<Selectable<SupplierExchangesTable>>`
    select latest.*
    from (select distinct reference from json_array_elements_text(${JSON.stringify(references)}::json) as row (reference)) as key
    cross join lateral (
      select * from supplier_exchanges where reference = key.reference order by id desc limit ${limit}) as latest
    order by latest.id`.execute(db);
  return Map.groupBy(rows.map(toExchange), ({ reference }) => reference ?? '');
}

/**
 * Deletes the oldest exchanges from before `time`, at most `limit`; answers how many. By the rows' places, which never change as
 * exchanges don't: so no plan can choose to read the whole table for a batch. What another process deletes is skipped.
 */
export async function deleteExchangesBefore(db: Db, time: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from supplier_exchanges where ctid = any(array(
      select ctid from supplier_exchanges where created_at < ${time} order by created_at limit ${limit}
      for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

function toExchange(row: Selectable<SupplierExchangesTable>): KeptExchange {
  return {
    id: row.id,
    supplierCode: row.supplier_code,
    reference: row.reference,
    call: row.call,
    outcome: row.outcome,
    detail: row.detail,
    method: row.method,
    url: row.url,
    requestBody: row.request_body,
    status: row.status,
    responseBody: row.response_body,
    error: row.error,
    durationMs: row.duration_ms,
    at: row.created_at,
  };
}
