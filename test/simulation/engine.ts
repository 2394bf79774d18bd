import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMemory } from '../../src/db/embedded/engine.ts';
import type { Session } from '../../src/db/embedded/session.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fromSession } from '../../src/db/open.ts';
import { makeMonths } from '../../src/webhooks/month-store.ts';
import { TEST_START } from '../support/fake-clock.ts';

/** What a migrated database begins with, by the table that is emptied between two worlds. */
const FIRST_ROWS = ['revisions', 'tiers', 'suppliers'];
const KEPT = ['schema_migrations'];
const QUIET_TURNS = 4;

/**
 * The one database of a simulated world, shared by its processes as a server would be, one transaction at a time. It survives
 * them, and is emptied for the next world: that costs 20 ms, a new engine half a second.
 */
export class WorldEngine {
  readonly #session: Session;
  readonly #reset: string;
  #holder: object | null = null;
  #waiting: { holder: object; enter: () => void }[] = [];
  #running = 0;
  statements = 0;

  private constructor(session: Session, reset: string) {
    this.#session = session;
    this.#reset = reset;
  }

  static async open(): Promise<WorldEngine> {
    // Plans are kept for the whole life of a world: their age would be told by a real clock, and no two runs were alike.
    const session = await openMemory(undefined, { now: () => new Date(0) });
    const database = fromSession(session);
    await migrate(database);
    await makeMonths(database.db, TEST_START);
    const tables = await session.script(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`,
    );
    const names = tables.map(({ name }) => String(name)).filter((name) => !KEPT.includes(name));
    const first = FIRST_ROWS.map((name) => `create temp table first_${name} as select * from ${name};`).join(' ');
    await session.script(first);
    const again = FIRST_ROWS.map((name) => `insert into ${name} select * from first_${name};`).join(' ');
    const reset = `rollback; set session_replication_role = replica; truncate ${names.join(', ')}; ${again}
                   set session_replication_role = origin;`;
    return new WorldEngine(session, reset);
  }

  /** An empty database, as if it were new. */
  async reset(): Promise<void> {
    this.#holder = null;
    this.#waiting = [];
    this.statements = 0;
    await this.#session.script(this.#reset);
  }

  /** Waits for a turn; whoever has it holds everybody else back, as one transaction at a time is all there is. */
  async acquire(holder: object): Promise<void> {
    if (this.#holder !== null) await new Promise<void>((enter) => this.#waiting.push({ holder, enter }));
    this.#holder = holder;
  }

  isHeldBy(holder: object): boolean {
    return this.#holder === holder;
  }

  /** Somebody is in the middle of a transaction. */
  get isHeld(): boolean {
    return this.#holder !== null;
  }

  release(holder: object): void {
    if (this.#holder !== holder) return;
    this.#holder = null;
    const next = this.#waiting.shift();
    if (!next) return;
    this.#holder = next.holder;
    next.enter();
  }

  /** What its server does for a client that is gone: its transaction never was. */
  async abandon(isGone: (holder: object) => boolean): Promise<void> {
    this.#waiting = this.#waiting.filter(({ holder }) => !isGone(holder));
    const holder = this.#holder;
    if (holder === null || !isGone(holder)) return;
    await this.run([{ text: 'rollback', parameters: [] }]);
    this.release(holder);
  }

  async run(statements: Parameters<Session['run']>[0]): ReturnType<Session['run']> {
    this.#running += 1;
    this.statements += statements.length;
    try {
      return await this.#session.run(statements);
    } finally {
      this.#running -= 1;
    }
  }

  /** Reads for the world itself, beside all processes. */
  async read(text: string): Promise<Record<string, unknown>[]> {
    const [answer] = await this.run([{ text, parameters: [] }]);
    return answer?.rows ?? [];
  }

  /** Resolves when everything that can be done at this moment is done. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = this.#running === 0 ? quiet + 1 : 0) await nextTurn();
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
