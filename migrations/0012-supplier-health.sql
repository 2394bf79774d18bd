-- How each supplier has answered lately, over all processes and restarts, and what our balance there was. Both are counters and
-- readings about the past: they are pruned, and nothing that is about money is computed from them.

create table supplier_health (
  supplier_code text not null constraint supplier_health_supplier references suppliers (code),
  -- The beginning of five minutes. Every process adds what it saw in them.
  bucket timestamptz not null,
  -- What came of sending purchases.
  delivered integer not null,
  pending integer not null,
  -- Rejected because the order itself was at fault, and because of anything else.
  rejected integer not null,
  refused integer not null,
  unknown integer not null,
  not_sent integer not null,
  misconfigured integer not null,
  -- Taken at first, and refused when asked about later for a reason other than the order.
  failed_later integer not null,
  -- Questions about purchases, and those that brought nothing.
  checks integer not null,
  unknown_checks integer not null,
  -- Answers to purchases by the time they took, one counter for each class of the program's table.
  latencies integer[] not null,
  primary key (supplier_code, bucket)
);

create index supplier_health_by_bucket on supplier_health (bucket);

create table supplier_balances (
  supplier_code text not null constraint supplier_balances_supplier references suppliers (code),
  read_at timestamptz not null,
  balance bigint not null,
  primary key (supplier_code, read_at)
);

create index supplier_balances_by_time on supplier_balances (read_at);

alter table suppliers
  -- When a worker reads the balance next; whoever moves it on does it.
  add column balance_due_at timestamptz,
  -- When the program itself last ended a hold, and how long it had waited before the first probe: one that begins again right
  -- after it was ended is probed more rarely.
  add column hold_ended_at timestamptz,
  add column hold_wait_ms integer;
