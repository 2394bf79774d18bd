import type { ColumnType } from 'kysely';

/** A jsonb column: read as a value, written as its JSON text. */
export type Json<Value> = ColumnType<Value, string, string>;

export type OrderStateColumn = 'Process' | 'Success' | 'Failed' | 'Refunded';

export type AttemptStateColumn = 'Queued' | 'Sending' | 'Pending' | 'Unknown' | 'Delivered' | 'Rejected' | 'Reversed';
