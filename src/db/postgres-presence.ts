import pg from 'pg';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

const CONNECT_LIMIT_MS = 10 * SECOND_MS;
/** Any fixed number; the migrations' lock has another. */
const LOCK_KEY = 784_531_221;

/**
 * Workers show that they live by an advisory lock on a connection of their own: every worker holds it shared, and PostgreSQL
 * lets go of it the moment the process dies. Whoever can take it alone for a moment knows that no other worker is left.
 */
export class Presence {
  readonly #options: { url: string; clock: Clock; log: Log };
  readonly #stopping = new AbortController();
  #client: pg.Client | null = null;
  #keeping: Promise<void> | null = null;

  constructor(options: { url: string; clock: Clock; log: Log }) {
    this.#options = options;
  }

  async announce(): Promise<boolean> {
    const client = await this.#connect();
    const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [LOCK_KEY]);
    const alone = rows[0]?.alone ?? false;
    await client.query('select pg_advisory_lock_shared($1)', [LOCK_KEY]);
    if (alone) await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    this.#keeping = this.#keep(client);
    return alone;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#keeping;
  }

  /** Takes the lock again when its connection was lost, so that this worker does not look dead while it lives. */
  async #keep(first: pg.Client): Promise<void> {
    for (let client: pg.Client | null = first; !this.#stopping.signal.aborted; ) {
      if (client) await ended(client);
      if (this.#stopping.signal.aborted) return;
      await this.#options.clock.sleep(SECOND_MS, this.#stopping.signal);
      try {
        client = await this.#connect();
        await client.query('select pg_advisory_lock_shared($1)', [LOCK_KEY]);
      } catch (error) {
        client = null;
        if (!this.#stopping.signal.aborted)
          this.#options.log.warn(
            { reason: (error as Error).message },
            'Lost the connection that shows this worker is alive; trying again.',
          );
      }
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      keepAlive: true,
    });
    this.#client = client;
    // An error is always followed by the end, which is what `#keep` waits for.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }
}

function ended(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once('end', () => resolve()));
}
