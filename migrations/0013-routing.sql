-- Which of a service's routes is tried first and which are not worth it, and what suppliers' price lists say about them.

create table service_routing (
  service_code text primary key constraint service_routing_service references services (code),
  -- Null in any of these: as for all services, which is the setting `routing`.
  preference text check (preference in ('fixed', 'cheapest', 'best')),
  margin_floor bigint check (margin_floor >= 0),
  sells_below_cost boolean,
  -- The service was made Unavailable because every route of it was, so it comes back when one does.
  closed_by_list boolean not null default false,
  updated_at timestamptz not null
);

-- Taken out of choice because the supplier's price list no longer has the item, or has it as not available.
alter table routes add column unavailable_since timestamptz;

create table supplier_lists (
  supplier_code text primary key constraint supplier_lists_supplier references suppliers (code),
  -- What the schedule does with a list.
  rule text not null check (rule in ('off', 'costs', 'prices', 'catalogue')),
  -- When the list was asked for last, and when it came last.
  asked_at timestamptz,
  read_at timestamptz,
  applied_at timestamptz,
  -- What came of the last reading, as operators see it.
  result jsonb
);

-- The list as it was last read, written only where it changed. An item that is no longer in it stays, with the time since when.
create table supplier_items (
  supplier_code text not null constraint supplier_items_supplier references suppliers (code),
  sku text not null,
  name text not null,
  cost bigint not null check (cost >= 0),
  available boolean not null,
  cut_off_start text,
  cut_off_end text,
  once_per_day boolean,
  first_seen_at timestamptz not null,
  gone_at timestamptz,
  primary key (supplier_code, sku)
);

-- What an item cost from when on; one row for each change.
create table supplier_item_prices (
  supplier_code text not null,
  sku text not null,
  at timestamptz not null,
  cost bigint not null,
  primary key (supplier_code, sku, at),
  constraint supplier_item_prices_item foreign key (supplier_code, sku) references supplier_items (supplier_code, sku)
);
