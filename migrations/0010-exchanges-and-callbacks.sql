-- What went over the wire between us and suppliers, and what they told us unasked.

-- A diary for operators who look into an order: written off the path of orders, up to a second late, and deleted after some days.
-- Secrets were masked before it got here. Nothing relies on it, so it refers to nothing.
create table supplier_exchanges (
  -- Sorts by time.
  id uuid not null constraint supplier_exchanges_pkey primary key,
  supplier_code text not null,
  -- Our reference of the purchase it was about; null when it was about none.
  reference text,
  call text not null constraint supplier_exchanges_call check (call in ('place', 'check', 'lookup', 'balance', 'list')),
  -- What came of the call, and the supplier's words or our reason.
  outcome text not null,
  detail text,
  method text not null,
  url text not null,
  request_body text,
  -- HTTP status; null when no answer came.
  status integer,
  response_body text,
  -- Why no answer came.
  error text,
  duration_ms integer not null constraint supplier_exchanges_duration check (duration_ms >= 0),
  created_at timestamptz not null
);
-- The exchanges of an order's purchases.
create index supplier_exchanges_by_reference on supplier_exchanges (reference, id) where reference is not null;
-- Deleting what is old.
create index supplier_exchanges_by_time on supplier_exchanges (created_at);

-- Messages at our callback addresses. One that is the supplier's is on disk before it is answered, and is worked off from here:
-- it is a hint, and has the supplier asked.
create table supplier_callbacks (
  id uuid not null constraint supplier_callbacks_pkey primary key,
  supplier_code text not null constraint supplier_callbacks_supplier references suppliers (code),
  -- The same message within a day (UTC, counted from 1970) is one row that counts: suppliers repeat themselves, and so do those
  -- who try to deceive.
  day integer not null,
  digest bytea not null constraint supplier_callbacks_digest check (length(digest) = 32),
  method text not null,
  query text not null,
  body bytea not null constraint supplier_callbacks_body check (length(body) <= 65536),
  -- Those that matter, with what could be a secret or a signature masked.
  headers jsonb not null,
  remote_address text not null,
  reading text not null constraint supplier_callbacks_reading check (reading in ('hint', 'ping', 'forged', 'unreadable')),
  -- Why it is forged or cannot be read.
  reason text,
  -- What a hint tells: their word for the state, our reference, theirs.
  status text,
  reference text,
  supplier_reference text,
  -- Only hints have a state. Received: to be worked off. Asked: the supplier is asked. Settled: the purchase has ended, nothing is
  -- left to ask. Late: it contradicts what was settled, an operator was told. Unmatched: no purchase at this supplier has that name.
  state text constraint supplier_callbacks_state check (state in ('Received', 'Asked', 'Settled', 'Late', 'Unmatched')),
  order_id uuid,
  -- When a received one is worked off.
  due_at timestamptz,
  seen integer not null default 1 constraint supplier_callbacks_seen check (seen >= 1),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  handled_at timestamptz,
  constraint supplier_callbacks_once unique (supplier_code, day, digest),
  constraint supplier_callbacks_hint check ((reading = 'hint') = (state is not null)),
  -- The row is the job here too.
  constraint supplier_callbacks_due check ((due_at is not null) = (state is not null and state = 'Received'))
);
create index supplier_callbacks_to_do on supplier_callbacks (due_at) where due_at is not null;
-- Of what is no hint only the latest are kept, per supplier.
create index supplier_callbacks_others on supplier_callbacks (supplier_code, id) where reading <> 'hint';
create index supplier_callbacks_by_time on supplier_callbacks (last_seen_at);

-- A purchase that an operator sends another way is written down before a worker sends it for the first time.
alter table attempts drop constraint attempts_sends_check, add constraint attempts_sends check (sends >= 0);
