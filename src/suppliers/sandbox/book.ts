import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { required } from '../../lib/assert.ts';
import { GroupCommit } from '../../lib/group-commit.ts';

export interface TakenPurchase {
  supplierCode: string;
  reference: string;
  userId: string;
  at: Date;
}

/** The sandbox's memory: which purchases it took, and when. Taking the same reference again changes nothing. */
export interface SandboxBook {
  /** Writes the purchase down, unless it is there; answers when it was first taken. */
  take(purchase: TakenPurchase): Promise<Date>;
  /** When the purchase was taken, or null when the sandbox never heard of it. */
  find(supplierCode: string, reference: string): Promise<Date | null>;
}

const MAX_BATCH = 512;
const MAX_QUEUE = 10_000;

/** A book in the database, so that it survives a restart as a real supplier's does; written in batches to stay out of the way. */
export function openSandboxBook(db: Db): SandboxBook {
  const taking = new GroupCommit<TakenPurchase, Date>({
    maxBatch: MAX_BATCH,
    maxQueue: MAX_QUEUE,
    flush: (batch) => insertAll(db, batch),
  });
  return {
    take(purchase) {
      const taken = taking.tryAdd(purchase);
      return taken ?? Promise.reject(new Error('The sandbox has too many purchases waiting.'));
    },
    async find(supplierCode, reference) {
      const row = await db
        .selectFrom('sandbox_orders')
        .select('taken_at')
        .where('supplier_code', '=', supplierCode)
        .where('reference', '=', reference)
        .executeTakeFirst();
      return row?.taken_at ?? null;
    },
  };
}

async function insertAll(db: Db, batch: TakenPurchase[]): Promise<Date[]> {
  const rows = batch.map(({ supplierCode, reference, userId, at }) => ({
    supplier_code: supplierCode,
    reference,
    user_id: userId,
    taken_at: at,
  }));
  // The update that changes nothing makes the statement return the earlier row as well.
  const { rows: taken } = await sql<{ supplier_code: string; reference: string; taken_at: Date }>`
    insert into sandbox_orders (supplier_code, reference, user_id, taken_at)
    select distinct on (supplier_code, reference) *
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (supplier_code text, reference text, user_id text, taken_at timestamptz)
    on conflict (supplier_code, reference) do update set taken_at = sandbox_orders.taken_at
    returning supplier_code, reference, taken_at`.execute(db);
  const times = new Map(taken.map((row) => [`${row.supplier_code} ${row.reference}`, row.taken_at]));
  return batch.map(({ supplierCode, reference }) => required(times.get(`${supplierCode} ${reference}`), 'a purchase just taken'));
}
