import type { Db } from '../db/database.ts';
import { after, type Clock, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RequestBuffer } from './request-buffer.ts';
import { insertRequests } from './store.ts';

export interface WriterDeps {
  db: Db;
  clock: Clock;
  log: Log;
  buffer: RequestBuffer;
}

const WRITE_EVERY_MS = SECOND_MS;
const REPORT_EVERY_MS = MINUTE_MS;
/** Some ten milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const WRITE_BATCH = 200;

/** Writes what waits once a second. */
export function startWriter({ db, clock, log, buffer }: WriterDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let reportAt = clock.now();

  const write = async () => {
    const entries = buffer.take(WRITE_BATCH);
    if (entries.length === 0) return;
    try {
      await insertRequests(db, entries);
    } catch (error) {
      // Not tried again: entries that cannot be written must not hold up those that can.
      buffer.addLost(entries.length);
      throw error;
    }
  };

  const report = (failure: unknown) => {
    if (clock.now() < reportAt && !stopping.signal.aborted) return;
    const dropped = buffer.takeDropped();
    if (dropped === 0 && failure === null) return;
    reportAt = after(clock.now(), REPORT_EVERY_MS);
    log.warn({ dropped, err: failure }, 'The request log could not keep up and has gaps; nothing else is affected.');
  };

  const turn = async () => {
    // Only what waits now: what comes meanwhile is for the next turn, or a busy service would write drop by drop.
    const batches = Math.max(1, Math.ceil(buffer.length / WRITE_BATCH));
    for (let batch = 0; batch < batches; batch++) await write();
  };

  const run = async () => {
    do {
      await clock.sleep(WRITE_EVERY_MS, stopping.signal);
      let failure: unknown = null;
      try {
        await turn();
      } catch (error) {
        failure = error;
      }
      report(failure);
    } while (!stopping.signal.aborted || buffer.length > 0);
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
