import type { RawBuilder } from 'kysely';
import type { Db, Tx } from './database.ts';
import { postpone } from './dialect.ts';
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
