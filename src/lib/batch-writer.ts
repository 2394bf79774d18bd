import { after, type Clock, MINUTE_MS, SECOND_MS } from './clock.ts';
import type { Log } from './log.ts';

/** Entries of a diary that wait to be written. What does not fit is left out and counted. */
export interface WaitingEntries<Entry> {
  readonly length: number;
  /** The oldest entries; whoever takes them writes them, or says that they are lost. */
  take(limit: number): Entry[];
  addLost(count: number): void;
  /** How many were dropped or lost since the last time this was asked. */
  takeDropped(): number;
}

export interface BatchWriterDeps<Entry> {
  clock: Clock;
  log: Log;
  waiting: WaitingEntries<Entry>;
  write: (entries: Entry[]) => Promise<void>;
  /** At most so many at once: some ten milliseconds of the embedded engine's one connection, so that orders get their turn. */
  batch: number;
  /** What to say when entries were lost. */
  complaint: string;
}

const WRITE_EVERY_MS = SECOND_MS;
const REPORT_EVERY_MS = MINUTE_MS;

/** Writes what waits once a second, for diaries that nothing relies on: nobody waits for them, and gaps are told in the log. */
export function startBatchWriter<Entry>(deps: BatchWriterDeps<Entry>): { stop(): Promise<void> } {
  const { clock, log, waiting, batch: size } = deps;
  const stopping = new AbortController();
  let reportAt = clock.now();

  const write = async () => {
    const entries = waiting.take(size);
    if (entries.length === 0) return;
    try {
      await deps.write(entries);
    } catch (error) {
      // Not tried again: entries that cannot be written must not hold up those that can.
      waiting.addLost(entries.length);
      throw error;
    }
  };

  const report = (failure: unknown) => {
    if (clock.now() < reportAt && !stopping.signal.aborted) return;
    const dropped = waiting.takeDropped();
    if (dropped === 0 && failure === null) return;
    reportAt = after(clock.now(), REPORT_EVERY_MS);
    log.warn({ dropped, err: failure }, deps.complaint);
  };

  const turn = async () => {
    // Only what waits now: what comes meanwhile is for the next turn, or a busy service would write drop by drop.
    const batches = Math.max(1, Math.ceil(waiting.length / size));
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
    } while (!stopping.signal.aborted || waiting.length > 0);
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
