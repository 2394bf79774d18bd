-- An order is its own job: while it is in Process the same row says when somebody looks at it again, and a CHECK keeps the two
-- together. There is no second table of work that could disagree.

create table orders (
  account_id uuid not null,
  id uuid not null,
  mode text not null,
  ref_id text not null check (ref_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
  -- Copied, not referred to: the order stays as it was sold even when the catalogue changes or the service goes.
  product_code text not null,
  service_code text not null,
  service_name text not null,
  user_id text not null check (length(user_id) between 1 and 64),
  zone text not null check (length(zone) <= 32),
  nickname text not null,
  price bigint not null check (price > 0),
  max_price bigint check (max_price >= 0),
  state text not null check (state in ('Process', 'Success', 'Failed', 'Refunded')),
  serial_number text,
  failure_code text,
  failure_message text,
  failure_fixable boolean,
  -- Who is to act on it, and when. A worker that takes the order writes its lease and moves the time to the lease's end, so a
  -- worker that dies loses it to the next one by itself.
  supplier_code text not null,
  next_action_at timestamptz,
  lease uuid,
  -- Set when the program may not decide any more: an operator does.
  review_since timestamptz,
  review_reason text,
  -- The operator who decided the outcome; null when the supplier's answers did.
  resolved_by text,
  debit_seq bigint not null,
  refund_seq bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint orders_pkey primary key (account_id, id),
  constraint orders_account foreign key (account_id, mode) references accounts (id, mode),
  -- For ever: a reference buys once.
  constraint orders_ref_id unique (account_id, ref_id),
  -- Both directions between an order and its money are foreign keys, checked at commit because they need each other.
  constraint orders_debit foreign key (account_id, debit_seq) references transfers (account_id, seq) deferrable initially deferred,
  constraint orders_refund foreign key (account_id, refund_seq) references transfers (account_id, seq) deferrable initially deferred,
  constraint orders_failure_whole check (
    (failure_code is null) = (failure_message is null) and (failure_code is null) = (failure_fixable is null)),
  constraint orders_review_whole check ((review_since is null) = (review_reason is null)),
  constraint orders_state_and_time check (
    case state
      when 'Process' then next_action_at is not null and serial_number is null and failure_code is null and refund_seq is null
      when 'Success' then failure_code is null and refund_seq is null
      -- Asked about further only where an operator decided before the supplier had: late news must be heard.
      when 'Failed' then (next_action_at is null or resolved_by is not null) and serial_number is null
        and failure_code is not null and refund_seq is not null
      when 'Refunded' then next_action_at is null and failure_code is not null and refund_seq is not null
    end)
);
alter table transfers add constraint transfers_order foreign key (account_id, order_id)
  references orders (account_id, id) deferrable initially deferred;

-- Operators look an order up by its id alone.
create index orders_by_id on orders (id);
-- The work list of each supplier: only orders that still have something to do are in it, so it stays small for ever.
create index orders_due on orders (supplier_code, next_action_at) where next_action_at is not null;
create index orders_in_review on orders (review_since) where review_since is not null;

create function guard_order() returns trigger language plpgsql as $$
begin
  if old.state <> new.state and (old.state, new.state) not in
    (('Process', 'Success'), ('Process', 'Failed'), ('Success', 'Refunded')) then
    raise exception 'an order never goes from % to %', old.state, new.state
      using errcode = 'check_violation', constraint = 'orders_transition';
  end if;
  if (old.account_id, old.id, old.ref_id, old.service_code, old.user_id, old.zone, old.price, old.debit_seq, old.created_at)
    is distinct from (new.account_id, new.id, new.ref_id, new.service_code, new.user_id, new.zone, new.price, new.debit_seq, new.created_at)
    or (old.refund_seq is not null and old.refund_seq is distinct from new.refund_seq) then
    raise exception 'what was ordered and paid never changes' using errcode = 'check_violation', constraint = 'orders_frozen';
  end if;
  return new;
end
$$;
create trigger orders_are_guarded before update on orders for each row execute function guard_order();
create trigger orders_are_never_deleted before delete on orders for each row execute function refuse_change();
create trigger orders_are_kept before truncate on orders for each statement execute function refuse_change();

create table attempts (
  account_id uuid not null,
  order_id uuid not null,
  number integer not null check (number between 1 and 100),
  supplier_code text not null,
  sku text not null,
  cost bigint not null,
  account_text text,
  -- Our name for this purchase at the supplier: written before the first byte leaves, so that we can always ask for it.
  reference text not null,
  -- Queued: known not to be at the supplier, to be sent. Sending: being sent, or its sender died. Pending, Unknown: to be asked
  -- for. Delivered, Rejected, Reversed: ended.
  state text not null check (state in ('Queued', 'Sending', 'Pending', 'Unknown', 'Delivered', 'Rejected', 'Reversed')),
  sends integer not null check (sends >= 1),
  checks integer not null default 0 check (checks >= 0),
  code text,
  message text,
  serial_number text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, order_id, number),
  constraint attempts_order foreign key (account_id, order_id) references orders (account_id, id)
);
-- The wall against delivering twice: no second attempt can exist beside one that has delivered or still may.
create unique index attempts_one_open on attempts (account_id, order_id)
  where state not in ('Rejected', 'Reversed');

create function guard_attempt() returns trigger language plpgsql as $$
begin
  if old.state <> new.state and (old.state in ('Rejected', 'Reversed') or (old.state = 'Delivered' and new.state <> 'Reversed')) then
    raise exception 'an attempt never goes from % to %', old.state, new.state
      using errcode = 'check_violation', constraint = 'attempts_transition';
  end if;
  return new;
end
$$;
create trigger attempts_are_guarded before update on attempts for each row execute function guard_attempt();
create trigger attempts_are_never_deleted before delete on attempts for each row execute function refuse_change();
