import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { CredentialsTable, ResellersTable } from '../db/tables.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { Credential, Reseller, Scope } from './reseller.ts';

export async function insertReseller(tx: Tx, reseller: Reseller): Promise<void> {
  await tx
    .insertInto('resellers')
    .values({
      id: reseller.id,
      name: reseller.name,
      username: reseller.username,
      tier_code: reseller.tierCode,
      status: reseller.status,
      low_balance_threshold: reseller.lowBalanceThreshold,
      registered_at: reseller.registeredAt,
      updated_at: reseller.updatedAt,
    })
    .execute();
}

export async function updateReseller(tx: Tx, reseller: Reseller): Promise<void> {
  await tx
    .updateTable('resellers')
    .set({
      name: reseller.name,
      tier_code: reseller.tierCode,
      status: reseller.status,
      low_balance_threshold: reseller.lowBalanceThreshold,
      updated_at: reseller.updatedAt,
    })
    .where('id', '=', reseller.id)
    .execute();
}

export async function findReseller(db: Db, id: string): Promise<Reseller | null> {
  const row = await db.selectFrom('resellers').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toReseller(row) : null;
}

export async function findResellerByUsername(db: Db, username: string): Promise<Reseller | null> {
  const row = await db.selectFrom('resellers').selectAll().where('username', '=', username).executeTakeFirst();
  return row ? toReseller(row) : null;
}

/** Resellers whose name or username contains `search`, newest first. */
export async function listResellers(
  db: Db,
  filter: { search?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<Reseller>> {
  let query = db
    .selectFrom('resellers')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
  if (filter.cursor !== undefined) query = query.where('id', '<', filter.cursor);
  if (filter.search !== undefined) {
    const pattern = `%${filter.search.replaceAll(/[\\%_]/g, '\\$&')}%`;
    query = query.where((where) => where.or([where('name', 'ilike', pattern), where('username', 'ilike', pattern)]));
  }
  const rows = await query.execute();
  return toPage(rows.map(toReseller), filter.limit, (reseller) => reseller.id);
}

export async function insertCredential(tx: Tx, credential: Credential): Promise<void> {
  await tx
    .insertInto('credentials')
    .values({
      id: credential.id,
      reseller_id: credential.resellerId,
      mode: credential.mode,
      token_hash: credential.tokenHash,
      token_hint: credential.tokenHint,
      secret_sealed: credential.secretSealed,
      scopes: credential.scopes,
      allowed_ips: credential.allowedIps,
      expires_at: credential.expiresAt,
      revoked_at: credential.revokedAt,
      created_at: credential.createdAt,
    })
    .execute();
}

export async function findCredentialByHash(db: Db, tokenHash: Uint8Array): Promise<Credential | null> {
  const row = await db.selectFrom('credentials').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
  return row ? toCredential(row) : null;
}

export async function listCredentials(db: Db, resellerId: string): Promise<Credential[]> {
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('reseller_id', '=', resellerId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toCredential);
}

/** Revokes a credential of the reseller; answers it, or null when the reseller has none with this id. Repeating is harmless. */
export async function revokeCredential(tx: Tx, resellerId: string, credentialId: string, at: Date): Promise<Credential | null> {
  const row = await tx
    .updateTable('credentials')
    .set((expression) => ({ revoked_at: expression.fn.coalesce('revoked_at', sql<Date>`${at}::timestamptz`) }))
    .where('id', '=', credentialId)
    .where('reseller_id', '=', resellerId)
    .returningAll()
    .executeTakeFirst();
  return row ? toCredential(row) : null;
}

/** The accounts of active resellers in these tiers, in the modes in which they hold a usable token, in the order of locks. */
export async function listAudience(db: Db, tierCodes: string[], now: Date): Promise<{ accountId: string; tierCode: string }[]> {
  const rows = await db
    .selectFrom('accounts')
    .innerJoin('resellers', 'resellers.id', 'accounts.reseller_id')
    .select(['accounts.id as accountId', 'resellers.tier_code as tierCode'])
    .where('resellers.status', '=', 'Active')
    .where('resellers.tier_code', 'in', tierCodes)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('credentials')
          .select('credentials.id')
          .whereRef('credentials.reseller_id', '=', 'accounts.reseller_id')
          .whereRef('credentials.mode', '=', 'accounts.mode')
          .where('credentials.revoked_at', 'is', null)
          .where((where) => where.or([where('credentials.expires_at', 'is', null), where('credentials.expires_at', '>', now)])),
      ),
    )
    .orderBy('accounts.id')
    .execute();
  return rows;
}

function toReseller(row: Selectable<ResellersTable>): Reseller {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    tierCode: row.tier_code,
    status: row.status,
    lowBalanceThreshold: row.low_balance_threshold,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  };
}

function toCredential(row: Selectable<CredentialsTable>): Credential {
  return {
    id: row.id,
    resellerId: row.reseller_id,
    mode: row.mode,
    tokenHash: row.token_hash,
    tokenHint: row.token_hint,
    secretSealed: row.secret_sealed,
    scopes: row.scopes as Scope[],
    allowedIps: row.allowed_ips,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  };
}
