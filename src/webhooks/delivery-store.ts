import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { EventsTable, WebhookAttemptsTable, WebhookDeliveriesTable } from '../db/tables.ts';
import { later } from '../db/transaction.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { Attempt, AttemptError, Delivery, DeliveryState } from './delivery.ts';
import { toEvent } from './event-row.ts';

/** An event as `queueDeliveries` needs it. */
export interface QueuedEvent {
  id: string;
  account_id: string;
  sequence: string;
  type: string;
  created_at: Date;
}

/**
 * Writes the deliveries of events that this transaction has written, and has their endpoints visited. An endpoint that a
 * worker holds is not due any earlier: the worker looks for more when it lets go.
 */
export async function queueDeliveries(tx: Tx, events: QueuedEvent[], at: Date, onlyTo: string | null): Promise<void> {
  const accountIds = JSON.stringify([...new Set(events.map((event) => event.account_id))]);
  // A statement of its own: only one that begins after the locks are held sees what was written meanwhile, above all that a
  // worker has let go of an endpoint and will not come back for what is written here.
  const { rows: endpoints } = await sql<{ id: string }>`
    select id from webhook_endpoints
    where status = 'Active' and account_id in (select value::uuid from json_array_elements_text(${accountIds}::json))
      and (${onlyTo}::uuid is null or id = ${onlyTo}::uuid)
    order by id
    for no key update`.execute(tx);
  const endpointIds = JSON.stringify(endpoints.map(({ id }) => id));
  await later(
    tx,
    sql`
    with event as (
      select * from json_to_recordset(${JSON.stringify(events)}::json) as row (
        account_id uuid, sequence bigint, id uuid, type text, created_at timestamptz)
    ), endpoint as (
      select id, account_id, types from webhook_endpoints
      where id in (select value::uuid from json_array_elements_text(${endpointIds}::json))
    ), queued as (
      insert into webhook_deliveries (id, endpoint_id, account_id, sequence, state, next_attempt_at, created_at, updated_at)
      select id_beside(event.id), endpoint.id, account_id, event.sequence, 'Pending', event.created_at, event.created_at,
             event.created_at
      from event join endpoint using (account_id)
      where ${onlyTo}::uuid is not null or cardinality(endpoint.types) = 0 or event.type = any (endpoint.types)
      returning endpoint_id
    )
    update webhook_endpoints set next_visit_at = least(next_visit_at, ${at}::timestamptz)
    where lease is null and id in (select endpoint_id from queued)`,
  );
}

/** The ids of an event and its deliveries begin with the same time. Saying so lets the database look into one month, not into all. */
const BESIDE_DELIVERY = sql.raw<boolean>('event.id between first_beside(delivery.id) and last_beside(delivery.id)');

/** What is due at these endpoints, for each the oldest first and at most `perEndpoint`. */
export async function findDueDeliveries(tx: Tx, endpointIds: string[], perEndpoint: number, now: Date): Promise<Delivery[]> {
  const { rows } = await sql<DeliveryRow>`
    select delivery.*, event.id as event_id, event.type, event.order_id, event.data, event.created_at as event_created_at
    from json_array_elements_text(${JSON.stringify(endpointIds)}::json) as endpoint
    cross join lateral (
      select * from webhook_deliveries
      where endpoint_id = endpoint.value::uuid and next_attempt_at <= ${now}
      order by next_attempt_at, sequence
      limit ${perEndpoint}) as delivery
    join events as event on event.account_id = delivery.account_id and event.sequence = delivery.sequence
      and ${BESIDE_DELIVERY}`.execute(tx);
  return rows.map(toDelivery);
}

export async function findDeliveries(db: Db, ids: string[]): Promise<Delivery[]> {
  const rows = await withEvent(db).where(areAmong(ids)).execute();
  return rows.map(toDelivery);
}

/** The bounds leave out months without any of the ids before the statement runs. */
function areAmong(ids: string[]) {
  const [first, last] = boundsOf(ids);
  return sql<boolean>`delivery.id in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json))
    and delivery.id between ${first} and ${last}`;
}

function boundsOf(ids: string[]): [first: string | null, last: string | null] {
  const sorted = ids.toSorted();
  return [sorted[0] ?? null, sorted.at(-1) ?? null];
}

/** One delivery of the account, at an endpoint that was not deleted. */
export async function findDelivery(db: Db, accountId: string, id: string): Promise<Delivery | null> {
  const row = await withEvent(db)
    .where('delivery.id', '=', id)
    .where('delivery.account_id', '=', accountId)
    .where('delivery.endpoint_id', 'in', (endpoints) =>
      endpoints.selectFrom('webhook_endpoints').select('id').where('account_id', '=', accountId).where('status', '!=', 'Deleted'),
    )
    .executeTakeFirst();
  return row ? toDelivery(row) : null;
}

/** The delivery of one event to one endpoint. */
export async function findDeliveryOf(db: Db, endpointId: string, sequence: bigint): Promise<Delivery | null> {
  const row = await withEvent(db)
    .where('delivery.endpoint_id', '=', endpointId)
    .where('delivery.sequence', '=', sequence)
    .executeTakeFirst();
  return row ? toDelivery(row) : null;
}

/** The deliveries to an endpoint, the latest event first. */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  filter: { state?: DeliveryState | undefined; before?: bigint | undefined; limit: number },
): Promise<Page<Delivery>> {
  let query = withEvent(db)
    .where('delivery.endpoint_id', '=', endpointId)
    .orderBy('delivery.sequence', 'desc')
    .limit(filter.limit + 1);
  if (filter.state) query = query.where('delivery.state', '=', filter.state);
  if (filter.before !== undefined) query = query.where('delivery.sequence', '<', filter.before);
  const rows = await query.execute();
  return toPage(rows.map(toDelivery), filter.limit, (delivery) => String(delivery.event.sequence));
}

/** The deliveries of an order's events, to all endpoints, in the sequence of the events. */
export async function listOrderDeliveries(db: Db, accountId: string, orderId: string): Promise<Delivery[]> {
  // By way of the endpoints, of which an account has few: what is unique about a delivery is its endpoint and its event.
  const rows = await withEvent(db)
    .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'delivery.endpoint_id')
    .where('endpoint.account_id', '=', accountId)
    .where('event.account_id', '=', accountId)
    .where('event.order_id', '=', orderId)
    .orderBy('delivery.sequence')
    .orderBy('delivery.id')
    .execute();
  return rows.map(toDelivery);
}

/** The attempts of these deliveries, in order. */
export async function findAttemptsOf(db: Db, deliveries: Delivery[]): Promise<Map<string, Attempt[]>> {
  if (deliveries.length === 0) return new Map();
  const ids = deliveries.map(({ id }) => id);
  const rows = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', 'in', ids)
    .orderBy('delivery_id')
    .orderBy('number')
    .execute();
  const byDelivery = Map.groupBy(rows, (row) => row.delivery_id);
  return new Map([...byDelivery].map(([id, group]) => [id, group.map(toAttempt)]));
}

/** Writes attempts, and what they made of their deliveries. The endpoints must be locked. */
export async function saveAttempts(
  tx: Tx,
  deliveries: Delivery[],
  attempts: (Attempt & { deliveryId: string })[],
): Promise<void> {
  if (attempts.length === 0) return;
  const updates = deliveries.map(toUpdate);
  const [first, last] = boundsOf(deliveries.map(({ id }) => id));
  const rows = attempts.map((attempt) => ({
    delivery_id: attempt.deliveryId,
    number: attempt.number,
    status: attempt.status,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    response: attempt.response,
    created_at: attempt.at,
  }));
  await sql`
    with written as (
      insert into webhook_attempts (delivery_id, number, status, error, duration_ms, response, created_at)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        delivery_id uuid, number integer, status integer, error text, duration_ms integer, response text, created_at timestamptz)
    )
    update webhook_deliveries set state = row.state, tries = row.tries, attempts = row.attempts,
      next_attempt_at = row.next_attempt_at, updated_at = row.updated_at
    from json_to_recordset(${JSON.stringify(updates)}::json) as row (
      id uuid, state text, tries integer, attempts integer, next_attempt_at timestamptz, updated_at timestamptz)
    where webhook_deliveries.id = row.id and webhook_deliveries.id between ${first} and ${last}`.execute(tx);
}

/** Puts a delivery at the beginning of the schedule, due now. The endpoint must be locked. */
export async function restartDelivery(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'Pending', tries: 0, next_attempt_at: now, updated_at: now })
    .where('id', '=', id)
    .execute();
}

/** Cancels what waits for a deleted endpoint, at most `limit`; answers how much. The endpoint must be locked. */
export async function cancelDeliveries(tx: Tx, endpointId: string, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set state = 'Cancelled', next_attempt_at = null, updated_at = ${now}
    where id = any(array(
      select id from webhook_deliveries where endpoint_id = ${endpointId} and next_attempt_at is not null
      order by next_attempt_at limit ${limit}))`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * What waits for an endpoint is due now: its receiver is said to be back. What was tried since then has its next time from that
 * and keeps it. At most `limit`; answers how much. The endpoint must be locked.
 */
export async function hurryDeliveries(tx: Tx, endpointId: string, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set next_attempt_at = ${now}
    where id = any(array(
      select id from webhook_deliveries where endpoint_id = ${endpointId} and next_attempt_at > ${now} and updated_at <= ${now}
      order by next_attempt_at limit ${limit}))`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Makes due what an endpoint has not taken of the events since a time: deliveries that failed or wait start anew, events that
 * were recorded while it was disabled, or not there yet, get one. Oldest first, at most `limit`; answers how many.
 */
export async function recoverDeliveries(
  tx: Tx,
  endpoint: { id: string; accountId: string; types: string[] },
  recovery: { since: Date; now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    with missed as (
      select event.account_id, event.sequence, event.id, delivery.id as delivery_id
      from events as event
      left join webhook_deliveries as delivery
        on delivery.endpoint_id = ${endpoint.id} and delivery.sequence = event.sequence
          and delivery.id between first_beside(event.id) and last_beside(event.id)
      where event.account_id = ${endpoint.accountId} and event.created_at >= ${recovery.since}
        and event.type <> 'webhook.test'
        and (${endpoint.types.length === 0} or event.type in (select json_array_elements_text(${JSON.stringify(endpoint.types)}::json)))
        and (delivery.id is null or delivery.state in ('Failed', 'Cancelled') or delivery.next_attempt_at > ${recovery.now})
      order by event.sequence
      limit ${recovery.limit}
    ), restarted as (
      update webhook_deliveries set state = 'Pending', tries = 0, next_attempt_at = ${recovery.now}, updated_at = ${recovery.now}
      where id in (select delivery_id from missed where delivery_id is not null)
    ), made as (
      insert into webhook_deliveries (id, endpoint_id, account_id, sequence, state, next_attempt_at, created_at, updated_at)
      select id_beside(id), ${endpoint.id}, account_id, sequence, 'Pending', ${recovery.now}, ${recovery.now}, ${recovery.now}
      from missed where delivery_id is null
    )
    select count(*) as count from missed`.execute(tx);
  return Number(rows[0]?.count ?? 0n);
}

type DeliveryRow = Selectable<WebhookDeliveriesTable> &
  Pick<Selectable<EventsTable>, 'type' | 'order_id' | 'data'> & { event_id: string; event_created_at: Date };

function withEvent(db: Db) {
  return db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('events as event', (join) =>
      join
        .onRef('event.account_id', '=', 'delivery.account_id')
        .onRef('event.sequence', '=', 'delivery.sequence')
        .on(BESIDE_DELIVERY),
    )
    .selectAll('delivery')
    .select(['event.id as event_id', 'event.type', 'event.order_id', 'event.data', 'event.created_at as event_created_at']);
}

function toUpdate(delivery: Delivery) {
  return {
    id: delivery.id,
    state: delivery.state,
    tries: delivery.tries,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    updated_at: delivery.updatedAt,
  };
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    event: toEvent({ ...row, id: row.event_id, created_at: row.event_created_at }),
    state: row.state,
    tries: row.tries,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toAttempt(row: Selectable<WebhookAttemptsTable>): Attempt {
  return {
    number: row.number,
    status: row.status,
    error: row.error as AttemptError | null,
    durationMs: row.duration_ms,
    response: row.response,
    at: row.created_at,
  };
}
