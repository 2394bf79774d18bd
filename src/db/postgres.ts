import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StartError } from '../lib/start-error.ts';
import type { Database } from './database.ts';
import { wireDialect } from './dialect.ts';
import { Listener } from './postgres-listener.ts';
import { Presence } from './postgres-presence.ts';
import { poolWires } from './postgres-wires.ts';
import type { Tables } from './tables.ts';

const POOL_SIZE = 16;
const CONNECT_LIMIT_MS = 10 * SECOND_MS;
const STATEMENT_LIMIT_MS = 30 * SECOND_MS;
/** The server ends a statement before this; past it the connection is dead without a word, as after a fail-over, and is given up. */
const ANSWER_LIMIT_MS = STATEMENT_LIMIT_MS + 5 * SECOND_MS;
const OLDEST_VERSION = 150_000;

/** int8 is money here: always a bigint, as on the embedded engine. */
export const typeParsers = new pg.TypeOverrides();
typeParsers.setTypeParser(pg.types.builtins.INT8, BigInt);

export interface PostgresOptions {
  url: string;
  /** Leads past a connection pooler: a session of its own is what notifications and the locks of living workers need. */
  directUrl?: string | null;
  clock: Clock;
  log: Log;
  poolSize?: number;
  /** How long an answer of the server is waited for. */
  answerLimitMs?: number;
}

/** Opens a PostgreSQL server and refuses one that is too old or that does not make commits durable. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const database = fromPool(openPool(options), options);
  try {
    await assertDurable(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export function openPool({ url, poolSize, answerLimitMs, log }: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types: typeParsers,
    max: poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    query_timeout: answerLimitMs ?? ANSWER_LIMIT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    application_name: 'topgate',
    // Statements may be sent before the ones before them are answered.
    pipeline: true,
  });
  pool.on('error', ({ message }) =>
    log.warn({ reason: message }, 'An idle database connection was lost; the pool opens a new one.'),
  );
  // A connection that breaks while it is used fails its query, which is where the loss is dealt with; without a listener the
  // same news would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A database over an open pool: tests keep the pool, to see when nothing is under way in it. */
export function fromPool(pool: pg.Pool, options: PostgresOptions): Database {
  const db = new Kysely<Tables>({ dialect: wireDialect(poolWires(pool)) });
  const sessions = { ...options, url: options.directUrl ?? options.url };
  const listener = new Listener(sessions);
  const presence = new Presence(sessions);
  return {
    engine: 'postgres',
    db,
    async runScript(tx, text) {
      await sql.raw(text).execute(tx);
    },
    async runForeign(text, values) {
      // A connection on which it fails is closed by the pool, and with it a transaction that it may have left open.
      const answers: pg.QueryResult | pg.QueryResult[] = await pool.query(text, [...values]);
      return [answers].flat().flatMap(({ rows }) => rows);
    },
    async notify(channel) {
      await sql`select pg_notify(${`topgate_${channel}`}, '')`.execute(db);
    },
    listen: (channel, onNotify) => listener.add(channel, onNotify),
    announceWorker: () => presence.announce(),
    async close() {
      await listener.stop();
      await presence.stop();
      await db.destroy();
    },
  };
}

async function assertDurable({ db }: Database): Promise<void> {
  const { rows } = await sql<{ version: number; fsync: string; synchronous_commit: string }>`
    select current_setting('server_version_num')::int as version,
           current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as synchronous_commit`.execute(db);
  const settings = rows[0];
  if (!settings) throw new Error('The database did not answer.');
  if (settings.version < OLDEST_VERSION) throw new StartError('Topgate needs PostgreSQL 15 or newer.');
  if (settings.fsync !== 'on' || settings.synchronous_commit === 'off') {
    throw new StartError(
      `The PostgreSQL server would lose acknowledged orders (fsync=${settings.fsync}, ` +
        `synchronous_commit=${settings.synchronous_commit}). Turn both on; Topgate refuses to start without them.`,
    );
  }
}
