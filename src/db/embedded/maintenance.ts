import { sql } from 'kysely';
import { type Clock, MINUTE_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Db } from '../database.ts';

const CHECKPOINT_EVERY_MS = 5 * MINUTE_MS;
const VACUUM_EVERY_CHECKPOINTS = 12;

/**
 * What PostgreSQL's background processes do and the embedded engine, being one process, cannot: without CHECKPOINT the
 * write-ahead log grows for ever, without VACUUM the balance rows' dead versions do.
 */
export function startMaintenance(db: Db, clock: Clock, log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController();

  const run = async () => {
    for (let round = 1; !stopping.signal.aborted; round++) {
      await clock.sleep(CHECKPOINT_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        if (round % VACUUM_EVERY_CHECKPOINTS === 0) await sql`vacuum (analyze)`.execute(db);
        await sql`checkpoint`.execute(db);
      } catch (error) {
        log.error({ err: error }, 'Maintenance of the embedded database failed; it is tried again later.');
      }
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
