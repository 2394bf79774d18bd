import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { EventsTable } from '../db/tables.ts';
import { required } from '../lib/assert.ts';
import type { EventType, FeedEvent, NewEvent } from './event.ts';

export async function insertFeed(tx: Tx, accountId: string): Promise<void> {
  await tx.insertInto('feeds').values({ account_id: accountId }).execute();
}

/**
 * Writes events in the transaction of the change they tell of, numbered per account without a gap: the counter rows are
 * locked (always in the same order) until the transaction ends, so no later event can become visible before an earlier one.
 */
export async function recordEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const accountIds = [...new Set(events.map((event) => event.accountId))];
  const { rows: feeds } = await sql<{ account_id: string; sequence: bigint }>`
    select account_id, sequence from feeds
    where account_id in (select value::uuid from json_array_elements_text(${JSON.stringify(accountIds)}::json))
    order by account_id
    for no key update`.execute(tx);
  const counters = new Map(feeds.map((feed) => [feed.account_id, feed.sequence]));
  const rows = events.map((event) => {
    const sequence = required(counters.get(event.accountId), 'the feed of an account') + 1n;
    counters.set(event.accountId, sequence);
    return {
      account_id: event.accountId,
      sequence: String(sequence),
      id: event.id,
      type: event.type,
      order_id: event.orderId,
      data: event.data,
      created_at: event.at,
    };
  });
  const ends = [...counters].map(([accountId, sequence]) => ({ account_id: accountId, sequence: String(sequence) }));
  await sql`
    with written as (
      insert into events (account_id, sequence, id, type, order_id, data, created_at)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        account_id uuid, sequence bigint, id uuid, type text, order_id uuid, data jsonb, created_at timestamptz)
    )
    update feeds set sequence = row.sequence
    from json_to_recordset(${JSON.stringify(ends)}::json) as row (account_id uuid, sequence bigint)
    where feeds.account_id = row.account_id`.execute(tx);
}

/** The feed of an account from just after `after` on, oldest first. */
export async function listEvents(db: Db, accountId: string, after: bigint, limit: number): Promise<FeedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(toEvent);
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

function toEvent(row: Selectable<EventsTable>): FeedEvent {
  return {
    id: row.id,
    accountId: row.account_id,
    sequence: row.sequence,
    type: row.type as EventType,
    orderId: row.order_id,
    data: row.data,
    at: row.created_at,
  };
}
