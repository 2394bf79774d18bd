-- What can be bought, from whom it comes, and what it costs us.

create table products (
  code text primary key check (code ~ '^[A-Z0-9]{1,16}$'),
  name text not null,
  account_description text not null,
  category text not null,
  status text not null check (status in ('Available', 'Unavailable', 'Maintenance')),
  -- [{key, label, type, required, pattern?, options?}]: the form of the player's account; drives checks, docs and screens.
  fields jsonb not null,
  nickname_lookup boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table services (
  code text primary key,
  product_code text not null constraint services_product references products (code),
  name text not null,
  cost bigint not null check (cost >= 0),
  price bigint not null check (price > 0),
  status text not null check (status in ('Available', 'Unavailable', 'Maintenance')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint services_code_form check (code ~ '^[A-Za-z0-9._-]{3,64}$' and starts_with(code, product_code || '-'))
);
create index services_by_product on services (product_code);

create table tier_prices (
  tier_code text not null references tiers (code),
  service_code text not null constraint tier_prices_service references services (code),
  price bigint not null check (price > 0),
  primary key (tier_code, service_code)
);

create table suppliers (
  code text primary key check (code ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  kind text not null,
  status text not null check (status in ('Active', 'Paused')),
  config jsonb not null,
  -- The secret fields of the configuration, sealed under the master key and bound to this row's code.
  secrets_sealed bytea,
  callback_key text not null,
  balance bigint,
  balance_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table routes (
  service_code text not null constraint routes_service references services (code),
  position integer not null check (position between 1 and 20),
  supplier_code text not null constraint routes_supplier references suppliers (code),
  sku text not null,
  cost bigint not null check (cost >= 0),
  account_template text,
  primary key (service_code, position)
);

-- Two sandbox suppliers, so that failing over from one to the other is real. They serve every test order, and live ones of
-- services without a route.
insert into suppliers values
  ('sandbox', 'sandbox', 'Active', '{}', null, 'sandbox', null, null, now(), now()),
  ('sandbox-2', 'sandbox', 'Active', '{}', null, 'sandbox-2', null, null, now(), now());

-- The sandbox's own book of what it took: it is a supplier, and a supplier remembers. Survives a restart as a real one would.
create table sandbox_orders (
  supplier_code text not null,
  reference text not null,
  user_id text not null,
  taken_at timestamptz not null,
  primary key (supplier_code, reference)
);
