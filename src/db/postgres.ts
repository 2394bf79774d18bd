import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel, Database } from './database.ts';
import type { Tables } from './tables.ts';

const POOL_SIZE = 16;
const CONNECT_LIMIT_MS = 10 * SECOND_MS;
const STATEMENT_LIMIT_MS = 30 * SECOND_MS;
const OLDEST_VERSION = 150_000;

/** int8 is money here: always a bigint, as on the embedded engine. */
const typeParsers = new pg.TypeOverrides();
typeParsers.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Opens a pool on a PostgreSQL server and refuses one that is too old or that does not make commits durable. */
export async function openPostgres(options: { url: string; clock: Clock; log: Log; poolSize?: number }): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    types: typeParsers,
    max: options.poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    application_name: 'topgate',
  });
  pool.on('error', (error) =>
    options.log.warn({ err: error }, 'An idle database connection was lost; the pool opens a new one.'),
  );
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const listener = new Listener(options);
  const database: Database = {
    engine: 'postgres',
    db,
    async runScript(tx, text) {
      await sql.raw(text).execute(tx);
    },
    async notify(channel) {
      await sql`select pg_notify(${`topgate_${channel}`}, '')`.execute(db);
    },
    listen: (channel, onNotify) => listener.add(channel, onNotify),
    async close() {
      await listener.stop();
      await db.destroy();
    },
  };
  try {
    await assertDurable(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function assertDurable({ db }: Database): Promise<void> {
  const { rows } = await sql<{ version: number; fsync: string; synchronous_commit: string }>`
    select current_setting('server_version_num')::int as version,
           current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as synchronous_commit`.execute(db);
  const settings = rows[0];
  if (!settings) throw new Error('The database did not answer.');
  if (settings.version < OLDEST_VERSION) throw new Error('Topgate needs PostgreSQL 15 or newer.');
  if (settings.fsync !== 'on' || settings.synchronous_commit === 'off') {
    throw new Error(
      `The PostgreSQL server would lose acknowledged orders (fsync=${settings.fsync}, ` +
        `synchronous_commit=${settings.synchronous_commit}). Turn both on; Topgate refuses to start without them.`,
    );
  }
}

/** One connection for LISTEN, opened with the first listener and opened again when it breaks. */
class Listener {
  readonly #options: { url: string; clock: Clock; log: Log };
  readonly #listeners = new Map<Channel, Set<() => void>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #client: pg.Client | null = null;

  constructor(options: { url: string; clock: Clock; log: Log }) {
    this.#options = options;
  }

  add(channel: Channel, onNotify: () => void): () => void {
    const set = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, set.add(onNotify));
    this.#running ??= this.#run();
    return () => set.delete(onNotify);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#listenUntilBroken();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'Lost the connection that waits for notifications; polling until it is back.');
      }
      if (!this.#stopping.signal.aborted) await this.#options.clock.sleep(SECOND_MS, this.#stopping.signal);
    }
  }

  async #listenUntilBroken(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      keepAlive: true,
    });
    this.#client = client;
    const ended = new Promise<void>((resolve, reject) => {
      client.once('end', resolve);
      client.once('error', reject);
    });
    // Until it is awaited below, a failure of the connection must not count as unhandled.
    ended.catch(() => undefined);
    client.on('notification', ({ channel }) => this.#tell(channel));
    await client.connect();
    for (const channel of this.#listeners.keys()) await client.query(`listen topgate_${channel}`);
    // A process that listened again may have missed something meanwhile.
    for (const channel of this.#listeners.keys()) this.#tell(`topgate_${channel}`);
    await ended;
  }

  #tell(name: string): void {
    for (const [channel, listeners] of this.#listeners) {
      if (name === `topgate_${channel}`) for (const listener of listeners) listener();
    }
  }
}
