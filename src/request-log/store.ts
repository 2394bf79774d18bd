import { type Selectable, sql } from 'kysely';
import type { Db, ReadDb } from '../db/database.ts';
import type { RequestLogTable } from '../db/tables.ts';
import { after, HOUR_MS } from '../lib/clock.ts';
import { firstIdAt } from '../lib/ids.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { RequestEntry } from './entry.ts';
import type { RedactedRequest } from './redaction.ts';

export async function insertRequests(db: Db, entries: RequestEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    account_id: entry.accountId,
    id: entry.id,
    request_id: entry.requestId,
    method: entry.method,
    path: entry.path,
    status: entry.status,
    code: entry.problem?.code ?? null,
    message: entry.problem?.message ?? null,
    duration_ms: entry.durationMs,
    request: entry.request,
    created_at: entry.at,
  }));
  await sql`
    insert into request_log (account_id, id, request_id, method, path, status, code, message, duration_ms, request, created_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      account_id uuid, id uuid, request_id text, method text, path text, status integer, code text, message text,
      duration_ms integer, request jsonb, created_at timestamptz)`.execute(db);
}

export interface RequestFilter {
  status?: number | undefined;
  errorsOnly: boolean;
  path?: string | undefined;
  from: Date;
  to?: Date | undefined;
  /** Continue after this entry, towards older ones. */
  cursor?: string | undefined;
  limit: number;
}

/** How far ids may be ahead of the times they were made at, after a clock was set back. */
const MAX_AHEAD_MS = HOUR_MS;

/** An account's requests, newest first. Ids begin with a time, so a span of time is, but for its edges, a range of the key. */
export async function listRequests(db: ReadDb, accountId: string, filter: RequestFilter): Promise<Page<RequestEntry>> {
  let query = db
    .selectFrom('request_log')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '>=', firstIdAt(filter.from))
    .where('created_at', '>=', filter.from)
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
  if (filter.to) query = query.where('id', '<', firstIdAt(after(filter.to, MAX_AHEAD_MS))).where('created_at', '<', filter.to);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  // Word for word the condition of the index of failures.
  if (filter.errorsOnly || (filter.status ?? 0) >= 400) query = query.where(sql<boolean>`status >= 400`);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.path) query = query.where('path', '=', filter.path);
  const rows = await query.execute();
  return toPage(rows.map(toEntry), filter.limit, (entry) => entry.id);
}

/**
 * Deletes the oldest entries from before `time`, at most `limit`; answers how many. What another process deletes is skipped.
 * By the rows' places, which never change as entries don't: so no plan can choose to read the whole table for a batch.
 */
export async function deleteRequestsBefore(db: Db, time: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from request_log where ctid = any(array(
      select ctid from request_log where created_at < ${time} order by created_at limit ${limit} for update skip locked))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

function toEntry(row: Selectable<RequestLogTable>): RequestEntry {
  return {
    accountId: row.account_id,
    id: row.id,
    requestId: row.request_id,
    method: row.method,
    path: row.path,
    status: row.status,
    problem: row.code === null || row.message === null ? null : { code: row.code, message: row.message },
    durationMs: row.duration_ms,
    request: row.request as RedactedRequest | null,
    at: row.created_at,
  };
}
