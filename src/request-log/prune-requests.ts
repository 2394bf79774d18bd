import type { Db } from '../db/database.ts';
import { after, type Clock, DAY_MS } from '../lib/clock.ts';
import { deleteRequestsBefore } from './store.ts';

/** Some milliseconds of the embedded engine's one connection, so that orders get their turn in between. */
const PRUNE_BATCH = 500;

/** Deletes what is older than `days`, batch by batch; 0: all. Answers how many. */
export async function pruneRequests({ db, clock, days }: { db: Db; clock: Clock; days: number }): Promise<{ deleted: number }> {
  const before = after(clock.now(), -days * DAY_MS);
  let deleted = 0;
  for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH; deleted += batch)
    batch = await deleteRequestsBefore(db, before, PRUNE_BATCH);
  return { deleted };
}
