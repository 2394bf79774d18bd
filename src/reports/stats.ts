import { sql } from 'kysely';
import type { ReadDb } from '../db/database.ts';
import { after, HOUR_MS } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';

export interface OrderGroup {
  mode: Mode;
  key: string;
  orders: number;
  amount: bigint;
}

export interface Stats {
  since: Date;
  byState: OrderGroup[];
  byProduct: OrderGroup[];
  bySupplier: OrderGroup[];
  byHour: OrderGroup[];
  /** From the debit to the delivery, of orders that succeeded; null when there are none. */
  deliveryMs: { p50: number; p95: number; p99: number } | null;
  queue: { inProcess: number; due: number; inReview: number; oldestInProcess: Date | null };
}

/** Orders and money since a point in time, and how much is waiting now. */
export async function readStats(db: ReadDb, request: { now: Date; hours: number }): Promise<Stats> {
  const since = after(request.now, -request.hours * HOUR_MS);
  const groups = (key: 'state' | 'product_code' | 'supplier_code') => readGroups(db, since, sql.ref(key));
  return {
    since,
    byState: await groups('state'),
    byProduct: await groups('product_code'),
    bySupplier: await groups('supplier_code'),
    byHour: await readGroups(
      db,
      since,
      sql`to_char(date_trunc('hour', created_at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:00:00+00:00')`,
    ),
    deliveryMs: await readLatency(db, since),
    queue: await readQueue(db, request.now),
  };
}

async function readGroups(db: ReadDb, since: Date, key: ReturnType<typeof sql>): Promise<OrderGroup[]> {
  const { rows } = await sql<{ mode: Mode; key: string; orders: bigint; amount: bigint }>`
    select mode, ${key} as key, count(*) as orders, sum(price)::bigint as amount
    from orders where created_at >= ${since}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows.map((row) => ({ ...row, orders: Number(row.orders) }));
}

async function readLatency(db: ReadDb, since: Date): Promise<Stats['deliveryMs']> {
  const { rows } = await sql<{ values: number[] | null }>`
    select percentile_cont(array[0.5, 0.95, 0.99]) within group (order by (extract(epoch from updated_at - created_at) * 1000)::float8) as values
    from orders where created_at >= ${since} and state = 'Success'`.execute(db);
  const [p50, p95, p99] = rows[0]?.values ?? [];
  return p50 === undefined || p95 === undefined || p99 === undefined
    ? null
    : { p50: Math.round(p50), p95: Math.round(p95), p99: Math.round(p99) };
}

async function readQueue(db: ReadDb, now: Date): Promise<Stats['queue']> {
  const { rows } = await sql<{ in_process: bigint; due: bigint; in_review: bigint; oldest: Date | null }>`
    select count(*) filter (where state = 'Process') as in_process,
           count(*) filter (where next_action_at <= ${now}) as due,
           (select count(*) from orders where review_since is not null) as in_review,
           min(created_at) filter (where state = 'Process') as oldest
    from orders where next_action_at is not null`.execute(db);
  const row = rows[0];
  return {
    inProcess: Number(row?.in_process ?? 0n),
    due: Number(row?.due ?? 0n),
    inReview: Number(row?.in_review ?? 0n),
    oldestInProcess: row?.oldest ?? null,
  };
}
