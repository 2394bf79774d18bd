import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { later } from '../db/transaction.ts';
import { required } from '../lib/assert.ts';
import { queueDeliveries } from './delivery-store.ts';
import type { FeedEvent, NewEvent } from './event.ts';
import { toEvent, toRow } from './event-row.ts';

export async function insertFeed(tx: Tx, accountId: string): Promise<void> {
  await tx.insertInto('feeds').values({ account_id: accountId }).execute();
}

/** From now on events of the account look for endpoints. Holds back everybody who records one until the transaction ends. */
export async function expectEndpoints(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('feeds').set({ has_endpoints: true }).where('account_id', '=', accountId).execute();
}

/**
 * Writes events in the transaction of the change they tell of, numbered per account without a gap: the counter rows are
 * locked (always in the same order) until the transaction ends, so no later event can become visible before an earlier one.
 * Their deliveries are written with them, to all endpoints that want the type, or to `onlyTo` whatever it wants.
 * Answers the events with their numbers.
 */
export async function recordEvents(tx: Tx, events: NewEvent[], onlyTo: string | null = null): Promise<FeedEvent[]> {
  const [first] = events;
  if (first === undefined) return [];
  const accountIds = [...new Set(events.map((event) => event.accountId))];
  const { rows: feeds } = await sql<{ account_id: string; sequence: bigint; has_endpoints: boolean }>`
    select account_id, sequence, has_endpoints from feeds
    where account_id in (select value::uuid from json_array_elements_text(${JSON.stringify(accountIds)}::json))
    order by account_id
    for no key update`.execute(tx);
  const counters = new Map(feeds.map((feed) => [feed.account_id, feed.sequence]));
  const numbered = events.map((event): FeedEvent => {
    const sequence = required(counters.get(event.accountId), 'the feed of an account') + 1n;
    counters.set(event.accountId, sequence);
    return { ...event, sequence };
  });
  const rows = numbered.map(toRow);
  const ends = [...counters].map(([accountId, sequence]) => ({ account_id: accountId, sequence: String(sequence) }));
  await later(
    tx,
    sql`
    with written as (
      insert into events (account_id, sequence, id, type, order_id, data, created_at)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        account_id uuid, sequence bigint, id uuid, type text, order_id uuid, data jsonb, created_at timestamptz)
    )
    update feeds set sequence = row.sequence
    from json_to_recordset(${JSON.stringify(ends)}::json) as row (account_id uuid, sequence bigint)
    where feeds.account_id = row.account_id`,
  );
  const withEndpoints = new Set(feeds.filter((feed) => feed.has_endpoints).map((feed) => feed.account_id));
  const told = rows.filter((row) => withEndpoints.has(row.account_id)).map(({ data: _, ...row }) => row);
  if (told.length > 0) await queueDeliveries(tx, told, first.at, onlyTo);
  return numbered;
}

/** A page of a feed, or where the feed begins by now: whoever has read up to a number before that has missed something. */
export type FeedPage = { kind: 'events'; events: FeedEvent[] } | { kind: 'expired'; first: bigint };

/** The feed of an account from just after `after` on, oldest first. After 0 it begins with the oldest event that is kept. */
export async function listEvents(db: Db, accountId: string, after: bigint, limit: number): Promise<FeedPage> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('sequence', '>', sql<bigint>`greatest(${after}, (select expired from feeds where account_id = ${accountId}))`)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  // Asked for afterwards: a month that was dropped meanwhile is noticed, at worst too early.
  const feed = await db.selectFrom('feeds').select('expired').where('account_id', '=', accountId).executeTakeFirst();
  const expired = feed?.expired ?? 0n;
  if (after > 0n && after < expired) return { kind: 'expired', first: expired + 1n };
  return { kind: 'events', events: rows.map(toEvent) };
}

export async function listOrderEvents(db: Db, accountId: string, orderId: string): Promise<FeedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('order_id', '=', orderId)
    .orderBy('sequence')
    .execute();
  return rows.map(toEvent);
}
