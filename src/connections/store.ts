import type { Selectable } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { SuppliersTable } from '../db/supplier-tables.ts';
import type { Amount } from '../lib/money.ts';
import type { Hold } from '../suppliers/index.ts';
import type { SupplierStatus } from './connection.ts';

/** One configured account at a supplier, as stored. */
export interface SupplierRecord {
  code: string;
  kind: string;
  status: SupplierStatus;
  config: Record<string, string>;
  secretsSealed: Uint8Array | null;
  callbackKey: string;
  hold: Hold | null;
  heldSince: Date | null;
  balance: Amount | null;
  balanceAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export async function listSuppliers(db: Db): Promise<SupplierRecord[]> {
  const rows = await db.selectFrom('suppliers').selectAll().orderBy('code').execute();
  return rows.map(toSupplier);
}

export async function findSupplier(db: Db, code: string): Promise<SupplierRecord | null> {
  const row = await db.selectFrom('suppliers').selectAll().where('code', '=', code).executeTakeFirst();
  return row ? toSupplier(row) : null;
}

/** The supplier as it is now, which nobody else changes until the transaction ends. Routes to it may be written meanwhile. */
export async function lockSupplier(tx: Tx, code: string): Promise<SupplierRecord | null> {
  const row = await tx.selectFrom('suppliers').selectAll().where('code', '=', code).forNoKeyUpdate().executeTakeFirst();
  return row ? toSupplier(row) : null;
}

/** Whether anything was ever sent to the supplier. Looks through all purchases where nothing was, so it is for rare questions. */
export async function hasAttempts(db: Db, code: string): Promise<boolean> {
  const row = await db.selectFrom('attempts').select('number').where('supplier_code', '=', code).limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function insertSupplier(tx: Tx, supplier: SupplierRecord): Promise<void> {
  await tx
    .insertInto('suppliers')
    .values({
      code: supplier.code,
      kind: supplier.kind,
      status: supplier.status,
      config: JSON.stringify(supplier.config),
      secrets_sealed: supplier.secretsSealed,
      callback_key: supplier.callbackKey,
      created_at: supplier.createdAt,
      updated_at: supplier.updatedAt,
    })
    .execute();
}

export async function updateSupplier(
  tx: Tx,
  code: string,
  change: { status?: SupplierStatus; config?: Record<string, string>; secretsSealed?: Uint8Array | null; at: Date },
): Promise<void> {
  await tx
    .updateTable('suppliers')
    .set({
      updated_at: change.at,
      ...(change.status && { status: change.status }),
      ...(change.config && { config: JSON.stringify(change.config) }),
      ...(change.secretsSealed !== undefined && { secrets_sealed: change.secretsSealed }),
    })
    .where('code', '=', code)
    .execute();
}

function toSupplier(row: Selectable<SuppliersTable>): SupplierRecord {
  return {
    code: row.code,
    kind: row.kind,
    status: row.status,
    config: row.config,
    secretsSealed: row.secrets_sealed,
    callbackKey: row.callback_key,
    hold: row.hold_kind === null ? null : { kind: row.hold_kind, reason: row.hold_reason ?? '' },
    heldSince: row.hold_since,
    balance: row.balance,
    balanceAt: row.balance_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
