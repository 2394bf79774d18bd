-- What suppliers say they did and charged, held against what we know of it. Nothing here moves money or changes an order.

-- Reports go by day. Attempts are written in the order of their time, so a few bytes for every stretch of the table find a day,
-- and cost the path of an order next to nothing.
create index attempts_by_day on attempts using brin (created_at) with (pages_per_range = 32);

-- A supplier's statement that an operator gave us, and what came of comparing it.
create table supplier_statements (
  id uuid not null constraint supplier_statements_pkey primary key,
  supplier_code text not null constraint supplier_statements_supplier references suppliers (code),
  -- The days it covers, both included, in the installation's zone.
  date_from text not null constraint supplier_statements_from check (date_from ~ '^\d{4}-\d\d-\d\d$'),
  date_to text not null constraint supplier_statements_to check (date_to ~ '^\d{4}-\d\d-\d\d$'),
  rows integer not null,
  -- How many of each finding, those included that are not kept one by one.
  counts jsonb not null,
  total_theirs bigint not null,
  total_ours bigint not null,
  actor text not null,
  created_at timestamptz not null
);
create index supplier_statements_of on supplier_statements (supplier_code, id);

-- What does not agree, the gravest first.
create table supplier_statement_lines (
  statement_id uuid not null constraint supplier_statement_lines_statement references supplier_statements (id),
  number integer not null,
  finding text not null,
  -- The line in the file; null for a purchase that the file does not have.
  line integer,
  reference text,
  supplier_reference text,
  their_status text,
  their_amount bigint,
  order_id uuid,
  attempt integer,
  -- As they were when the two were compared.
  attempt_state text,
  order_state text,
  our_amount bigint,
  constraint supplier_statement_lines_pkey primary key (statement_id, number)
);
