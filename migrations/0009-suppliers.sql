-- What real suppliers need beyond the sandbox: their own name for a purchase, what they charged, and purchases that may not be
-- made twice for the same player at once or in a day. And why the program itself sends a supplier no orders.

alter table attempts
  add column supplier_reference text,
  add column charged bigint check (charged >= 0),
  -- Item and player, only where the supplier limits purchases of the same item for the same player; null elsewhere.
  add column limited_target text;

create index attempts_by_supplier_reference on attempts (supplier_code, supplier_reference) where supplier_reference is not null;
create index attempts_by_limited_target on attempts (supplier_code, limited_target, created_at) where limited_target is not null;
-- Without a reference of ours, two open purchases of the same item for the same player could never be told apart.
create unique index attempts_one_at_a_time on attempts (supplier_code, limited_target)
  where limited_target is not null and state not in ('Rejected', 'Reversed', 'Delivered');

alter table suppliers
  add column hold_kind text check (hold_kind in ('misconfigured', 'low_balance')),
  add column hold_reason text,
  add column hold_since timestamptz,
  add constraint suppliers_hold_whole check (
    (hold_kind is null) = (hold_reason is null) and (hold_kind is null) = (hold_since is null));

alter table routes
  -- The supplier takes the item for the same player only once a day.
  add column once_per_day boolean not null default false,
  -- The time of day, HH:MM in the installation's zone, in which the supplier does not sell the item; it may cross midnight.
  add column cut_off_start text,
  add column cut_off_end text,
  add constraint routes_cut_off check (
    (cut_off_start is null) = (cut_off_end is null)
    and cut_off_start ~ '^([01]\d|2[0-3]):[0-5]\d$' and cut_off_end ~ '^([01]\d|2[0-3]):[0-5]\d$');
