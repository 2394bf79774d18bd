import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openMemory } from '../../src/db/embedded/engine.ts';
import type { Session } from '../../src/db/embedded/session.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fromSession } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newRandomId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';

/** An empty, migrated database, and how to be rid of it. */
export interface TestDatabase {
  database: Database;
  /** The address of the same database, for tests that start processes; null on the embedded engine. */
  url: string | null;
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

export async function openInMemory(): Promise<TestDatabase & { idle(): Promise<void> }> {
  const session = await openMemory();
  const { watched, idle } = watchActivity(session);
  const database = fromSession(watched);
  await migrate(database);
  return { database, url: null, drop: () => database.close(), idle };
}

const QUIET_TURNS = 10;

/** Lets a test that owns the clock wait until the service has done all it can do at this moment. */
function watchActivity(session: Session): { watched: Session; idle: () => Promise<void> } {
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
  const idle = async () => {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = running === 0 ? quiet + 1 : 0) await nextTurn();
  };
  return { watched, idle };
}

export async function openOnServer(): Promise<TestDatabase> {
  const name = `test_${newRandomId().replaceAll('-', '')}`;
  const serverUrl = inject('postgresUrl');
  await onServer(serverUrl, `create database ${name}`);
  const url = serverUrl.replace(/\/postgres$/, `/${name}`);
  const database = await openPostgres({ url, clock: systemClock, log: silentLog });
  await migrate(database);
  return {
    database,
    url,
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
