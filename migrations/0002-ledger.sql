-- The ledger: the only record of money. A transfer moves one amount from one account to another, so every row balances by
-- construction; constraints, not code, refuse what must never be written.

-- The accounts on the other side of a reseller's: what was paid in, what was sold, what operators corrected. They have no
-- stored balance, because one hot row for all resellers would make every order wait for every other.
create function system_account(mode text, name text) returns uuid language sql immutable parallel safe as $$
  select case mode || ':' || name
    when 'live:cash' then '00000000-0000-7000-8000-000000000011'::uuid
    when 'live:sales' then '00000000-0000-7000-8000-000000000012'::uuid
    when 'live:adjustments' then '00000000-0000-7000-8000-000000000013'::uuid
    when 'test:cash' then '00000000-0000-7000-8000-000000000021'::uuid
    when 'test:sales' then '00000000-0000-7000-8000-000000000022'::uuid
    when 'test:adjustments' then '00000000-0000-7000-8000-000000000023'::uuid
  end
$$;

create table accounts (
  id uuid primary key,
  reseller_id uuid not null constraint accounts_reseller references resellers (id),
  mode text not null check (mode in ('live', 'test')),
  balance bigint not null default 0 constraint accounts_never_negative check (balance >= 0),
  -- The number of the last transfer, and the end of the chain of hashes over all of them.
  seq bigint not null default 0 check (seq >= 0),
  head bytea not null default '\x',
  constraint accounts_one_per_mode unique (reseller_id, mode),
  constraint accounts_id_and_mode unique (id, mode)
) with (fillfactor = 50);
comment on table accounts is 'A reseller''s prepaid balance in one mode. Half-empty pages let the balance be updated in place (HOT), without touching an index.';

create table transfers (
  account_id uuid not null,
  seq bigint not null check (seq > 0),
  id uuid not null,
  mode text not null,
  kind text not null,
  debit_account uuid not null,
  credit_account uuid not null,
  amount bigint not null constraint transfers_amount_positive check (amount > 0),
  balance_after bigint not null constraint transfers_never_negative check (balance_after >= 0),
  order_id uuid,
  reference text not null,
  created_at timestamptz not null,
  hash bytea not null check (length(hash) = 32),
  -- (account, seq) proves a linear history: two writers cannot both be transfer number 7.
  constraint transfers_pkey primary key (account_id, seq),
  constraint transfers_account foreign key (account_id, mode) references accounts (id, mode),
  constraint transfers_kind_fits_accounts check (
    case kind
      when 'deposit' then debit_account = system_account(mode, 'cash') and credit_account = account_id
      when 'order' then debit_account = account_id and credit_account = system_account(mode, 'sales')
      when 'refund' then debit_account = system_account(mode, 'sales') and credit_account = account_id
      when 'reversal' then debit_account = system_account(mode, 'sales') and credit_account = account_id
      when 'adjustment' then (debit_account = account_id and credit_account = system_account(mode, 'adjustments'))
        or (debit_account = system_account(mode, 'adjustments') and credit_account = account_id)
      else false
    end),
  constraint transfers_order_named check ((kind in ('order', 'refund', 'reversal')) = (order_id is not null))
);
-- At most one debit of an order, and at most one refund or reversal of it, for ever.
create unique index transfers_once_per_order on transfers (account_id, order_id, (kind = 'order')) where order_id is not null;
-- A deposit repeated with the same reference is the same deposit.
create unique index transfers_deposit_reference on transfers (account_id, reference) where kind = 'deposit';

create trigger transfers_are_immutable before update or delete on transfers for each row execute function refuse_change();
create trigger transfers_are_kept before truncate on transfers for each statement execute function refuse_change();

-- What resellers are told, numbered without a gap per account. The counter is a row of its own, so that telling of a
-- delivery does not wait for the balance.
create table feeds (
  account_id uuid primary key references accounts (id),
  sequence bigint not null default 0 check (sequence >= 0)
) with (fillfactor = 50);

create table events (
  account_id uuid not null constraint events_account references accounts (id),
  sequence bigint not null check (sequence > 0),
  id uuid not null,
  type text not null check (type in ('order.success', 'order.failed', 'order.refunded', 'balance.credited', 'balance.low')),
  order_id uuid,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, sequence)
);
create index events_by_order on events (account_id, order_id) where order_id is not null;
create trigger events_are_immutable before update on events for each row execute function refuse_change();
