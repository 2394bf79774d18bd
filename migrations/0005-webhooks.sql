-- Telling resellers by HTTP what the feed tells: endpoints, their secrets, and one delivery per event and endpoint.

alter table events drop constraint events_type_check;
alter table events add constraint events_type check (type in (
  'order.success', 'order.failed', 'order.refunded', 'balance.credited', 'balance.low', 'service.updated', 'webhook.test'));
-- Recovery reads an account's events from a time on; the feed itself is read by sequence.
create index events_by_time on events (account_id, created_at);

-- Whether an account ever had an endpoint. It stands beside the counter that numbers events, whose lock whoever adds an endpoint
-- takes: so an event recorded after the endpoint cannot overlook it, and accounts without any cost no further look.
alter table feeds add column has_endpoints boolean not null default false;

create table webhook_endpoints (
  id uuid primary key,
  account_id uuid not null constraint webhook_endpoints_account references accounts (id),
  url text not null,
  -- The event types that are sent here; empty: all.
  types text[] not null default '{}',
  status text not null check (status in ('Active', 'Disabled', 'Deleted')),
  disabled_reason text constraint webhook_endpoints_reason check (disabled_reason in ('by_request', 'gone', 'failing')),
  -- Since when every attempt has failed; null while the last one succeeded.
  failing_since timestamptz,
  -- The endpoint is what a worker takes, not the single delivery: so one worker at a time calls it, and an endpoint that
  -- hangs holds up nobody else. Null when nothing waits or nothing may be sent.
  next_visit_at timestamptz,
  lease uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_endpoints_visit check (status = 'Active' or (next_visit_at is null and lease is null)),
  constraint webhook_endpoints_lease check (lease is null or next_visit_at is not null),
  constraint webhook_endpoints_why_disabled check ((status = 'Disabled') = (disabled_reason is not null))
) with (fillfactor = 70);
create index webhook_endpoints_by_account on webhook_endpoints (account_id);
-- The lanes of healthy and of failing endpoints each look for what is due next.
create index webhook_endpoints_due on webhook_endpoints ((failing_since is not null), next_visit_at) where next_visit_at is not null;

create table webhook_secrets (
  endpoint_id uuid not null constraint webhook_secrets_endpoint references webhook_endpoints (id),
  id uuid not null,
  -- AES-256-GCM under the master key, bound to this row's id.
  sealed bytea not null,
  -- Null for the current secret; a rotated one still signs until then, beside its successor.
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (endpoint_id, id)
);
create unique index webhook_secrets_one_current on webhook_secrets (endpoint_id) where expires_at is null;

create table webhook_deliveries (
  id uuid primary key,
  endpoint_id uuid not null constraint webhook_deliveries_endpoint references webhook_endpoints (id),
  account_id uuid not null,
  sequence bigint not null,
  state text not null check (state in ('Pending', 'Delivered', 'Failed', 'Cancelled')),
  -- Attempts of the present run: a delivery that is sent again starts anew, with its earlier attempts kept.
  tries integer not null default 0 check (tries >= 0),
  attempts integer not null default 0 check (attempts >= tries),
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_deliveries_event foreign key (account_id, sequence) references events (account_id, sequence),
  constraint webhook_deliveries_once unique (endpoint_id, sequence),
  constraint webhook_deliveries_due check ((state = 'Pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
create index webhook_deliveries_due_first on webhook_deliveries (endpoint_id, next_attempt_at, sequence) where next_attempt_at is not null;
create index webhook_deliveries_by_event on webhook_deliveries (account_id, sequence);

create table webhook_attempts (
  delivery_id uuid not null constraint webhook_attempts_delivery references webhook_deliveries (id),
  number integer not null check (number > 0),
  -- The HTTP status; null when there was no answer, and `error` says why.
  status integer check (status between 100 and 999),
  error text,
  duration_ms integer not null check (duration_ms >= 0),
  -- The first KiB of the answer.
  response text,
  created_at timestamptz not null,
  primary key (delivery_id, number)
);

-- A new identifier from the same millisecond as another, so that rows made by a statement still sort by time.
create function id_beside(id uuid) returns uuid language sql volatile as $$
  select (left(id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid
$$;
