import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

const COALESCE_MS = 20;

/**
 * Tells workers in other processes that orders are due, at most once every few milliseconds. NOTIFY takes a lock of the whole
 * database at commit: inside each order's transaction it would halve the throughput, so it is sent afterwards, for many at once.
 */
export function createNotifier(database: Database, clock: Clock, log: Log): { notify(): void; stop(): Promise<void> } {
  const stopping = new AbortController();
  let pending: Promise<void> | null = null;
  const send = async () => {
    await clock.sleep(COALESCE_MS, stopping.signal);
    pending = null;
    try {
      await database.notify('work');
    } catch (error) {
      log.warn({ err: error }, 'Could not wake the workers; they find the work by polling.');
    }
  };
  return {
    notify() {
      pending ??= send();
    },
    async stop() {
      stopping.abort();
      await pending;
    },
  };
}
