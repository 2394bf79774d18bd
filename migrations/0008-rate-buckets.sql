-- Rate limits over several API processes. Both tables are unlogged: they cost no write-ahead log and no wait for the disk, and
-- a crash of the server empties them, which fills every bucket and lets each process report again within a second.
-- The embedded engine, which has one process, leaves them empty.

-- One row for each reseller whose bucket is not full. Not tied to `resellers`: the check of a foreign key would lock that row
-- for every share of tokens.
create unlogged table rate_buckets (
  reseller_id uuid primary key,
  -- When the bucket is full again, in microseconds since 1970 by the database's clock. A time in the past says what no row says.
  full_at bigint not null,
  -- The tokens that were given last: what the statement that gives them answers.
  granted bigint not null constraint rate_buckets_granted check (granted >= 0)
) with (fillfactor = 50);

-- The API processes that live: each writes its row every second.
create unlogged table api_processes (
  id uuid primary key,
  seen_at timestamptz not null
) with (fillfactor = 50);
