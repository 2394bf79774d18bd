import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { WebhookEndpointsTable, WebhookSecretsTable } from '../db/tables.ts';
import type { DisabledReason, Endpoint } from './endpoint.ts';
import type { EventType } from './event.ts';

/** An endpoint's key, sealed. A rotated one has an end. */
export interface SealedSecret {
  endpointId: string;
  id: string;
  sealed: Uint8Array;
  expiresAt: Date | null;
  createdAt: Date;
}

/** The endpoints of an account that were not deleted, oldest first. */
export async function listEndpoints(db: Db, accountId: string): Promise<Endpoint[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', '!=', 'Deleted')
    .orderBy('id')
    .execute();
  return rows.map(toEndpoint);
}

export async function findEndpoint(db: Db, accountId: string, id: string): Promise<Endpoint | null> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '!=', 'Deleted')
    .executeTakeFirst();
  return row ? toEndpoint(row) : null;
}

/** Locks endpoints, always in the same sequence, and reads them as they are now, deleted ones too. */
export async function lockEndpoints(tx: Tx, ids: string[]): Promise<Endpoint[]> {
  const { rows } = await sql<Selectable<WebhookEndpointsTable>>`
    select * from webhook_endpoints
    where id in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json))
    order by id
    for no key update`.execute(tx);
  return rows.map(toEndpoint);
}

export async function insertEndpoint(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx
    .insertInto('webhook_endpoints')
    .values({
      id: endpoint.id,
      account_id: endpoint.accountId,
      url: endpoint.url,
      types: endpoint.types,
      status: endpoint.status,
      disabled_reason: endpoint.disabledReason,
      failing_since: endpoint.failingSince,
      next_visit_at: null,
      lease: endpoint.lease,
      created_at: endpoint.createdAt,
      updated_at: endpoint.updatedAt,
    })
    .execute();
}

/**
 * Writes endpoints that this transaction has locked. Unless a worker holds it, an endpoint is visited next when its first
 * waiting delivery is due: now at the earliest, so that endpoints with a backlog take turns.
 */
export async function updateEndpoints(tx: Tx, endpoints: Endpoint[], now: Date): Promise<void> {
  if (endpoints.length === 0) return;
  const rows = endpoints.map((endpoint) => ({
    id: endpoint.id,
    url: endpoint.url,
    types: endpoint.types,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    lease: endpoint.lease,
    updated_at: endpoint.updatedAt,
  }));
  await sql`
    update webhook_endpoints set url = row.url, types = row.types, status = row.status, disabled_reason = row.disabled_reason,
      failing_since = row.failing_since, updated_at = row.updated_at, lease = row.lease,
      next_visit_at = case
        when row.status <> 'Active' then null
        when row.lease is not null then next_visit_at
        else (
          select greatest(next_attempt_at, ${now}::timestamptz) from webhook_deliveries
          where endpoint_id = row.id and next_attempt_at is not null
          order by next_attempt_at limit 1)
      end
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, url text, types text[], status text, disabled_reason text, failing_since timestamptz, lease uuid,
      updated_at timestamptz)
    where webhook_endpoints.id = row.id`.execute(tx);
}

/** Which endpoints a worker looks for: those that take deliveries, or those whose last attempts failed. */
export type Health = 'healthy' | 'failing';

/**
 * Takes due endpoints for a visit. The lease moves the next visit to its end, so a worker that dies loses them by itself.
 * Endpoints that are being written at this moment are skipped, not waited for.
 */
export async function claimDueEndpoints(
  tx: Tx,
  claim: { health: Health; now: Date; leaseUntil: Date; lease: string; limit: number },
): Promise<Endpoint[]> {
  const { rows } = await sql<Selectable<WebhookEndpointsTable>>`
    with due as (
      select id from webhook_endpoints
      where (failing_since is not null) = ${claim.health === 'failing'} and next_visit_at <= ${claim.now}
      order by next_visit_at
      limit ${claim.limit}
      for no key update skip locked
    )
    update webhook_endpoints set lease = ${claim.lease}, next_visit_at = ${claim.leaseUntil}
    from due
    where webhook_endpoints.id = due.id
    returning webhook_endpoints.*`.execute(tx);
  return rows.map(toEndpoint);
}

/** When the next endpoint of this health is due, or null when none waits. */
export async function findNextVisit(db: Db, health: Health): Promise<Date | null> {
  const { rows } = await sql<{ next: Date }>`
    select next_visit_at as next from webhook_endpoints
    where (failing_since is not null) = ${health === 'failing'} and next_visit_at is not null
    order by next_visit_at limit 1`.execute(db);
  return rows[0]?.next ?? null;
}

/** Deleted endpoints for which deliveries wait all the same. */
export async function findDeletedWithBacklog(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_endpoints as endpoint
    where status = 'Deleted' and exists (
      select from webhook_deliveries where endpoint_id = endpoint.id and next_attempt_at is not null)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Makes every held endpoint due at once. Only for a process that is alone, at its start: whoever held them is gone. */
export async function releaseEndpoints(db: Db, now: Date): Promise<void> {
  await sql`update webhook_endpoints set next_visit_at = ${now}, lease = null where lease is not null`.execute(db);
}

export async function insertSecret(tx: Tx, secret: SealedSecret): Promise<void> {
  await tx
    .insertInto('webhook_secrets')
    .values({
      endpoint_id: secret.endpointId,
      id: secret.id,
      sealed: secret.sealed,
      expires_at: secret.expiresAt,
      created_at: secret.createdAt,
    })
    .execute();
}

/** Gives the current secret of an endpoint its end, and removes those whose end has come. */
export async function retireSecrets(tx: Tx, endpointId: string, now: Date, expiresAt: Date): Promise<void> {
  await tx.deleteFrom('webhook_secrets').where('endpoint_id', '=', endpointId).where('expires_at', '<=', now).execute();
  await tx
    .updateTable('webhook_secrets')
    .set({ expires_at: expiresAt })
    .where('endpoint_id', '=', endpointId)
    .where('expires_at', 'is', null)
    .execute();
}

/** The secrets in force of these endpoints, newest first: the order in which they sign. */
export async function findSecrets(db: Db, endpointIds: string[], now: Date): Promise<SealedSecret[]> {
  if (endpointIds.length === 0) return [];
  const rows = await db
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('endpoint_id', 'in', endpointIds)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toSecret);
}

function toEndpoint(row: Selectable<WebhookEndpointsTable>): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    types: row.types as EventType[],
    status: row.status,
    disabledReason: row.disabled_reason as DisabledReason | null,
    failingSince: row.failing_since,
    lease: row.lease,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toSecret(row: Selectable<WebhookSecretsTable>): SealedSecret {
  return {
    endpointId: row.endpoint_id,
    id: row.id,
    sealed: row.sealed,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}
