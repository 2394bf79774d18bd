import { Kysely, PGliteAdapter, sql } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel, Database, Db } from './database.ts';
import { wireDialect } from './dialect.ts';
import { lockDirectory } from './embedded/lock.ts';
import { startMaintenance } from './embedded/maintenance.ts';
import type { Session } from './embedded/session.ts';
import { openInWorker } from './embedded/worker-session.ts';
import type { Tables } from './tables.ts';

/** Opens the embedded engine on a directory of its own, locked for as long as it is open. */
export async function openEmbedded(options: { directory: string; clock: Clock; log: Log }): Promise<Database> {
  const lock = await lockDirectory(options.directory, options.clock);
  try {
    const session = await openInWorker(`${options.directory}/database`);
    const database = fromSession(session);
    const maintenance = startMaintenance(database.db, options.clock, options.log);
    return {
      ...database,
      async close() {
        await maintenance.stop();
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A database over one embedded session, without lock or maintenance: tests use it on an engine in memory. */
export function fromSession(session: Session): Database {
  const db: Db = new Kysely<Tables>({
    dialect: wireDialect({
      acquire: async () => session,
      release: () => undefined,
      close: () => session.close(),
      // Declares a single connection, so Kysely queues every other statement while a transaction is open.
      adapter: new PGliteAdapter(),
    }),
  });
  const listeners = new Map<Channel, Set<() => void>>();
  return {
    engine: 'embedded',
    db,
    async runScript(tx, text) {
      // Whatever the transaction has put off goes first, above all its begin. A script sent then is inside it: there is one session.
      await sql`select 1`.execute(tx);
      await session.script(text);
    },
    runForeign: (text, values) =>
      // Holding the one connection keeps it out of our transactions.
      db.connection().execute(async () => {
        try {
          if (values.length === 0) return await session.script(text);
          const answers = await session.run([{ text, parameters: values }]);
          return answers.flatMap(({ rows }) => rows);
        } catch (error) {
          // It may have failed inside a transaction of its own, which must not become everybody's.
          await session.script('rollback');
          throw error;
        }
      }),
    async notify(channel) {
      for (const listener of listeners.get(channel) ?? []) listener();
    },
    listen(channel, onNotify) {
      const set = listeners.get(channel) ?? new Set();
      listeners.set(channel, set.add(onNotify));
      return () => set.delete(onNotify);
    },
    // The lock on the data directory lets no second process in.
    announceWorker: async () => true,
    async close() {
      // Kysely closes a driver only when it was used; one cheap statement makes sure that it was.
      await sql`select 1`.execute(db);
      await db.destroy();
    },
  };
}
