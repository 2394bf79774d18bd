import { Kysely, PGliteAdapter, sql } from 'kysely';
import type { Database, Db } from '../../src/db/database.ts';
import { type Answer, type Statement, type Wire, wireDialect } from '../../src/db/dialect.ts';
import { SessionError } from '../../src/db/embedded/session.ts';
import type { Tables } from '../../src/db/tables.ts';
import type { Clock } from '../../src/lib/clock.ts';
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
  | 'deadlock'
  /** The process dies before the statement leaves, or when it is done and before anybody hears of it. */
  | 'death_before'
  | 'death_after';

/** Where a process is to die: after so many calls to suppliers, or so many exchanges with the database that write something. */
export interface Doom {
  at: 'network' | 'database';
  left: number;
  isBefore: boolean;
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

/**
 * One process of the service: its own clock, its own connections, and a life that may end between any two awaits. What a dead
 * process waits for never comes; a paused one, a suspended machine for instance, gets everything later and goes on as if nothing
 * had been.
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

  /** Something was done at which the process may be meant to die. */
  async passPoint(at: Doom['at']): Promise<void> {
    if (this.doom?.at !== at || --this.doom.left > 0) return;
    await this.die();
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
    const { engine, faultOf } = this.#options;
    const run = (statements: Statement[]) => this.#run(statements, this.#dooms(statements) ?? faultOf(statements));
    const db: Db = new Kysely<Tables>({
      dialect: wireDialect({
        acquire: async () => {
          await this.#present();
          const connection = new Connection(this, run);
          await engine.acquire(connection);
          return connection;
        },
        release(wire) {
          engine.release(wire);
        },
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

  #dooms(statements: Statement[]): DatabaseFault | null {
    if (this.doom?.at !== 'database' || !statements.some(({ text }) => text.includes('insert into'))) return null;
    if (--this.doom.left > 0) return null;
    return this.doom.isBefore ? 'death_before' : 'death_after';
  }

  async #run(statements: Statement[], fault: DatabaseFault): Promise<Answer[]> {
    if (this.isDead) await this.#present();
    const { engine } = this.#options;
    if (fault === 'death_before') await this.die();
    if (this.isDead) await this.#present();
    if (fault === 'lost_statement') throw new SessionError({ message: 'The connection was lost.', code: CONNECTION_FAILURE });
    if (fault === 'deadlock') throw new SessionError({ message: 'Deadlock detected.', code: DEADLOCK });
    const answers = await engine.run(statements);
    if (fault === 'death_after') await this.die();
    if (this.isDead) await this.#present();
    if (fault === 'lost_answer') throw new SessionError({ message: 'The connection was lost.', code: CONNECTION_FAILURE });
    return answers;
  }
}

/** One user's turn with the database, known by whose it is. */
class Connection implements Wire {
  readonly process: WorldProcess;
  readonly run: Wire['run'];

  constructor(process: WorldProcess, run: Wire['run']) {
    this.process = process;
    this.run = run;
  }
}
