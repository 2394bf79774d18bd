import type { Db } from '../db/database.ts';
import { startBatchWriter } from '../lib/batch-writer.ts';
import { after, type Clock, DAY_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ObserveCall } from '../suppliers/index.ts';
import { exchangesToKeep, type KeptExchange } from './exchange.ts';
import { deleteExchangesBefore, insertExchanges } from './exchange-store.ts';

/** Remembers what went over the wire to suppliers, so that an operator can see it beside the order. */
export interface ExchangeLog {
  observe: ObserveCall;
  /** Exchanges since the start that there was no room for, or that could not be written. */
  readonly lost: number;
  /** Writes what waits. Call when no supplier is called any more. */
  stop(): Promise<void>;
}

/** An exchange has up to 16 KiB of text, so that this is some tens of megabytes at the very most. */
const MAX_WAITING = 2_000;
const WRITE_BATCH = 100;
/** Some milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const PRUNE_BATCH = 500;

/** Keeps what is worth keeping for `days` days; 0: nothing. A job deletes what is older. */
export function openExchangeLog({ db, clock, log, days }: { db: Db; clock: Clock; log: Log; days: number }): ExchangeLog {
  const entries: KeptExchange[] = [];
  let lost = 0;
  let told = 0;
  const writer = startBatchWriter({
    clock,
    log,
    waiting: {
      get length() {
        return entries.length;
      },
      take: (limit: number) => entries.splice(0, limit),
      addLost(count: number) {
        lost += count;
      },
      takeDropped() {
        const untold = lost - told;
        told = lost;
        return untold;
      },
    },
    write: (batch) => insertExchanges(db, batch),
    batch: WRITE_BATCH,
    complaint: 'Exchanges with suppliers could not all be kept, their record has gaps; nothing else is affected.',
  });
  return {
    observe(call) {
      if (days === 0 || call.exchanges.length === 0) return;
      for (const exchange of exchangesToKeep(call)) {
        if (entries.length < MAX_WAITING) entries.push(exchange);
        else lost += 1;
      }
    },
    get lost() {
      return lost;
    },
    stop: () => writer.stop(),
  };
}

/** Deletes exchanges older than `days`, batch by batch; 0: all. Answers how many. */
export async function pruneExchanges({ db, clock, days }: { db: Db; clock: Clock; days: number }): Promise<{ deleted: number }> {
  const before = after(clock.now(), -days * DAY_MS);
  let deleted = 0;
  for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; deleted += batch)
    batch = await deleteExchangesBefore(db, before, PRUNE_BATCH);
  return { deleted };
}
