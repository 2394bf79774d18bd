import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { required } from '../lib/assert.ts';
import { after, type Clock, MINUTE_MS, SECOND_MS, withTimeLimit } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StartError } from '../lib/start-error.ts';
import type { Db, ReadDb } from './database.ts';
import { wireDialect } from './dialect.ts';
import { isTimeout } from './errors.ts';
import { typeParsers } from './postgres.ts';
import { poolWires } from './postgres-wires.ts';
import { completeUntil, type LogPosition, type Mark } from './replica-lag.ts';
import type { Tables } from './tables.ts';

/** `none`: none is set. `away`: it does not answer, or is no replica. `behind`: further than reports may be. */
export type ReplicaState = 'none' | 'in_use' | 'behind' | 'away';

/** Where to read what need not be of this very moment: from a replica while there is one and it keeps up, else the primary. */
export interface Reads {
  /** For statistics and audits, which may be some seconds old. */
  report<Result>(work: (db: ReadDb) => Promise<Result>): Promise<Result>;
  /**
   * For lists: one that ends in the past misses nothing on a replica, every other one is read from the primary. So whoever
   * writes and then lists finds what was written, and pages follow each other without a gap.
   */
  list<Result>(until: Date | undefined, work: (db: ReadDb) => Promise<Result>): Promise<Result>;
  state(): ReplicaState;
  /** How old what the replica has is; null when that is not known. */
  behindMs(): number | null;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = SECOND_MS;
const LOOK_LIMIT_MS = 2 * SECOND_MS;
/** What is read from the replica is at most so old. */
const MAX_BEHIND_MS = 5 * SECOND_MS;
/** A row's time is the program's, from before its commit, so a list that ended so long ago cannot get another row. */
const PAST_MS = MINUTE_MS;
const POOL_SIZE = 8;
const CONNECT_LIMIT_MS = 10 * SECOND_MS;
const STATEMENT_LIMIT_MS = 30 * SECOND_MS;

/** Reads from the primary alone: no replica is set. */
export function readPrimary(primary: Db): Reads {
  return {
    report: (work) => work(primary),
    list: (_until, work) => work(primary),
    state: () => 'none',
    behindMs: () => null,
    stop: async () => {},
  };
}

/** A replica that is away or behind does not stop the start; one of another installation does. */
export async function openReplica(options: { url: string; primary: Db; clock: Clock; log: Log }): Promise<Reads> {
  const replica = new Replica(options);
  try {
    await replica.open();
    return replica;
  } catch (error) {
    await replica.stop();
    throw error;
  }
}

function connect(url: string, max: number): Db {
  const pool = new pg.Pool({
    connectionString: url,
    types: typeParsers,
    max,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    application_name: 'topgate-reads',
  });
  // A broken connection fails its query, which is where the loss is dealt with.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: wireDialect(poolWires(pool)) });
}

class Replica implements Reads {
  readonly #primary: Db;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #db: Db;
  /** A connection of its own: many long reports are no sign that the replica is away. */
  readonly #lookout: Db;
  readonly #stopping = new AbortController();
  #marks: Mark[] = [];
  #completeUntilMs: number | null = null;
  #answers = false;
  #isToldLost = false;
  /** Rejects when the replica is lost: who reads then need not wait for as long as TCP hopes. */
  #lost = rejectable();
  #watching: Promise<void> = Promise.resolve();

  constructor({ url, primary, clock, log }: { url: string; primary: Db; clock: Clock; log: Log }) {
    this.#primary = primary;
    this.#clock = clock;
    this.#log = log;
    this.#db = connect(url, POOL_SIZE);
    this.#lookout = connect(url, 1);
  }

  async open(): Promise<void> {
    const failure = await this.#look();
    if (failure instanceof StartError) throw failure;
    this.#watching = this.#watch();
  }

  async report<Result>(work: (db: ReadDb) => Promise<Result>): Promise<Result> {
    if (this.state() !== 'in_use') return work(this.#primary);
    const reading = work(this.#db);
    // Once given up, nobody is left to hear how it ends.
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, this.#lost.promise]);
    } catch (error) {
      // What takes too long on the replica would take as long on the primary, and cost orders their turn.
      if (isTimeout(error)) throw error;
      this.#log.warn({ reason: (error as Error).message }, 'A report failed on the replica; it is read from the primary.');
      return work(this.#primary);
    }
  }

  list<Result>(until: Date | undefined, work: (db: ReadDb) => Promise<Result>): Promise<Result> {
    const isPast = until !== undefined && until <= after(this.#clock.now(), -PAST_MS);
    return isPast ? this.report(work) : work(this.#primary);
  }

  state(): ReplicaState {
    if (!this.#answers) return 'away';
    const behindMs = this.behindMs();
    return behindMs !== null && behindMs <= MAX_BEHIND_MS ? 'in_use' : 'behind';
  }

  behindMs(): number | null {
    return this.#completeUntilMs === null ? null : this.#clock.now().getTime() - this.#completeUntilMs;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    await Promise.all([this.#db.destroy(), this.#lookout.destroy()]);
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#clock.sleep(LOOK_EVERY_MS, this.#stopping.signal);
      if (!this.#stopping.signal.aborted) await this.#look();
    }
  }

  /** Answers what is wrong with the replica, if anything is. */
  async #look(): Promise<unknown> {
    const atMs = this.#clock.now().getTime();
    // Of a primary that is slow or away nothing is learnt about the replica, but what that has grows old by itself.
    const primary = await this.#ask(() => readPrimaryPosition(this.#primary)).catch(() => null);
    if (primary === null) return null;
    try {
      const replica = await this.#ask(() => readReplicaPosition(this.#lookout));
      this.#compare({ ...primary, atMs }, replica);
      return null;
    } catch (error) {
      this.#lose(error as Error);
      return error;
    }
  }

  async #ask<Position>(read: () => Promise<Position>): Promise<Position> {
    const answer = await withTimeLimit(this.#clock, LOOK_LIMIT_MS, read);
    if (answer.timedOut) throw new Error('no answer in time');
    return answer.value;
  }

  #compare(primary: PrimaryPosition & { atMs: number }, replica: ReplicaPosition): void {
    if (primary.installation !== replica.installation)
      throw new StartError('DATABASE_REPLICA_URL is no replica of the database that DATABASE_URL names.');
    if (replica.replayed === null) throw new Error('it is not a standby');
    this.#marks = [...this.#marks, primary].filter(({ atMs }) => atMs > primary.atMs - 2 * MAX_BEHIND_MS);
    this.#completeUntilMs = completeUntil(this.#marks, replica.replayed) ?? this.#completeUntilMs;
    if (!this.#answers) this.#log.info({}, 'Reports are read from the replica whenever it keeps up.');
    this.#answers = true;
    this.#isToldLost = false;
  }

  #lose(error: Error): void {
    const reason = error.message;
    if (!this.#isToldLost)
      this.#log.warn({ reason }, 'The replica cannot be used; everything is read from the primary until it is back.');
    this.#answers = false;
    this.#isToldLost = true;
    this.#lost.reject(error);
    this.#lost = rejectable();
  }
}

function rejectable(): PromiseWithResolvers<never> {
  const resolvers = Promise.withResolvers<never>();
  resolvers.promise.catch(() => undefined);
  return resolvers;
}

/** Which database it is of which cluster: what a replica has in common with its primary alone. */
const INSTALLATION = sql`(select system_identifier::text from pg_control_system()) || '/' || current_database()`;

interface PrimaryPosition {
  installation: string;
  written: LogPosition;
}

interface ReplicaPosition {
  installation: string;
  /** Null on a server that is not a standby. */
  replayed: LogPosition | null;
}

async function readPrimaryPosition(db: Db): Promise<PrimaryPosition> {
  const { rows } = await sql<PrimaryPosition>`
    select ${INSTALLATION} as installation, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as written`.execute(db);
  return required(rows[0], 'the position of the primary');
}

async function readReplicaPosition(db: Db): Promise<ReplicaPosition> {
  const { rows } = await sql<ReplicaPosition>`
    select ${INSTALLATION} as installation,
           case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint end as replayed`.execute(
    db,
  );
  return required(rows[0], 'the position of the replica');
}
