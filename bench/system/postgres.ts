import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from './cleanup.ts';

/** A real PostgreSQL for the length of a run, with its default settings: every commit reaches the disk. */
export interface BenchPostgres {
  version: string;
  pid: number;
  /** Creates a database, empty or as a copy of another that nobody is connected to, and answers its address. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Drops it, and writes out what is dirty, so that the next case does not pay for this one. */
  dropDatabase(url: string): Promise<void>;
  /** How often the write-ahead log was forced to disk since the server started. Complete once the case has disconnected. */
  countFsyncs(): Promise<number>;
  /** How often it had to sacrifice a transaction because two waited for each other. Complete once the case has disconnected. */
  countDeadlocks(url: string): Promise<number>;
}

/** Starts it; it ends with the run. */
export async function openBenchPostgres(): Promise<BenchPostgres> {
  const starting = startPostgres();
  atEnd(async () => (await starting.catch(() => null))?.stop());
  return describe(await starting);
}

async function describe(server: PostgresServer): Promise<BenchPostgres> {
  let created = 0;
  const ask = (statement: string) => queryOnce(server.url('postgres'), statement);
  const settings = await ask(`select current_setting('fsync') || ' ' || current_setting('synchronous_commit') as answer`);
  if (settings !== 'on on') throw new Error(`PostgreSQL would not wait for the disk (fsync, synchronous_commit: ${settings}).`);
  const folder = await ask(`select current_setting('data_directory') as answer`);
  return {
    version: await ask('select version() as answer'),
    pid: Number(fs.readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]),
    async createDatabase(copyOf) {
      const name = `bench_${++created}`;
      await ask(`create database ${name}${copyOf === undefined ? '' : ` template ${databaseName(copyOf)}`}`);
      await ask('checkpoint');
      return server.url(name);
    },
    async dropDatabase(url) {
      await ask(`drop database ${databaseName(url)} with (force)`);
      await ask('checkpoint');
    },
    countFsyncs: async () => Number(await ask(`select sum(fsyncs) as answer from pg_stat_io where object = 'wal'`)),
    countDeadlocks: async (url) =>
      Number(await ask(`select deadlocks as answer from pg_stat_database where datname = '${databaseName(url)}'`)),
  };
}

/** Runs one statement on a connection of its own; what it calls `answer` is the answer. */
export async function queryOnce(url: string, statement: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ answer: string }>(statement);
    return String(rows[0]?.answer);
  });
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await openClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A lost connection also fails the query that waits on it; unheard, the event would end the process before it cleans up.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function databaseName(url: string): string {
  return new URL(url).pathname.slice(1);
}
