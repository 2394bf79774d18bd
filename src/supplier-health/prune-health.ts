import type { Db } from '../db/database.ts';
import { after, type Clock, DAY_MS } from '../lib/clock.ts';
import { deleteBalancesBefore, deleteHealthBefore } from './health-store.ts';

const HEALTH_DAYS = 30;
const BALANCE_DAYS = 90;
/** Some milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const PRUNE_BATCH = 500;

/** Deletes what is kept of suppliers' health and balances, batch by batch, when it has grown old. */
export async function pruneHealth({ db, clock }: { db: Db; clock: Clock }): Promise<{ health: number; balances: number }> {
  const now = clock.now();
  const health = await inBatches((limit) => deleteHealthBefore(db, after(now, -HEALTH_DAYS * DAY_MS), limit));
  const balances = await inBatches((limit) => deleteBalancesBefore(db, after(now, -BALANCE_DAYS * DAY_MS), limit));
  return { health, balances };
}

async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; deleted += batch) batch = await remove(PRUNE_BATCH);
  return deleted;
}
