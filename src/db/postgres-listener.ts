import pg from 'pg';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from './database.ts';

const CONNECT_LIMIT_MS = 10 * SECOND_MS;

/** One connection for LISTEN, opened with the first listener and opened again when it breaks. */
export class Listener {
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
        this.#options.log.warn(
          { reason: (error as Error).message },
          'Lost the connection that waits for notifications; polling until it is back.',
        );
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
      client.on('error', reject);
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
