import type { Db } from '../db/database.ts';
import { after, type Clock, DAY_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Backlog, cancelBacklogsOfDeleted } from './manage-endpoints.ts';
import { deleteLeftovers, expireMonth, fileStrays, listMonthsBefore, type Month, makeMonths } from './month-store.ts';

export interface Retention {
  /** Events are kept this long, with their deliveries and attempts; 0: for ever. */
  days: number;
  /** What becomes of a month after that: its tables are dropped, or set aside in the schema `archive`. */
  outcome: 'dropped' | 'archived';
}

export interface MonthDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

/** More than these waiting in one month stay where they are, and the month with them. */
const MAX_WAITING = 10_000;
const LEFTOVER_BATCH = 500;
/** Whoever uses the tables at the moment holds them for some milliseconds. */
const TRIES = 10;
const PAUSE_MS = SECOND_MS;

/**
 * Before the service takes orders: the present month and the next ones exist. Should that fail, events go to the table for what
 * has no month until the job moves them, so nothing is refused because of it.
 */
export async function prepareMonths({ db, clock, log }: MonthDeps): Promise<void> {
  try {
    await makeMonths(db, clock.now());
  } catch (error) {
    log.warn({ err: error }, 'Could not make the months of events ahead; it is tried again within a day.');
  }
}

/** Makes months ahead and moves what came too early for them. */
export async function keepMonthsAhead({ db, clock, log }: MonthDeps): Promise<{ made: number; filed: number }> {
  const tried = { clock, log };
  const made = await patiently(tried, () => makeMonths(db, clock.now()));
  return { made, filed: await patiently(tried, () => fileStrays(db, clock.now())) };
}

/** Removes the months that ended longer ago than events are kept. */
export async function expireMonths(
  { db, clock, log }: MonthDeps,
  { days, outcome }: Retention,
): Promise<{ expired: Month[]; kept: Month[]; cancelled: number; deleted: number }> {
  const { cancelled }: Backlog = await cancelBacklogsOfDeleted({ db, clock });
  const expired: Month[] = [];
  const kept: Month[] = [];
  const months = days === 0 ? [] : await listMonthsBefore(db, after(clock.now(), -days * DAY_MS));
  for (const month of months) {
    const removed = await patiently({ clock, log }, () =>
      expireMonth(db, month, { now: clock.now(), outcome, maxWaiting: MAX_WAITING }),
    );
    (removed === null ? kept : expired).push(month);
  }
  if (kept.length > 0) log.warn({ months: kept }, 'These months of events are kept: too many of their deliveries still wait.');
  let deleted = 0;
  for (let batch = LEFTOVER_BATCH; batch === LEFTOVER_BATCH; deleted += batch) batch = await deleteLeftovers(db, LEFTOVER_BATCH);
  return { expired, kept, cancelled, deleted };
}

async function patiently<Result>({ clock, log }: Pick<MonthDeps, 'clock' | 'log'>, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES) throw error;
      log.info({ err: error }, 'The tables of events were busy; trying again.');
      await clock.sleep(PAUSE_MS);
    }
  }
}
