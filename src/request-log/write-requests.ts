import type { Db } from '../db/database.ts';
import { after, type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RequestBuffer } from './request-buffer.ts';
import { deleteRequestsBefore, insertRequests } from './store.ts';

export interface WriterDeps {
  db: Db;
  clock: Clock;
  log: Log;
  buffer: RequestBuffer;
  /** Older entries are deleted; 0: all. */
  keepDays: number;
}

const WRITE_EVERY_MS = SECOND_MS;
const PRUNE_EVERY_MS = HOUR_MS;
const REPORT_EVERY_MS = MINUTE_MS;
/** Some ten milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const WRITE_BATCH = 200;
/** Larger than a write, so that deleting always keeps up with writing. */
const PRUNE_BATCH = 500;

/** Writes what waits once a second, and deletes what is old once an hour. */
export function startWriter({ db, clock, log, buffer, keepDays }: WriterDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let pruneAt = clock.now();
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

  const prune = async () => {
    if (clock.now() < pruneAt || stopping.signal.aborted) return;
    const deleted = await deleteRequestsBefore(db, after(clock.now(), -keepDays * DAY_MS), PRUNE_BATCH);
    // Until nothing old is left, another batch follows each write, so the hour's work never comes as one block.
    if (deleted < PRUNE_BATCH) pruneAt = after(clock.now(), PRUNE_EVERY_MS);
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
    for (let batch = 0; batch < batches; batch++) {
      await write();
      await prune();
    }
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
