import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { invariant } from '../lib/assert.ts';

/** The month that an event belongs to with its deliveries and their attempts, as it stands in the tables' names: `2026_03`. */
export type Month = string;

/** Any fixed number: processes that make or drop months at the same moment queue behind this advisory lock. */
const LOCK_KEY = 784_531_222;
/** The present month and so many after it exist before they begin. */
const MONTHS_AHEAD = 2;

const ahead = (now: Date) => sql`
  generate_series(date_trunc('month', ${now}::timestamptz at time zone 'UTC'),
    date_trunc('month', ${now}::timestamptz at time zone 'UTC') + make_interval(months => ${MONTHS_AHEAD}), '1 month') as month`;

/** Makes the present month and the next ones, where they are missing; answers how many were. */
export async function makeMonths(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ missing: boolean }>`
    select bool_or(to_regclass('events_' || to_char(month, 'YYYY_MM')) is null) as missing from ${ahead(now)}`.execute(db);
  if (!rows[0]?.missing) return 0;
  return changeMonths(db, async (tx) => {
    const made = await sql<{ count: number }>`
      select (count(*) filter (where make_month(month::date)))::int as count from ${ahead(now)}`.execute(tx);
    return made.rows[0]?.count ?? 0;
  });
}

/**
 * Makes the months of rows that came when theirs was missing, and moves them there; answers how many. A month that has expired is
 * not made again: what is left of it waits to be sent.
 */
export async function fileStrays(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ month: string }>`
    select distinct to_char(month_of(id), 'YYYY_MM') as name, month_of(id)::text as month from events_rest
    where id < first_id_at((select max(month) + interval '1 month' from ${ahead(now)}) at time zone 'UTC')
      and to_char(month_of(id), 'YYYY_MM') not in (select month from expired_months)
    order by month`.execute(db);
  for (const { month } of rows) await changeMonths(db, (tx) => sql`select make_month(${month}::date)`.execute(tx));
  return rows.length;
}

/** The months that ended before `time`, oldest first. */
export async function listMonthsBefore(db: Db, time: Date): Promise<Month[]> {
  const { rows } = await sql<{ month: Month }>`
    select right(relname, 7) as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'events'::regclass and relname ~ '^events_\\d{4}_\\d{2}$'
      and (to_date(right(relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= ${time}
    order by month`.execute(db);
  return rows.map(({ month }) => month);
}

/**
 * Removes a month whole. Deliveries in it that still wait stay, with their events and attempts: they move to the tables for what
 * has no month, where they are sent as before. Answers null, and leaves the month alone, when more than `maxWaiting` wait.
 */
export async function expireMonth(
  db: Db,
  month: Month,
  expiry: { now: Date; outcome: 'dropped' | 'archived'; maxWaiting: number },
): Promise<{ waiting: number } | null> {
  const { events, deliveries, attempts } = tablesOf(month);
  return changeMonths(db, async (tx) => {
    // What waits is little and in an index of its own; without statistics the planner would read the whole month for it.
    await sql`set local enable_seqscan = off`.execute(tx);
    const counted = await sql<{ waiting: number }>`
      select count(*)::int as waiting
      from (select from ${deliveries} where next_attempt_at is not null limit ${expiry.maxWaiting + 1}) as row`.execute(tx);
    const waiting = counted.rows[0]?.waiting ?? 0;
    if (waiting > expiry.maxWaiting) return null;
    await moveFeedsPast(tx, month);
    // The other way round than they refer to each other: what is detached refers to nothing that stays.
    for (const table of ['webhook_attempts', 'webhook_deliveries', 'events'])
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(`${table}_${month}`)}`.execute(tx);
    // Row by row of what waits (`offset 0` keeps the planner from another way).
    await sql`
      insert into events
      select distinct on (event.account_id, event.sequence) event.*
      from ${deliveries} as delivery cross join lateral (
        select * from ${events} where account_id = delivery.account_id and sequence = delivery.sequence offset 0) as event
      where delivery.next_attempt_at is not null`.execute(tx);
    await sql`insert into webhook_deliveries select * from ${deliveries} where next_attempt_at is not null`.execute(tx);
    await sql`
      insert into webhook_attempts
      select attempt.*
      from ${deliveries} as delivery cross join lateral (
        select * from ${attempts} where delivery_id = delivery.id offset 0) as attempt
      where delivery.next_attempt_at is not null`.execute(tx);
    await removeTables(tx, month, expiry.outcome);
    await sql`
      insert into expired_months (month, outcome, expired_at) values (${month}, ${expiry.outcome}, ${expiry.now})
      on conflict (month) do nothing`.execute(tx);
    return { waiting };
  });
}

/** Deletes what waits no more of months that have expired, at most `limit` deliveries; answers how many. */
export async function deleteLeftovers(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as materialized (
      select id, account_id, sequence from webhook_deliveries_rest
      where next_attempt_at is null and to_char(month_of(id), 'YYYY_MM') in (select month from expired_months)
      limit ${limit}
    ), attempt as (
      delete from webhook_attempts_rest where delivery_id in (select id from old)
    ), delivery as (
      delete from webhook_deliveries_rest where id in (select id from old)
    ), event as (
      delete from events_rest as event using (select distinct account_id, sequence from old) as old
      where event.account_id = old.account_id and event.sequence = old.sequence
        and not exists (select from webhook_deliveries_rest as other
          where other.account_id = event.account_id and other.sequence = event.sequence and other.id not in (select id from old))
    )
    select count(*)::int as count from old`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The feeds begin after what is removed. Their rows are locked as whoever records events does: before the events, and in order. */
async function moveFeedsPast(tx: Tx, month: Month): Promise<void> {
  const { events } = tablesOf(month);
  await sql`select from feeds order by account_id for no key update`.execute(tx);
  await sql`
    update feeds set expired = last.sequence
    from feeds as feed cross join lateral (
      select sequence from ${events} where account_id = feed.account_id order by sequence desc limit 1) as last
    where feeds.account_id = feed.account_id and feeds.expired < last.sequence`.execute(tx);
}

async function removeTables(tx: Tx, month: Month, outcome: 'dropped' | 'archived'): Promise<void> {
  const { events, deliveries, attempts } = tablesOf(month);
  if (outcome === 'dropped') {
    await sql`drop table ${attempts}, ${deliveries}, ${events}`.execute(tx);
    return;
  }
  await sql`create schema if not exists archive`.execute(tx);
  for (const table of [attempts, deliveries, events]) await sql`alter table ${table} set schema archive`.execute(tx);
}

function tablesOf(month: Month) {
  invariant(/^\d{4}_\d{2}$/.test(month), 'a month is named by its year and number');
  return {
    events: sql.table(`events_${month}`),
    deliveries: sql.table(`webhook_deliveries_${month}`),
    attempts: sql.table(`webhook_attempts_${month}`),
  };
}

/**
 * Whoever changes months needs the tables alone for a moment. A statement that waits for that makes all others wait behind it, so
 * it gives up soon and is tried again: by its caller, at the next run. Not too soon: an autovacuum in the way yields after a second.
 */
function changeMonths<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(tx);
    await sql`set local lock_timeout = '2s'`.execute(tx);
    await sql`set local statement_timeout = '5min'`.execute(tx);
    return work(tx);
  });
}
