import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openMemory } from '../../src/db/embedded/engine.ts';
import type { Session } from '../../src/db/embedded/session.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fromSession } from '../../src/db/open.ts';
import { fromPool, openPool, openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newRandomId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';

/** An empty, migrated database, and how to be rid of it. */
export interface TestDatabase {
  database: Database;
  /** The address of the same database, for tests that start processes; null on the embedded engine. */
  url: string | null;
  /** Waits until the service on it has done all it can do at this moment of a clock that the test owns. */
  idle(): Promise<void>;
  drop(): Promise<void>;
}

export type Engine = 'embedded' | 'postgres';

const OPENERS: Record<Engine, () => Promise<TestDatabase>> = { embedded: openInMemory, postgres: openOnServer };

/** Declares the same tests for both engines, each on a fresh database for the whole block. */
export function describeOnBothEngines(name: string, tests: (open: () => TestDatabase, engine: Engine) => void): void {
  for (const engine of ['embedded', 'postgres'] as const) {
    describe(`${name} [${engine}]`, () => {
      let opened: TestDatabase;
      beforeAll(async () => {
        opened = await OPENERS[engine]();
      });
      afterAll(() => opened.drop());
      tests(() => opened, engine);
    });
  }
}

export async function openInMemory(): Promise<TestDatabase> {
  const session = await openMemory();
  const { watched, isBusy } = watchActivity(session);
  const database = fromSession(watched);
  await migrate(database);
  return { database, url: null, idle: () => untilQuiet(isBusy), drop: () => database.close() };
}

function watchActivity(session: Session): { watched: Session; isBusy: () => boolean } {
  let running = 0;
  const watched: Session = {
    ...session,
    async run(statements) {
      running += 1;
      try {
        return await session.run(statements);
      } finally {
        running -= 1;
      }
    },
  };
  return { watched, isBusy: () => running > 0 };
}

const QUIET_TURNS = 10;

async function untilQuiet(isBusy: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet = isBusy() ? 0 : quiet + 1) await nextTurn();
}

export async function openOnServer(): Promise<TestDatabase> {
  const name = `test_${newRandomId().replaceAll('-', '')}`;
  const serverUrl = inject('postgresUrl');
  await onServer(serverUrl, `create database ${name}`);
  const url = serverUrl.replace(/\/postgres$/, `/${name}`);
  const options = { url, clock: systemClock, log: silentLog };
  const pool = openPool(options);
  const database = fromPool(pool, options);
  await migrate(database);
  return {
    database,
    url,
    idle: () => untilQuiet(() => pool.waitingCount > 0 || pool.idleCount < pool.totalCount),
    async drop() {
      await database.close();
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const server = await openPostgres({ url, clock: systemClock, log: silentLog, poolSize: 1 });
  await sql.raw(statement).execute(server.db);
  await server.close();
}
