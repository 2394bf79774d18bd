-- Who may buy, and at which tier. Everything later hangs on the reseller: hot tables begin with the reseller's ledger account,
-- no transaction spans two of them, and so the same schema can be spread over machines by reseller.

create table revisions (
  topic text primary key check (topic in ('access', 'catalog', 'suppliers', 'settings')),
  value bigint not null
);
comment on table revisions is 'One number per kind of cached data, bumped by every change of it; processes poll these few rows and reload.';
insert into revisions values ('access', 0), ('catalog', 0), ('suppliers', 0), ('settings', 0);

create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);

create table tiers (
  code text primary key check (code ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  name text not null,
  pricing text not null check (pricing in ('list', 'percent', 'fixed')),
  -- 'percent': hundredths of a percent over cost; 'fixed': minor units over cost; 'list': unused.
  markup bigint not null default 0 check (markup >= 0),
  round_to bigint not null default 1 check (round_to between 1 and 1000000),
  floor_margin bigint not null default 0 check (floor_margin >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
insert into tiers values ('standard', 'Standard', 'list', 0, 1, 0, now(), now());

create table resellers (
  id uuid primary key,
  name text not null,
  username text not null constraint resellers_username unique check (username ~ '^[a-z0-9][a-z0-9._-]{1,63}$'),
  tier_code text not null constraint resellers_tier references tiers (code),
  status text not null check (status in ('Active', 'Suspended')),
  low_balance_threshold bigint check (low_balance_threshold >= 0),
  registered_at timestamptz not null,
  updated_at timestamptz not null
);

create table credentials (
  id uuid primary key,
  reseller_id uuid not null constraint credentials_reseller references resellers (id),
  mode text not null check (mode in ('live', 'test')),
  -- The token itself is never stored. It has more than 160 random bits, so a plain SHA-256 cannot be turned around.
  token_hash bytea not null constraint credentials_token_hash unique,
  token_hint text not null,
  -- The signing secret must be read again to check signatures: AES-256-GCM under the master key, bound to this row's id.
  secret_sealed bytea not null,
  scopes text[] not null check (scopes <@ array['read', 'order'] and cardinality(scopes) > 0),
  allowed_ips text[] not null default '{}',
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);
create index credentials_by_reseller on credentials (reseller_id);

create table audit_log (
  id uuid primary key,
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null,
  request_id text,
  created_at timestamptz not null
);
comment on table audit_log is 'What operators did, written in the transaction that did it. Rows are never changed.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger audit_log_is_immutable before update or delete on audit_log for each row execute function refuse_change();
create trigger audit_log_is_kept before truncate on audit_log for each statement execute function refuse_change();
