import { sql } from 'kysely';
import { type Clock, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Db } from './database.ts';

/**
 * How far this machine's clock is from the database's, which is the one clock that all processes share. Leases and waits are
 * written by one machine and read by another: one that is minutes ahead takes the orders of workers that live.
 */
export interface ClockWatch {
  /** Positive: this machine is ahead. Null: not known. */
  aheadMs(): number | null;
  /** Too far to take work. */
  isFarOff(): boolean;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** While it is wrong: whoever sets it right wants to see that. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;
const WARN_MS = 2 * SECOND_MS;
/** Two machines so far off in opposite directions still keep within the slack of a lease. */
const FAR_OFF_MS = 5 * SECOND_MS;
/** An answer that took longer tells too little. */
const MAX_ROUND_TRIP_MS = SECOND_MS;

/** One process with its own database has one clock. */
export const ONE_CLOCK: ClockWatch = { aheadMs: () => 0, isFarOff: () => false, stop: async () => {} };

/** Looks now, and then each minute. */
export async function watchClock({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Promise<ClockWatch> {
  const stopping = new AbortController();
  let aheadMs: number | null = null;
  const isFarOff = () => aheadMs !== null && Math.abs(aheadMs) > FAR_OFF_MS;

  const look = async () => {
    const measured = await measure(db, clock);
    if (measured === null) return;
    aheadMs = measured;
    if (Math.abs(measured) <= WARN_MS) return;
    const consequence = isFarOff() ? 'This process takes no orders until it is set right' : 'Set it right';
    log.error(
      { ahead_seconds: measured / SECOND_MS },
      `This machine's clock is ${describe(measured)} the database's. ${consequence} (NTP).`,
    );
  };

  await look();
  const watching = (async () => {
    for (;;) {
      await clock.sleep(isFarOff() ? LOOK_AGAIN_MS : LOOK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      await look().catch((error: unknown) => log.warn({ err: error }, "The database's clock could not be read."));
    }
  })();
  return {
    aheadMs: () => aheadMs,
    isFarOff,
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

async function measure(db: Db, clock: Clock): Promise<number | null> {
  const before = clock.now().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const after = clock.now().getTime();
  const [row] = rows;
  if (!row || after - before > MAX_ROUND_TRIP_MS) return null;
  return Math.round((before + after) / 2 - row.now.getTime());
}

function describe(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / SECOND_MS);
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
