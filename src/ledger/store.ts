import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db, ReadDb, Tx } from '../db/database.ts';
import type { AccountsTable, TransfersTable } from '../db/tables.ts';
import { later, type Reading, reading, readOne } from '../db/transaction.ts';
import { invariant, required } from '../lib/assert.ts';
import type { Mode } from '../lib/mode.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { Account, Transfer, TransferKind } from './ledger.ts';

/** An account as locked, with the end of its chain of hashes, which only this file reads and writes. */
export interface LockedAccount extends Account {
  head: Uint8Array;
}

/** Opens the account of a new reseller in one mode, with nothing on it. */
export async function insertAccount(tx: Tx, account: { id: string; resellerId: string; mode: Mode }): Promise<void> {
  await tx.insertInto('accounts').values({ id: account.id, reseller_id: account.resellerId, mode: account.mode }).execute();
}

/**
 * Locks accounts in the order of their ids, always the same, so that two transactions never wait for each other. The lock is the
 * one an update of the balance takes, and no stronger: a full FOR UPDATE would also stop the foreign keys of rows written
 * meanwhile for the same account (events, for instance), and measured as a deadlock every second under load.
 */
export function lockingAccounts(accountIds: string[]): Reading<Map<string, LockedAccount>> {
  const query = sql<Selectable<AccountsTable>>`
    select id, reseller_id, mode, balance, seq, head
    from accounts
    where id in (select value::uuid from json_array_elements_text(${JSON.stringify(accountIds)}::json))
    order by id
    for no key update`;
  return reading(query, (rows) => new Map(rows.map((row) => [row.id, { ...toAccount(row), head: row.head }])));
}

export async function lockAccounts(tx: Tx, accountIds: string[]): Promise<Map<string, LockedAccount>> {
  return readOne(tx, lockingAccounts(accountIds));
}

export async function lockAccount(tx: Tx, accountId: string): Promise<LockedAccount> {
  const accounts = await lockAccounts(tx, [accountId]);
  return required(accounts.get(accountId), `account ${accountId}`);
}

export async function findAccount(db: Db, resellerId: string, mode: Mode): Promise<Account | null> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('reseller_id', '=', resellerId)
    .where('mode', '=', mode)
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** The accounts with these ids, by id. */
export async function findAccountsById(db: Db, accountIds: string[]): Promise<Map<string, Account>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db.selectFrom('accounts').selectAll().where('id', 'in', accountIds).execute();
  return new Map(rows.map((row) => [row.id, toAccount(row)]));
}

/** The accounts of many resellers at once, for lists. */
export async function findAccounts(db: Db, resellerIds: string[]): Promise<Account[]> {
  if (resellerIds.length === 0) return [];
  const rows = await db.selectFrom('accounts').selectAll().where('reseller_id', 'in', resellerIds).execute();
  return rows.map(toAccount);
}

/**
 * Writes transfers and the balances they lead to, in one statement. `locked` are the accounts as they were locked; the
 * transfers of one account continue from there without a gap, or nothing is written.
 */
export async function saveTransfers(tx: Tx, locked: Map<string, LockedAccount>, transfers: Transfer[]): Promise<void> {
  if (transfers.length === 0) return;
  const ends = new Map<string, { seq: bigint; balance: bigint; head: Uint8Array }>();
  const rows = transfers.map((transfer) => {
    const start = required(locked.get(transfer.accountId), 'the locked account of a transfer');
    const before = ends.get(transfer.accountId) ?? start;
    invariant(transfer.seq === before.seq + 1n, 'transfers of an account follow each other');
    const head = chainHash(before.head, transfer);
    ends.set(transfer.accountId, { seq: transfer.seq, balance: transfer.balanceAfter, head });
    return toRow(transfer, head);
  });
  const accounts = [...ends].map(([id, end]) => ({
    id,
    balance: String(end.balance),
    seq: String(end.seq),
    head: toHex(end.head),
  }));
  await later(
    tx,
    sql`
    with written as (
      insert into transfers (account_id, seq, id, mode, kind, debit_account, credit_account, amount, balance_after,
                             order_id, reference, created_at, hash)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        account_id uuid, seq bigint, id uuid, mode text, kind text, debit_account uuid, credit_account uuid, amount bigint,
        balance_after bigint, order_id uuid, reference text, created_at timestamptz, hash bytea)
    )
    update accounts set balance = row.balance, seq = row.seq, head = row.head
    from json_to_recordset(${JSON.stringify(accounts)}::json) as row (id uuid, balance bigint, seq bigint, head bytea)
    where accounts.id = row.id`,
  );
}

export interface TransferFilter {
  kind?: TransferKind | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Continue after this transfer number, downwards. */
  before?: bigint | undefined;
  limit: number;
}

/** The statement of an account, newest first. */
export async function listTransfers(db: ReadDb, accountId: string, filter: TransferFilter): Promise<Page<Transfer>> {
  let query = db
    .selectFrom('transfers')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .limit(filter.limit + 1);
  if (filter.kind) query = query.where('kind', '=', filter.kind);
  if (filter.from) query = query.where('created_at', '>=', filter.from);
  if (filter.to) query = query.where('created_at', '<', filter.to);
  if (filter.before !== undefined) query = query.where('seq', '<', filter.before);
  const rows = await query.execute();
  return toPage(rows.map(toTransfer), filter.limit, (transfer) => String(transfer.seq));
}

export async function findDeposit(db: Db, accountId: string, reference: string): Promise<Transfer | null> {
  const row = await db
    .selectFrom('transfers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', '=', 'deposit')
    .where('reference', '=', reference)
    .executeTakeFirst();
  return row ? toTransfer(row) : null;
}

export async function listOrderTransfers(db: Db, accountId: string, orderId: string): Promise<Transfer[]> {
  const rows = await db
    .selectFrom('transfers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('order_id', '=', orderId)
    .orderBy('seq')
    .execute();
  return rows.map(toTransfer);
}

/**
 * Each transfer's hash covers its content and the hash before it, so a row that is changed, removed or slipped in later,
 * even by someone who can switch triggers off, breaks every hash after it. The audit recomputes the same text in SQL.
 */
function chainHash(before: Uint8Array, transfer: Transfer): Uint8Array {
  const content = [
    Buffer.from(before).toString('hex'),
    transfer.accountId,
    transfer.seq,
    transfer.id,
    transfer.mode,
    transfer.kind,
    transfer.debitAccount,
    transfer.creditAccount,
    transfer.amount,
    transfer.balanceAfter,
    transfer.orderId ?? '',
    transfer.createdAt.getTime(),
    transfer.reference,
  ].join('|');
  return hash('sha256', content, 'buffer');
}

function toRow(transfer: Transfer, head: Uint8Array) {
  return {
    account_id: transfer.accountId,
    seq: String(transfer.seq),
    id: transfer.id,
    mode: transfer.mode,
    kind: transfer.kind,
    debit_account: transfer.debitAccount,
    credit_account: transfer.creditAccount,
    amount: String(transfer.amount),
    balance_after: String(transfer.balanceAfter),
    order_id: transfer.orderId,
    reference: transfer.reference,
    created_at: transfer.createdAt,
    hash: toHex(head),
  };
}

function toAccount(row: Selectable<AccountsTable>): Account {
  return { id: row.id, resellerId: row.reseller_id, mode: row.mode, balance: row.balance, seq: row.seq };
}

function toTransfer(row: Selectable<TransfersTable>): Transfer {
  return {
    id: row.id,
    accountId: row.account_id,
    seq: row.seq,
    mode: row.mode,
    kind: row.kind,
    debitAccount: row.debit_account,
    creditAccount: row.credit_account,
    amount: row.amount,
    balanceAfter: row.balance_after,
    orderId: row.order_id,
    reference: row.reference,
    createdAt: row.created_at,
  };
}

/** The text form of a bytea value, as it travels inside a JSON parameter. */
function toHex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
