import type { Db, Tx } from './database.ts';
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
