import { type Selectable, sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { AuditLogTable } from '../db/tables.ts';
import { type Page, toPage } from '../lib/page.ts';

/** One entry of the audit log. */
export interface AuditEntry {
  id: string;
  actor: string;
  action: string;
  subject: string;
  details: unknown;
  requestId: string | null;
  createdAt: Date;
}

export interface AuditFilter {
  subject?: string | undefined;
  actor?: string | undefined;
  /** One action, or the noun before the dot for all that is done to such things. */
  action?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** What was done, newest first. */
export async function listActions(db: Db, filter: AuditFilter): Promise<Page<AuditEntry>> {
  const { subject, actor, action, from, to, limit, cursor } = filter;
  let query = db
    .selectFrom('audit_log')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action?.includes('.')) query = query.where('action', '=', action);
  else if (action !== undefined) query = query.where(sql<boolean>`split_part(action, '.', 1) = ${action}`);
  if (from) query = query.where('created_at', '>=', from);
  if (to) query = query.where('created_at', '<', to);
  if (cursor !== undefined) query = query.where('id', '<', cursor);
  const rows = await query.execute();
  return toPage(rows.map(toEntry), limit, ({ id }) => id);
}

function toEntry(row: Selectable<AuditLogTable>): AuditEntry {
  const { id, actor, action, subject, details, request_id: requestId, created_at: createdAt } = row;
  return { id, actor, action, subject, details, requestId, createdAt };
}
