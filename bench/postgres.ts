import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';

/** A real PostgreSQL for the length of a run, with its default settings: every commit reaches the disk. */
export interface BenchPostgres {
  version: string;
  /** Creates an empty database and answers its address. Each case gets its own. */
  createDatabase(): Promise<string>;
  /** Drops it, and writes out what is dirty, so that the next case does not pay for this one. */
  dropDatabase(url: string): Promise<void>;
  /** How often the write-ahead log was forced to disk since the server started. Complete once the case has disconnected. */
  countFsyncs(): Promise<number>;
  /** How often it had to sacrifice a transaction because two waited for each other. Complete once the case has disconnected. */
  countDeadlocks(url: string): Promise<number>;
  stop(): Promise<void>;
}

export async function openBenchPostgres(): Promise<BenchPostgres> {
  const server = await startPostgres();
  try {
    return await describe(server);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function describe(server: PostgresServer): Promise<BenchPostgres> {
  let created = 0;
  const ask = (statement: string) => query(server.url('postgres'), statement);
  const settings = await ask(`select current_setting('fsync') || ' ' || current_setting('synchronous_commit') as answer`);
  if (settings !== 'on on') throw new Error(`PostgreSQL would not wait for the disk (fsync, synchronous_commit: ${settings}).`);
  return {
    version: await ask('select version() as answer'),
    async createDatabase() {
      const name = `bench_${++created}`;
      await ask(`create database ${name}`);
      return server.url(name);
    },
    async dropDatabase(url) {
      await ask(`drop database ${databaseName(url)} with (force)`);
      await ask('checkpoint');
    },
    countFsyncs: async () => Number(await ask(`select sum(fsyncs) as answer from pg_stat_io where object = 'wal'`)),
    countDeadlocks: async (url) =>
      Number(await ask(`select deadlocks as answer from pg_stat_database where datname = '${databaseName(url)}'`)),
    stop: () => server.stop(),
  };
}

async function query(url: string, statement: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: string }>(statement);
    return String(rows[0]?.answer);
  } finally {
    await client.end();
  }
}

function databaseName(url: string): string {
  return new URL(url).pathname.slice(1);
}
