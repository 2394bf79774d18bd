import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';

/** What waits, in one mode. */
export interface WaitingOrders {
  mode: Mode;
  /** For an operator's decision, and since when the longest has. */
  inReview: number;
  reviewSince: Date | null;
  /** For their next step, which is due. */
  due: number;
}

/** Measurements may be asked for by anybody, the database no oftener than this. */
const KEPT_MS = 5 * SECOND_MS;

/** Orders that wait, over all processes, as read a few seconds ago at the most; null while the database does not tell. */
export function watchWaitingOrders({ db, clock }: { db: Db; clock: Clock }): () => Promise<WaitingOrders[] | null> {
  let last: { readAt: number; orders: Promise<WaitingOrders[] | null> } | null = null;
  return () => {
    const now = clock.now().getTime();
    if (last === null || now - last.readAt >= KEPT_MS)
      last = { readAt: now, orders: readWaitingOrders(db, clock.now()).catch(() => null) };
    return last.orders;
  };
}

/** From two small indices: of orders in review, and of those with a next step. */
export async function readWaitingOrders(db: Db, now: Date): Promise<WaitingOrders[]> {
  const { rows } = await sql<{ mode: Mode; in_review: bigint; review_since: Date | null; due: bigint }>`
    select mode, sum(in_review)::bigint as in_review, min(review_since) as review_since, sum(due)::bigint as due
    from (
      select mode, count(*) as in_review, min(review_since) as review_since, 0 as due
      from orders where review_since is not null group by mode
      union all
      select mode, 0, null, count(*) from orders where next_action_at <= ${now} group by mode
    ) as counted
    group by mode`.execute(db);
  return (['live', 'test'] as const).map((mode) => {
    const row = rows.find((one) => one.mode === mode);
    return {
      mode,
      inReview: Number(row?.in_review ?? 0),
      reviewSince: row?.review_since ?? null,
      due: Number(row?.due ?? 0),
    };
  });
}
