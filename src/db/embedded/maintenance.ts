import { sql } from 'kysely';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Db } from '../database.ts';

const LOOK_EVERY_MS = 10 * SECOND_MS;
/** The log is bounded by size as well as by time: at full load it grows by some megabytes a second. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** An idle installation has nothing to write out: a checkpoint's own record is smaller than a page. */
const LEAST_LOG_BYTES = 8 * 1024;
const CHECKPOINT_EVERY_MS = 5 * MINUTE_MS;
const VACUUM_EVERY_MS = 5 * MINUTE_MS;
/** Updated by every order and of a few pages each: some milliseconds. */
const HOT_TABLES = ['accounts', 'feeds', 'webhook_endpoints'];
/** A larger table is vacuumed when so many of its rows are dead or new, and this share of all. */
const MIN_CHANGED_ROWS = 1_000;
const CHANGED_SHARE = 0.2;

/**
 * What PostgreSQL's background processes do and the embedded engine, being one process, cannot: without CHECKPOINT the
 * write-ahead log grows for ever, without VACUUM the balance rows' dead versions do. Each statement holds up orders for as long as
 * it takes, so tables are vacuumed one by one, and of the large ones, which take about a second for 100,000 changed rows, one at
 * a time.
 */
export function startMaintenance(db: Db, clock: Clock, log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let checkpointAt = clock.now().getTime() + CHECKPOINT_EVERY_MS;
  let vacuumAt = clock.now().getTime() + VACUUM_EVERY_MS;

  const look = async () => {
    const now = clock.now().getTime();
    const grown = await logSinceCheckpoint(db);
    if (now >= vacuumAt) {
      vacuumAt = now + VACUUM_EVERY_MS;
      await vacuum(db);
    }
    if (grown < MAX_LOG_BYTES && (now < checkpointAt || grown < LEAST_LOG_BYTES)) return;
    checkpointAt = now + CHECKPOINT_EVERY_MS;
    await sql`checkpoint`.execute(db);
  };

  const run = async () => {
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await look();
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

async function logSinceCheckpoint(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** The hot tables that were written, and the other table that needs it most. */
async function vacuum(db: Db): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name
    from (
      select schemaname, relname, relname in (${sql.join(HOT_TABLES)}) as hot, n_dead_tup, n_live_tup,
             greatest(n_dead_tup, n_ins_since_vacuum, n_mod_since_analyze) as changed
      from pg_stat_user_tables
    ) as tables
    where schemaname = 'public'
      and (hot and n_dead_tup > 0 or changed > ${MIN_CHANGED_ROWS} + n_live_tup * ${CHANGED_SHARE}::float8)
    order by hot desc, changed desc
    limit ${HOT_TABLES.length + 1}`.execute(db);
  for (const { name } of tables) await sql`vacuum (analyze) ${sql.table(name)}`.execute(db);
}
