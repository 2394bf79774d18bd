-- What is written once and loses its use with time lives in months: events, their deliveries and the attempts at these. A month
-- is dropped whole, which costs the same for a thousand rows and for a hundred million, and leaves nothing to vacuum. Orders,
-- transfers and the attempts at suppliers are records of money: they are never dropped, and their walls need one index over
-- all of them, so they stay as they are (docs/decisions/0023-months.md has the measurements).
--
-- An id begins with the millisecond it was made in, so a range of ids is a span of time. A delivery's id begins with that of its
-- event (id_beside), and an attempt is filed under its delivery's: so an event and all that belongs to it share one month, and
-- each month has walls of its own:
--   * an event's number is given once: the month's primary key. Over all months the counter's row says so, which is locked by
--     whoever takes a number; the audit compares the two.
--   * no delivery without its event, no attempt without its delivery: foreign keys within the month.
--   * one delivery for each endpoint and event: unique within the month, and by its foreign key that is the event's month. That it
--     is even the event's millisecond is what id_beside makes it, and the audit looks after.
-- Given up is the foreign key from an event to its account: its number comes from the account's row in feeds, which has one.
-- It cost each event a lock on the account's row, the one that every order of the account has to lock too.

-- The least id of a moment, whatever the version and variant.
create function first_id_at(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- The first day of the month, in UTC, in which an id was made.
create function month_of(id uuid) returns date language sql immutable strict parallel safe as $$
  select date_trunc('month', to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) at time zone 'UTC')::date
$$;

-- The bounds of all that id_beside can make of an id. Joins of events and deliveries give them, so that only one month is looked into.
create function first_beside(id uuid) returns uuid language sql immutable strict parallel safe as $$
  select (left(id::text, 14) || '0000-0000-000000000000')::uuid
$$;
create function last_beside(id uuid) returns uuid language sql immutable strict parallel safe as $$
  select (left(id::text, 14) || 'ffff-ffff-ffffffffffff')::uuid
$$;

-- The tables as they were, out of the way with all their names.
create schema before_months;
alter table events set schema before_months;
alter table webhook_deliveries set schema before_months;
alter table webhook_attempts set schema before_months;

create table events (
  account_id uuid not null,
  sequence bigint not null constraint events_sequence check (sequence > 0),
  id uuid not null,
  type text not null constraint events_type check (type in (
    'order.success', 'order.failed', 'order.refunded', 'balance.credited', 'balance.low', 'service.updated', 'webhook.test')),
  order_id uuid,
  data jsonb not null,
  created_at timestamptz not null
) partition by range (id);
-- What an order's page shows, and the audit.
create index events_by_order on events (account_id, order_id) where order_id is not null;
-- Recovery reads an account's events from a time on; the feed itself is read by sequence, the primary key of each month.
create index events_by_time on events (account_id, created_at);
create trigger events_are_immutable before update on events for each row execute function refuse_change();

create table webhook_deliveries (
  id uuid not null,
  endpoint_id uuid not null constraint webhook_deliveries_endpoint references webhook_endpoints (id),
  account_id uuid not null,
  sequence bigint not null,
  state text not null constraint webhook_deliveries_state check (state in ('Pending', 'Delivered', 'Failed', 'Cancelled')),
  -- Attempts of the present run: a delivery that is sent again starts anew, with its earlier attempts kept.
  tries integer not null default 0 constraint webhook_deliveries_tries check (tries >= 0),
  attempts integer not null default 0 constraint webhook_deliveries_attempts check (attempts >= tries),
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_due check ((state = 'Pending') = (next_attempt_at is not null))
) partition by range (id);
-- What an endpoint is to be sent next. Only what waits is in it, so that of a month long past is next to empty.
create index webhook_deliveries_due_first on webhook_deliveries (endpoint_id, next_attempt_at, sequence) where next_attempt_at is not null;
-- The former index by event is gone: an order's page finds the deliveries of its events by the account's endpoints.

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null constraint webhook_attempts_number check (number > 0),
  -- The HTTP status; null when there was no answer, and `error` says why.
  status integer constraint webhook_attempts_status check (status between 100 and 999),
  error text,
  duration_ms integer not null constraint webhook_attempts_duration check (duration_ms >= 0),
  -- The first KiB of the answer.
  response text,
  created_at timestamptz not null,
  constraint webhook_attempts_pkey primary key (delivery_id, number)
) partition by range (delivery_id);

-- The walls and settings that each month has for itself, as partitioned tables cannot have them.
create function finish_month(suffix text) returns void language plpgsql as $$
begin
  execute format('alter table events_%1$s add constraint events_%1$s_pkey primary key (account_id, sequence)', suffix);
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_once unique (endpoint_id, sequence)', suffix);
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_event
                  foreign key (account_id, sequence) references events_%1$s (account_id, sequence)', suffix);
  execute format('alter table webhook_attempts_%1$s add constraint webhook_attempts_%1$s_delivery
                  foreign key (delivery_id) references webhook_deliveries_%1$s (id)', suffix);
  -- Written once: frozen by the first vacuum that meets them, which is soon after, while they are still in memory.
  execute format('alter table events_%s set (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.05)', suffix);
  execute format('alter table webhook_attempts_%s set (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.05)', suffix);
  execute format('alter table webhook_deliveries_%s set (autovacuum_vacuum_scale_factor = 0.05)', suffix);
end
$$;

-- Where a row goes for whose month no partition was made in time, and where what still waits outlives its month.
create table events_rest partition of events default;
create table webhook_deliveries_rest partition of webhook_deliveries default;
create table webhook_attempts_rest partition of webhook_attempts default;
select finish_month('rest');

-- Makes the month of events, deliveries and attempts that begins at `month`, with the rows that have been waiting for it; answers
-- whether it was missing. A table is made whole before it is attached, so that nobody meets a month without its walls.
create function make_month(month date) returns boolean language plpgsql as $$
declare
  suffix text := to_char(month, 'YYYY_MM');
  lower_id uuid := first_id_at(month::timestamp at time zone 'UTC');
  upper_id uuid := first_id_at((month + interval '1 month') at time zone 'UTC');
  part text[];
begin
  if to_regclass('events_' || suffix) is not null then return false; end if;
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('create table %1$I (like %2$I including defaults including constraints)', part[1] || '_' || suffix, part[1]);
  end loop;
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_pkey primary key (id)', suffix);
  perform finish_month(suffix);
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('insert into %I select * from %I where %3$I >= %4$L and %3$I < %5$L',
                   part[1] || '_' || suffix, part[1] || '_rest', part[2], lower_id, upper_id);
  end loop;
  foreach part slice 1 in array array[['webhook_attempts', 'delivery_id'], ['webhook_deliveries', 'id'], ['events', 'id']] loop
    execute format('delete from %I where %2$I >= %3$L and %2$I < %4$L', part[1] || '_rest', part[2], lower_id, upper_id);
  end loop;
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                   part[1], part[1] || '_' || suffix, lower_id, upper_id);
  end loop;
  return true;
end
$$;

-- What there is already goes into its months.
select make_month(month::date)
from generate_series(
  month_of((select id from before_months.events order by id limit 1)),
  month_of((select id from before_months.events order by id desc limit 1)), interval '1 month') as month;
insert into events select account_id, sequence, id, type, order_id, data, created_at from before_months.events;
insert into webhook_deliveries (id, endpoint_id, account_id, sequence, state, tries, attempts, next_attempt_at, created_at, updated_at)
  select id, endpoint_id, account_id, sequence, state, tries, attempts, next_attempt_at, created_at, updated_at
  from before_months.webhook_deliveries;
insert into webhook_attempts (delivery_id, number, status, error, duration_ms, response, created_at)
  select delivery_id, number, status, error, duration_ms, response, created_at from before_months.webhook_attempts;
drop schema before_months cascade;

-- Events up to this number were dropped with their month. The feed begins after it.
alter table feeds add column expired bigint not null default 0 constraint feeds_expired check (expired between 0 and sequence);

create table expired_months (
  -- As in the tables' names.
  month text primary key constraint expired_months_form check (month ~ '^\d{4}_\d{2}$'),
  outcome text not null constraint expired_months_outcome check (outcome in ('dropped', 'archived')),
  expired_at timestamptz not null
);
comment on table expired_months is 'Months of events that are gone on purpose. The audit asks nothing of them.';

-- Autovacuum looks at a table when a fifth of it has died. Of the rows that every order updates that would be too late, of tables
-- that only grow too rarely.
alter table accounts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table feeds set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table webhook_endpoints set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table transfers set (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.05);
