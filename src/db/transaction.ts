import type { RawBuilder } from 'kysely';
import type { Db, Tx } from './database.ts';
import { combine, postpone } from './dialect.ts';
import { isTransientConflict } from './errors.ts';

const MAX_TRIES = 3;

/**
 * Runs `work` in one transaction and runs it again when the database sacrificed it to break a deadlock.
 * `work` gets only the transaction: inside it the outer handle would hang on the embedded engine and silently escape the
 * transaction on a server. It must not call the network.
 */
export async function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= MAX_TRIES || !isTransientConflict(error)) throw error;
    }
  }
}

/**
 * Writes without waiting for the answer: the statement goes to the database together with the transaction's next one, at the
 * latest with its commit. When it fails, that one fails with its error. What comes after it in the transaction sees its rows.
 */
export async function later(tx: Tx, statement: RawBuilder<unknown>): Promise<void> {
  await tx.executeQuery(postpone(statement.compile(tx)));
}

/** A statement that reads, and what to make of its rows. */
export interface Reading<Result> {
  query: RawBuilder<unknown>;
  read: (rows: unknown[]) => Result;
}

export function reading<Row, Result>(query: RawBuilder<Row>, read: (rows: Row[]) => Result): Reading<Result> {
  return { query, read: (rows) => read(rows as Row[]) };
}

/** Reads two things, the second after the first, in one round trip: what the first locks, the second finds as it is then. */
export async function readBoth<First, Second>(tx: Tx, first: Reading<First>, second: Reading<Second>): Promise<[First, Second]> {
  const both = combine([first.query.compile(tx), second.query.compile(tx)]);
  const { rows } = await tx.executeQuery<unknown[]>(both);
  return [first.read(rows[0] ?? []), second.read(rows[1] ?? [])];
}

export async function readOne<Result>(db: Db, { query, read }: Reading<Result>): Promise<Result> {
  const { rows } = await query.execute(db);
  return read(rows);
}
