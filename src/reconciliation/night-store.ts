import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { after, MINUTE_MS } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import { DAY_DIFFERENCES, type DayDifferenceKind } from './day.ts';

/** A day at a supplier that deserves a look. */
export interface DifferingDay {
  supplierCode: string;
  date: string;
  differences: Record<DayDifferenceKind, number>;
  /** By how much our balance there fell beyond what was bought; 0 where it did not, or it is not known. */
  missing: Amount;
}

const SETTING = 'reconciliation-days';
const storedDays = z.array(
  z.object({
    supplier: z.string(),
    date: z.string(),
    differences: z.partialRecord(z.enum(DAY_DIFFERENCES), z.int()),
    missing: z.string(),
  }),
);

/** Suppliers that take our money. */
export async function listRealSuppliers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('suppliers').select('code').where('kind', '<>', 'sandbox').orderBy('code').execute();
  return rows.map(({ code }) => code);
}

/** A purchase may be charged some minutes after it began, and a balance is as old as its reading. */
const EDGE_MS = 10 * MINUTE_MS;

/** What purchases between two readings of a balance took from it, and what they may have taken or not. */
export async function readSpent(
  db: Db,
  supplierCode: string,
  { from, to }: { from: Date; to: Date },
): Promise<{ spent: Amount; uncertain: Amount }> {
  const { rows } = await sql<{ spent: Amount; uncertain: Amount }>`
    select coalesce(sum(amount) filter (where state = 'Delivered' and at >= ${from} and at < ${to}), 0)::bigint as spent,
           coalesce(sum(amount) filter (where state not in ('Delivered', 'Rejected')
             or at < ${after(from, EDGE_MS)} or at >= ${after(to, -EDGE_MS)}), 0)::bigint as uncertain
    from (
      select state, coalesce(charged, cost) as amount, created_at as at from attempts
      where supplier_code = ${supplierCode} and created_at >= ${after(from, -EDGE_MS)} and created_at < ${after(to, EDGE_MS)}
    ) as purchase`.execute(db);
  return { spent: rows[0]?.spent ?? 0n, uncertain: rows[0]?.uncertain ?? 0n };
}

/** Keeps what the last night found, in place of what the one before did. */
export async function saveDifferingDays(db: Db, days: DifferingDay[], at: Date): Promise<void> {
  const stored: z.infer<typeof storedDays> = days.map(({ supplierCode, date, differences, missing }) => ({
    supplier: supplierCode,
    date,
    differences,
    missing: String(missing),
  }));
  const values = { value: JSON.stringify(stored), updated_at: at };
  await db
    .insertInto('settings')
    .values({ key: SETTING, ...values })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
    .execute();
}

export async function listDifferingDays(db: Db): Promise<DifferingDay[]> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', SETTING).executeTakeFirst();
  if (!row) return [];
  return storedDays.parse(row.value).map(({ supplier, date, differences, missing }) => ({
    supplierCode: supplier,
    date,
    differences: Object.fromEntries(DAY_DIFFERENCES.map((kind) => [kind, differences[kind] ?? 0])) as DifferingDay['differences'],
    missing: BigInt(missing),
  }));
}
