import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { takeTokens } from './rate-store.ts';
import { openRollCall } from './roll-call.ts';
import { SharedRateLimit } from './shared-rate-limit.ts';

/** The limit of an API process, and what it counts beside. */
export interface OpenRateLimit {
  /** Null: no limit. */
  limit: RateLimit | null;
  /** Requests that were decided without the database because it did not answer. */
  fallbacks(): number;
  stop(): Promise<void>;
}

const NOTHING_TO_STOP = { fallbacks: () => 0, stop: async () => {} };

/** On the embedded engine there is one process, which counts in memory; on a server all processes that live count together. */
export async function openRateLimit(deps: {
  database: Database;
  clock: Clock;
  log: Log;
  /** 0: no limit. */
  perSecond: number;
}): Promise<OpenRateLimit> {
  const { database, clock, log, perSecond } = deps;
  if (perSecond === 0) return { limit: null, ...NOTHING_TO_STOP };
  if (database.engine === 'embedded')
    return { limit: { perSecond, take: createRateLimit(clock, perSecond) }, ...NOTHING_TO_STOP };
  const { db } = database;
  const rollCall = await openRollCall({ db, clock, log });
  const limit = new SharedRateLimit({
    clock,
    log,
    perSecond,
    isAlone: () => rollCall.isAlone(),
    takeTokens: (requests) => takeTokens(db, requests, perSecond),
  });
  return {
    limit,
    fallbacks: () => limit.fallbacks,
    async stop() {
      await limit.drain();
      await rollCall.stop();
    },
  };
}
