import type { Selectable } from 'kysely';
import type { EventsTable } from '../db/tables.ts';
import type { EventType, FeedEvent } from './event.ts';

/** The row of an event, alone or joined to its deliveries. */
export function toEvent(row: Selectable<EventsTable>): FeedEvent {
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

export function toRow(event: FeedEvent) {
  return {
    account_id: event.accountId,
    sequence: String(event.sequence),
    id: event.id,
    type: event.type,
    order_id: event.orderId,
    data: event.data,
    created_at: event.at,
  };
}
