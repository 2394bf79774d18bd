import type { Db } from '../db/database.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { removeApiProcess, removeOldRates, reportApiProcess } from './rate-store.ts';

/** Whether other processes answer resellers too, as of the last second. */
export interface RollCall {
  isAlone(): boolean;
  stop(): Promise<void>;
}

const REPORT_EVERY_MS = SECOND_MS;
/** Whoever was silent for this long is taken for dead: two reports may be lost. */
const FRESH_SECONDS = 3;
const CLEAN_EVERY_REPORTS = 60;
const MAX_CLEANED = 10_000;

/**
 * API processes know of each other by a row that each writes every second. A lock held by a connection would tell of a death at
 * once, but costs a connection of its own and does not pass a pooler; for rates a few seconds are soon enough.
 */
export async function openRollCall({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Promise<RollCall> {
  const id = newId(clock.now());
  const stopping = new AbortController();
  let others = await reportApiProcess(db, id, FRESH_SECONDS);

  const report = async () => {
    for (let count = 1; !stopping.signal.aborted; count++) {
      await clock.sleep(REPORT_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        others = await reportApiProcess(db, id, FRESH_SECONDS);
        if (count % CLEAN_EVERY_REPORTS === 0) await removeOldRates(db, MAX_CLEANED);
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'Could not see which API processes live; trying again.');
      }
    }
  };

  const reporting = report();
  return {
    isAlone: () => others === 0,
    async stop() {
      stopping.abort();
      await reporting;
      // Not the end of anything: a row that stays is old in three seconds.
      await removeApiProcess(db, id).catch(() => undefined);
    },
  };
}
