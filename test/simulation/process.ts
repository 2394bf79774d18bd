import { Kysely, PGliteAdapter, sql } from 'kysely';
import type { Database, Db } from '../../src/db/database.ts';
import { type Answer, type Statement, type Wire, wireDialect } from '../../src/db/dialect.ts';
import { SessionError } from '../../src/db/embedded/session.ts';
import type { Tables } from '../../src/db/tables.ts';
import { type Clock, SECOND_MS } from '../../src/lib/clock.ts';
import type { WorldEngine } from './engine.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What happens to one exchange with the database. */
export type DatabaseFault =
  | 'none'
  /** The connection breaks before the statement is there. */
  | 'lost_statement'
  /** The statement is done, a commit for instance, and its answer is lost. */
  | 'lost_answer'
  /** The server sacrifices the transaction for another one. */
  | 'deadlock';

/**
 * Where a process is to die or to fall asleep: at the nth call to a supplier, or the nth exchange with the database, or the
 * nth that writes, writes attempts, takes orders, or commits; before it leaves, or when it is done and before anybody hears of it.
 */
export interface Doom {
  at: 'network' | 'statement' | 'write' | 'attempt' | 'claim' | 'commit';
  left: number;
  isBefore: boolean;
  strike: () => Promise<void>;
}

export interface ProcessOptions {
  name: string;
  time: VirtualTime;
  engine: WorldEngine;
  faultOf: (statements: Statement[]) => DatabaseFault;
  /** Whether another worker lives, as its lock would show. */
  isAlone: () => boolean;
}

const CONNECTION_FAILURE = '08006';
const DEADLOCK = '40P01';
/** As the server is told: it ends a transaction whose client is silent for longer. */
const IDLE_IN_TRANSACTION_MS = 30 * SECOND_MS;
const MARKS = {
  statement: '',
  write: 'insert into',
  attempt: 'insert into attempts',
  claim: 'skip locked',
  commit: 'commit',
} as const;

/**
 * One process of the service: its own clock, its own connections, and a life that may end between any two awaits. What a dead
 * process waits for never comes; a paused one, a suspended machine for instance, gets everything later, sends what it was about to
 * send later, and goes on as if nothing had been.
 */
export class WorldProcess {
  readonly name: string;
  readonly database: Database;
  readonly clock: Clock;
  /** Resolves when the process has died. */
  readonly death: Promise<void>;
  /** How far its clock is off. */
  skewMs = 0;
  isDead = false;
  isAsleep = false;
  doom: Doom | null = null;
  readonly #options: ProcessOptions;
  #tellDeath: () => void = () => undefined;
  #awakening: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(options: ProcessOptions) {
    const { time } = options;
    this.name = options.name;
    this.#options = options;
    this.death = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
    this.clock = {
      now: () => new Date(time.nowMs + this.skewMs),
      sleep: (durationMs, signal) => time.sleep(durationMs, this, signal),
    };
    this.database = this.#openDatabase();
  }

  /** Hands a value to the process when it can take it: never when it is dead, later when it is asleep. */
  async reach<Value>(value: Promise<Value>): Promise<Value> {
    const [settled] = await Promise.allSettled([value]);
    await this.#present();
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  /** Something is about to be done, or was done, at which the process may be meant to die or to fall asleep. */
  async passPoint(at: Doom['at'], isBefore: boolean): Promise<void> {
    const { doom } = this;
    if (doom?.at !== at || doom.isBefore !== isBefore || --doom.left > 0) return;
    this.doom = null;
    await doom.strike();
  }

  /** Waits until the process can send. On waking up it first notices which waits are over, as timers come before anything else. */
  async depart(): Promise<void> {
    while (this.isAsleep) {
      await this.#present();
      await this.clock.sleep(0);
    }
  }

  pause(): void {
    if (this.isAsleep || this.isDead) return;
    this.isAsleep = true;
    this.#awakening = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  resume(): void {
    this.isAsleep = false;
    this.#wake();
  }

  /** Ends the process where it stands. Its transaction never was. */
  async die(): Promise<void> {
    if (this.isDead) return;
    this.isDead = true;
    this.isAsleep = true;
    this.#options.time.forget(this);
    this.#tellDeath();
    await this.#options.engine.abandon((holder) => holder instanceof Connection && holder.process === this);
  }

  async #present(): Promise<void> {
    while (this.isAsleep && !this.isDead) await this.#awakening;
    if (this.isDead) await new Promise<never>(() => undefined);
  }

  #openDatabase(): Database {
    const { engine } = this.#options;
    const db: Db = new Kysely<Tables>({
      dialect: wireDialect({
        acquire: async () => {
          const connection = new Connection(this, (statements) => this.#run(connection, statements));
          await this.#haveTurn(connection);
          return connection;
        },
        release: (wire) => engine.release(wire),
        close: async () => undefined,
        adapter: new PGliteAdapter(),
      }),
    });
    return {
      engine: 'postgres',
      db,
      async runScript(tx, text) {
        await sql.raw(text).execute(tx);
      },
      runForeign: () => Promise.reject(new Error('Nothing in the world runs foreign statements.')),
      notify: async () => undefined,
      listen: () => () => undefined,
      announceWorker: async () => this.#options.isAlone(),
      close: () => db.destroy(),
    };
  }

  async #run(connection: Connection, statements: Statement[]): Promise<Answer[]> {
    const { engine, faultOf } = this.#options;
    const points = (['statement', 'write', 'attempt', 'claim', 'commit'] as const).filter((at) =>
      statements.some(({ text }) => text.includes(MARKS[at])),
    );
    for (const at of points) await this.passPoint(at, true);
    await this.#haveTurn(connection);
    const fault = faultOf(statements);
    if (fault === 'lost_statement') throw lost();
    if (fault === 'deadlock') throw new SessionError({ message: 'Deadlock detected.', code: DEADLOCK });
    for (const { text } of statements) if (text === 'begin') connection.isInTransaction = true;
    const [answer] = await Promise.allSettled([engine.run(statements)]);
    const hasFailed = answer.status === 'rejected';
    for (const { text } of statements) if (text === 'commit' || text === 'rollback') connection.isInTransaction = hasFailed;
    for (const at of points) await this.passPoint(at, false);
    if (hasFailed && this.isAsleep) await this.#breakOff(connection);
    await this.#sitOut(connection);
    if (hasFailed) throw answer.reason;
    if (fault === 'lost_answer') throw lost();
    return answer.value;
  }

  /** Waits until the process is awake and it is the connection's turn. */
  async #haveTurn(connection: Connection): Promise<void> {
    const { engine } = this.#options;
    do {
      await this.#sitOut(connection);
      if (!engine.isHeldBy(connection)) await engine.acquire(connection);
    } while (this.isAsleep);
  }

  /** What a process has open while it sleeps keeps nobody else waiting for long. */
  async #sitOut(connection: Connection): Promise<void> {
    const { engine, time } = this.#options;
    while (this.isAsleep && !this.isDead) {
      if (!connection.isInTransaction) engine.release(connection);
      else if (!connection.isBroken) {
        await Promise.race([this.#awakening, time.sleep(IDLE_IN_TRANSACTION_MS, null)]);
        if (this.isAsleep && !this.isDead) await this.#breakOff(connection);
      }
      await this.#present();
    }
    await this.#present();
    if (connection.isBroken) throw lost();
  }

  async #breakOff(connection: Connection): Promise<void> {
    connection.isBroken = true;
    await this.#options.engine.abandon((holder) => holder === connection);
  }
}

function lost(): SessionError {
  return new SessionError({ message: 'The connection was lost.', code: CONNECTION_FAILURE });
}

/** One user's turn with the database, known by whose it is. */
class Connection implements Wire {
  readonly process: WorldProcess;
  readonly run: Wire['run'];
  isInTransaction = false;
  isBroken = false;

  constructor(process: WorldProcess, run: Wire['run']) {
    this.process = process;
    this.run = run;
  }
}
