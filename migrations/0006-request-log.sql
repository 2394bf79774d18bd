-- What a reseller's programs asked lately and how it was answered, so that the reseller can find a mistake without asking us.
-- It is a diary and not a record: sampled under load, written up to a second later, deleted after some days. Nothing relies on
-- it. So no foreign key either: it would lock the account's row, which every order of the account has to lock too.

create table request_log (
  account_id uuid not null,
  -- Sorts by time, so the pages of an account and its spans of time are ranges of the key.
  id uuid not null,
  request_id text not null,
  method text not null,
  path text not null,
  status integer not null constraint request_log_status check (status between 100 and 599),
  -- The error's code and message; null when the request succeeded.
  code text,
  message text,
  duration_ms integer not null constraint request_log_duration check (duration_ms >= 0),
  -- The body or the query, redacted before it got here; null when there was none.
  request jsonb,
  created_at timestamptz not null,
  primary key (account_id, id)
);
-- Whoever opens the log looks for what failed; among a day of successes that must not take a scan.
create index request_log_failures on request_log (account_id, id) where status >= 400;
-- Deleting what is old.
create index request_log_by_time on request_log (created_at);
