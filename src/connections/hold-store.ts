import type { Db, Tx } from '../db/database.ts';
import { after } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { Hold } from '../suppliers/index.ts';
import { firstWaitMs } from './balance.ts';

const NO_HOLD = { hold_kind: null, hold_reason: null, hold_since: null };
const MAX_REASON_LENGTH = 500;

/** Begins a hold where there is none; answers whether it did. What is low on money is read again at once. */
export async function beginHold(tx: Tx, code: string, hold: Hold, at: Date): Promise<boolean> {
  const before = await tx
    .selectFrom('suppliers')
    .select(['hold_kind', 'hold_ended_at as endedAt', 'hold_wait_ms as waitMs'])
    .where('code', '=', code)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!before || before.hold_kind !== null) return false;
  const waitMs = hold.kind === 'low_balance' ? 0 : firstWaitMs(before, at);
  await tx
    .updateTable('suppliers')
    .set({
      hold_kind: hold.kind,
      hold_reason: hold.reason.slice(0, MAX_REASON_LENGTH),
      hold_since: at,
      hold_wait_ms: waitMs,
      balance_due_at: after(at, waitMs),
    })
    .where('code', '=', code)
    .execute();
  return true;
}

/** Ends the hold that began at `since`, and no other; answers whether it did. */
export async function endHold(tx: Tx, code: string, since: Date, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('suppliers')
    .set({ ...NO_HOLD, hold_ended_at: at })
    .where('code', '=', code)
    .where('hold_since', '=', since)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends whatever hold there is, by an operator's word or because the configuration is another now. */
export async function endAnyHold(tx: Tx, code: string): Promise<void> {
  await tx
    .updateTable('suppliers')
    .set({ ...NO_HOLD, hold_ended_at: null, hold_wait_ms: null })
    .where('code', '=', code)
    .execute();
}

/** Has the balance read as soon as a worker looks. */
export async function readBalanceSoon(tx: Tx, code: string): Promise<void> {
  await tx.updateTable('suppliers').set({ balance_due_at: null }).where('code', '=', code).execute();
}

/** Which of these suppliers' balances are to be read now. */
export async function listDueBalances(db: Db, codes: string[], now: Date): Promise<string[]> {
  if (codes.length === 0) return [];
  const rows = await db
    .selectFrom('suppliers')
    .select('code')
    .where('code', 'in', codes)
    .where('status', '=', 'Active')
    .where((row) => row.or([row('balance_due_at', 'is', null), row('balance_due_at', '<=', now)]))
    .execute();
  return rows.map(({ code }) => code);
}

/** Takes the reading of a balance for this process, if no other has: it is due again at `nextAt`, come what may. */
export async function claimBalance(db: Db, code: string, now: Date, nextAt: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('suppliers')
    .set({ balance_due_at: nextAt })
    .where('code', '=', code)
    .where('status', '=', 'Active')
    .where((row) => row.or([row('balance_due_at', 'is', null), row('balance_due_at', '<=', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Keeps a reading. */
export async function saveBalance(tx: Tx, code: string, balance: Amount | null, at: Date): Promise<void> {
  await tx.updateTable('suppliers').set({ balance, balance_at: at }).where('code', '=', code).execute();
  if (balance === null) return;
  await tx
    .insertInto('supplier_balances')
    .values({ supplier_code: code, read_at: at, balance })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
