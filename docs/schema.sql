-- Made by `npm run schema:dump` from the migrations. Do not edit.

CREATE OR REPLACE FUNCTION public.finish_month(suffix text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table events_%1$s add constraint events_%1$s_pkey primary key (account_id, sequence)', suffix);
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_once unique (endpoint_id, sequence)', suffix);
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_event
                  foreign key (account_id, sequence) references events_%1$s (account_id, sequence)', suffix);
  execute format('alter table webhook_attempts_%1$s add constraint webhook_attempts_%1$s_delivery
                  foreign key (delivery_id) references webhook_deliveries_%1$s (id)', suffix);
  -- Written once: frozen by the first vacuum that meets them, which is soon after, while they are still in memory.
  execute format('alter table events_%s set (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.05)', suffix);
  execute format('alter table webhook_attempts_%s set (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.05)', suffix);
  execute format('alter table webhook_deliveries_%s set (autovacuum_vacuum_scale_factor = 0.05)', suffix);
end
$function$
;

CREATE OR REPLACE FUNCTION public.first_beside(id uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select (left(id::text, 14) || '0000-0000-000000000000')::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.first_id_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.guard_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state <> new.state and (old.state in ('Rejected', 'Reversed') or (old.state = 'Delivered' and new.state <> 'Reversed')) then
    raise exception 'an attempt never goes from % to %', old.state, new.state
      using errcode = 'check_violation', constraint = 'attempts_transition';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.guard_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.id_beside(id uuid)
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select (left(id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.last_beside(id uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select (left(id::text, 14) || 'ffff-ffff-ffffffffffff')::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.make_month(month date)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  suffix text := to_char(month, 'YYYY_MM');
  lower_id uuid := first_id_at(month::timestamp at time zone 'UTC');
  upper_id uuid := first_id_at((month + interval '1 month') at time zone 'UTC');
  part text[];
begin
  if to_regclass('events_' || suffix) is not null then return false; end if;
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('create table %1$I (like %2$I including defaults including constraints)', part[1] || '_' || suffix, part[1]);
  end loop;
  execute format('alter table webhook_deliveries_%1$s add constraint webhook_deliveries_%1$s_pkey primary key (id)', suffix);
  perform finish_month(suffix);
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('insert into %I select * from %I where %3$I >= %4$L and %3$I < %5$L',
                   part[1] || '_' || suffix, part[1] || '_rest', part[2], lower_id, upper_id);
  end loop;
  foreach part slice 1 in array array[['webhook_attempts', 'delivery_id'], ['webhook_deliveries', 'id'], ['events', 'id']] loop
    execute format('delete from %I where %2$I >= %3$L and %2$I < %4$L', part[1] || '_rest', part[2], lower_id, upper_id);
  end loop;
  foreach part slice 1 in array array[['events', 'id'], ['webhook_deliveries', 'id'], ['webhook_attempts', 'delivery_id']] loop
    execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                   part[1], part[1] || '_' || suffix, lower_id, upper_id);
  end loop;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.month_of(id uuid)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select date_trunc('month', to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) at time zone 'UTC')::date
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% rows are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.system_account(mode text, name text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case mode || ':' || name
    when 'live:cash' then '00000000-0000-7000-8000-000000000011'::uuid
    when 'live:sales' then '00000000-0000-7000-8000-000000000012'::uuid
    when 'live:adjustments' then '00000000-0000-7000-8000-000000000013'::uuid
    when 'test:cash' then '00000000-0000-7000-8000-000000000021'::uuid
    when 'test:sales' then '00000000-0000-7000-8000-000000000022'::uuid
    when 'test:adjustments' then '00000000-0000-7000-8000-000000000023'::uuid
  end
$function$
;

create table accounts (
  id uuid not null,
  reseller_id uuid not null,
  mode text not null,
  balance bigint not null default 0,
  seq bigint not null default 0,
  head bytea not null default '\x'::bytea,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_id_and_mode UNIQUE (id, mode),
  constraint accounts_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint accounts_never_negative CHECK ((balance >= 0)),
  constraint accounts_one_per_mode UNIQUE (reseller_id, mode),
  constraint accounts_reseller FOREIGN KEY (reseller_id) REFERENCES resellers(id),
  constraint accounts_seq_check CHECK ((seq >= 0))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

create table api_processes (
  id uuid not null,
  seen_at timestamp with time zone not null,
  constraint api_processes_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table attempts (
  account_id uuid not null,
  order_id uuid not null,
  number integer not null,
  supplier_code text not null,
  sku text not null,
  cost bigint not null,
  account_text text,
  reference text not null,
  state text not null,
  sends integer not null,
  checks integer not null default 0,
  code text,
  message text,
  serial_number text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  supplier_reference text,
  charged bigint,
  limited_target text,
  under_way_at timestamp with time zone,
  unanswered_at timestamp with time zone,
  is_partial boolean not null default false,
  constraint attempts_pkey PRIMARY KEY (account_id, order_id, number),
  constraint attempts_charged_check CHECK ((charged >= 0)),
  constraint attempts_checks_check CHECK ((checks >= 0)),
  constraint attempts_number_check CHECK (((number >= 1) AND (number <= 100))),
  constraint attempts_order FOREIGN KEY (account_id, order_id) REFERENCES orders(account_id, id),
  constraint attempts_sends CHECK ((sends >= 0)),
  constraint attempts_state_check CHECK ((state = ANY (ARRAY['Queued'::text, 'Sending'::text, 'Pending'::text, 'Unknown'::text, 'Delivered'::text, 'Rejected'::text, 'Reversed'::text])))
);
CREATE INDEX attempts_by_day ON public.attempts USING brin (created_at) WITH (pages_per_range='32');
CREATE INDEX attempts_by_limited_target ON public.attempts USING btree (supplier_code, limited_target, created_at) WHERE (limited_target IS NOT NULL);
CREATE INDEX attempts_by_supplier_reference ON public.attempts USING btree (supplier_code, supplier_reference) WHERE (supplier_reference IS NOT NULL);
CREATE UNIQUE INDEX attempts_one_at_a_time ON public.attempts USING btree (supplier_code, limited_target) WHERE ((limited_target IS NOT NULL) AND (state <> ALL (ARRAY['Rejected'::text, 'Reversed'::text, 'Delivered'::text])));
CREATE UNIQUE INDEX attempts_one_open ON public.attempts USING btree (account_id, order_id) WHERE (state <> ALL (ARRAY['Rejected'::text, 'Reversed'::text]));
CREATE TRIGGER attempts_are_guarded BEFORE UPDATE ON public.attempts FOR EACH ROW EXECUTE FUNCTION guard_attempt();
CREATE TRIGGER attempts_are_never_deleted BEFORE DELETE ON public.attempts FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table audit_log (
  id uuid not null,
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null,
  request_id text,
  created_at timestamp with time zone not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (subject, id);
CREATE TRIGGER audit_log_is_immutable BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_is_kept BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table credentials (
  id uuid not null,
  reseller_id uuid not null,
  mode text not null,
  token_hash bytea not null,
  token_hint text not null,
  secret_sealed bytea not null,
  scopes text[] not null,
  allowed_ips text[] not null default '{}'::text[],
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint credentials_pkey PRIMARY KEY (id),
  constraint credentials_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint credentials_reseller FOREIGN KEY (reseller_id) REFERENCES resellers(id),
  constraint credentials_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'order'::text]) AND (cardinality(scopes) > 0))),
  constraint credentials_token_hash UNIQUE (token_hash)
);
CREATE INDEX credentials_by_reseller ON public.credentials USING btree (reseller_id);

create table events (
  account_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  order_id uuid,
  data jsonb not null,
  created_at timestamp with time zone not null,
  constraint events_sequence CHECK ((sequence > 0)),
  constraint events_type CHECK ((type = ANY (ARRAY['order.success'::text, 'order.failed'::text, 'order.refunded'::text, 'balance.credited'::text, 'balance.low'::text, 'service.updated'::text, 'webhook.test'::text])))
) partition by RANGE (id);
CREATE INDEX events_by_order ON ONLY public.events USING btree (account_id, order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX events_by_time ON ONLY public.events USING btree (account_id, created_at);
CREATE TRIGGER events_are_immutable BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table events_rest (
  account_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  order_id uuid,
  data jsonb not null,
  created_at timestamp with time zone not null,
  constraint events_rest_pkey PRIMARY KEY (account_id, sequence),
  constraint events_sequence CHECK ((sequence > 0)),
  constraint events_type CHECK ((type = ANY (ARRAY['order.success'::text, 'order.failed'::text, 'order.refunded'::text, 'balance.credited'::text, 'balance.low'::text, 'service.updated'::text, 'webhook.test'::text])))
) partition of events default with (autovacuum_freeze_min_age=0, autovacuum_vacuum_insert_scale_factor=0.05);
CREATE INDEX events_rest_account_id_created_at_idx ON public.events_rest USING btree (account_id, created_at);
CREATE INDEX events_rest_account_id_order_id_idx ON public.events_rest USING btree (account_id, order_id) WHERE (order_id IS NOT NULL);
CREATE TRIGGER events_are_immutable BEFORE UPDATE ON public.events_rest FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table expired_months (
  month text not null,
  outcome text not null,
  expired_at timestamp with time zone not null,
  constraint expired_months_pkey PRIMARY KEY (month),
  constraint expired_months_form CHECK ((month ~ '^\d{4}_\d{2}$'::text)),
  constraint expired_months_outcome CHECK ((outcome = ANY (ARRAY['dropped'::text, 'archived'::text])))
);

create table feeds (
  account_id uuid not null,
  sequence bigint not null default 0,
  has_endpoints boolean not null default false,
  expired bigint not null default 0,
  constraint feeds_pkey PRIMARY KEY (account_id),
  constraint feeds_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint feeds_expired CHECK (((expired >= 0) AND (expired <= sequence))),
  constraint feeds_sequence_check CHECK ((sequence >= 0))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

create table orders (
  account_id uuid not null,
  id uuid not null,
  mode text not null,
  ref_id text not null,
  product_code text not null,
  service_code text not null,
  service_name text not null,
  user_id text not null,
  zone text not null,
  nickname text not null,
  price bigint not null,
  max_price bigint,
  state text not null,
  serial_number text,
  failure_code text,
  failure_message text,
  failure_fixable boolean,
  supplier_code text not null,
  next_action_at timestamp with time zone,
  lease uuid,
  review_since timestamp with time zone,
  review_reason text,
  resolved_by text,
  debit_seq bigint not null,
  refund_seq bigint,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint orders_pkey PRIMARY KEY (account_id, id),
  constraint orders_account FOREIGN KEY (account_id, mode) REFERENCES accounts(id, mode),
  constraint orders_debit FOREIGN KEY (account_id, debit_seq) REFERENCES transfers(account_id, seq) DEFERRABLE INITIALLY DEFERRED,
  constraint orders_failure_whole CHECK ((((failure_code IS NULL) = (failure_message IS NULL)) AND ((failure_code IS NULL) = (failure_fixable IS NULL)))),
  constraint orders_max_price_check CHECK ((max_price >= 0)),
  constraint orders_price_check CHECK ((price > 0)),
  constraint orders_ref_id UNIQUE (account_id, ref_id),
  constraint orders_ref_id_check CHECK ((ref_id ~ '^[A-Za-z0-9._:-]{1,64}$'::text)),
  constraint orders_refund FOREIGN KEY (account_id, refund_seq) REFERENCES transfers(account_id, seq) DEFERRABLE INITIALLY DEFERRED,
  constraint orders_review_whole CHECK (((review_since IS NULL) = (review_reason IS NULL))),
  constraint orders_state_and_time CHECK (
CASE state
    WHEN 'Process'::text THEN ((next_action_at IS NOT NULL) AND (serial_number IS NULL) AND (failure_code IS NULL) AND (refund_seq IS NULL))
    WHEN 'Success'::text THEN ((failure_code IS NULL) AND (refund_seq IS NULL))
    WHEN 'Failed'::text THEN (((next_action_at IS NULL) OR (resolved_by IS NOT NULL)) AND (serial_number IS NULL) AND (failure_code IS NOT NULL) AND (refund_seq IS NOT NULL))
    WHEN 'Refunded'::text THEN ((next_action_at IS NULL) AND (failure_code IS NOT NULL) AND (refund_seq IS NOT NULL))
    ELSE NULL::boolean
END),
  constraint orders_state_check CHECK ((state = ANY (ARRAY['Process'::text, 'Success'::text, 'Failed'::text, 'Refunded'::text]))),
  constraint orders_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64))),
  constraint orders_zone_check CHECK ((length(zone) <= 32))
);
CREATE INDEX orders_by_id ON public.orders USING btree (id);
CREATE INDEX orders_due ON public.orders USING btree (supplier_code, next_action_at) WHERE (next_action_at IS NOT NULL);
CREATE INDEX orders_in_review ON public.orders USING btree (review_since) WHERE (review_since IS NOT NULL);
CREATE TRIGGER orders_are_guarded BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION guard_order();
CREATE TRIGGER orders_are_kept BEFORE TRUNCATE ON public.orders FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER orders_are_never_deleted BEFORE DELETE ON public.orders FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table products (
  code text not null,
  name text not null,
  account_description text not null,
  category text not null,
  status text not null,
  fields jsonb not null,
  nickname_lookup boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint products_pkey PRIMARY KEY (code),
  constraint products_code_check CHECK ((code ~ '^[A-Z0-9]{1,16}$'::text)),
  constraint products_status_check CHECK ((status = ANY (ARRAY['Available'::text, 'Unavailable'::text, 'Maintenance'::text])))
);

create table rate_buckets (
  reseller_id uuid not null,
  full_at bigint not null,
  granted bigint not null,
  constraint rate_buckets_pkey PRIMARY KEY (reseller_id),
  constraint rate_buckets_granted CHECK ((granted >= 0))
) with (fillfactor=50);

create table request_log (
  account_id uuid not null,
  id uuid not null,
  request_id text not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  message text,
  duration_ms integer not null,
  request jsonb,
  created_at timestamp with time zone not null,
  constraint request_log_pkey PRIMARY KEY (account_id, id),
  constraint request_log_duration CHECK ((duration_ms >= 0)),
  constraint request_log_status CHECK (((status >= 100) AND (status <= 599)))
);
CREATE INDEX request_log_by_time ON public.request_log USING btree (created_at);
CREATE INDEX request_log_failures ON public.request_log USING btree (account_id, id) WHERE (status >= 400);

create table resellers (
  id uuid not null,
  name text not null,
  username text not null,
  tier_code text not null,
  status text not null,
  low_balance_threshold bigint,
  registered_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint resellers_pkey PRIMARY KEY (id),
  constraint resellers_low_balance_threshold_check CHECK ((low_balance_threshold >= 0)),
  constraint resellers_status_check CHECK ((status = ANY (ARRAY['Active'::text, 'Suspended'::text]))),
  constraint resellers_tier FOREIGN KEY (tier_code) REFERENCES tiers(code),
  constraint resellers_username UNIQUE (username),
  constraint resellers_username_check CHECK ((username ~ '^[a-z0-9][a-z0-9._-]{1,63}$'::text))
);

create table revisions (
  topic text not null,
  value bigint not null,
  constraint revisions_pkey PRIMARY KEY (topic),
  constraint revisions_topic_check CHECK ((topic = ANY (ARRAY['access'::text, 'catalog'::text, 'suppliers'::text, 'settings'::text])))
);

create table routes (
  service_code text not null,
  position integer not null,
  supplier_code text not null,
  sku text not null,
  cost bigint not null,
  account_template text,
  once_per_day boolean not null default false,
  cut_off_start text,
  cut_off_end text,
  unavailable_since timestamp with time zone,
  constraint routes_pkey PRIMARY KEY (service_code, "position"),
  constraint routes_cost_check CHECK ((cost >= 0)),
  constraint routes_cut_off CHECK ((((cut_off_start IS NULL) = (cut_off_end IS NULL)) AND (cut_off_start ~ '^([01]\d|2[0-3]):[0-5]\d$'::text) AND (cut_off_end ~ '^([01]\d|2[0-3]):[0-5]\d$'::text))),
  constraint routes_position_check CHECK ((("position" >= 1) AND ("position" <= 20))),
  constraint routes_service FOREIGN KEY (service_code) REFERENCES services(code),
  constraint routes_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);

create table sandbox_orders (
  supplier_code text not null,
  reference text not null,
  user_id text not null,
  taken_at timestamp with time zone not null,
  constraint sandbox_orders_pkey PRIMARY KEY (supplier_code, reference)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table service_routing (
  service_code text not null,
  preference text,
  margin_floor bigint,
  sells_below_cost boolean,
  closed_by_list boolean not null default false,
  updated_at timestamp with time zone not null,
  constraint service_routing_pkey PRIMARY KEY (service_code),
  constraint service_routing_margin_floor_check CHECK ((margin_floor >= 0)),
  constraint service_routing_preference_check CHECK ((preference = ANY (ARRAY['fixed'::text, 'cheapest'::text, 'best'::text]))),
  constraint service_routing_service FOREIGN KEY (service_code) REFERENCES services(code)
);

create table services (
  code text not null,
  product_code text not null,
  name text not null,
  cost bigint not null,
  price bigint not null,
  status text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint services_pkey PRIMARY KEY (code),
  constraint services_code_form CHECK (((code ~ '^[A-Za-z0-9._-]{3,64}$'::text) AND starts_with(code, (product_code || '-'::text)))),
  constraint services_cost_check CHECK ((cost >= 0)),
  constraint services_price_check CHECK ((price > 0)),
  constraint services_product FOREIGN KEY (product_code) REFERENCES products(code),
  constraint services_status_check CHECK ((status = ANY (ARRAY['Available'::text, 'Unavailable'::text, 'Maintenance'::text])))
);
CREATE INDEX services_by_product ON public.services USING btree (product_code);

create table settings (
  key text not null,
  value jsonb not null,
  updated_at timestamp with time zone not null,
  constraint settings_pkey PRIMARY KEY (key)
);

create table supplier_balances (
  supplier_code text not null,
  read_at timestamp with time zone not null,
  balance bigint not null,
  constraint supplier_balances_pkey PRIMARY KEY (supplier_code, read_at),
  constraint supplier_balances_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);
CREATE INDEX supplier_balances_by_time ON public.supplier_balances USING btree (read_at);

create table supplier_callbacks (
  id uuid not null,
  supplier_code text not null,
  day integer not null,
  digest bytea not null,
  method text not null,
  query text not null,
  body bytea not null,
  headers jsonb not null,
  remote_address text not null,
  reading text not null,
  reason text,
  status text,
  reference text,
  supplier_reference text,
  state text,
  order_id uuid,
  due_at timestamp with time zone,
  seen integer not null default 1,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  handled_at timestamp with time zone,
  constraint supplier_callbacks_pkey PRIMARY KEY (id),
  constraint supplier_callbacks_body CHECK ((length(body) <= 65536)),
  constraint supplier_callbacks_digest CHECK ((length(digest) = 32)),
  constraint supplier_callbacks_due CHECK (((due_at IS NOT NULL) = ((state IS NOT NULL) AND (state = 'Received'::text)))),
  constraint supplier_callbacks_hint CHECK (((reading = 'hint'::text) = (state IS NOT NULL))),
  constraint supplier_callbacks_once UNIQUE (supplier_code, day, digest),
  constraint supplier_callbacks_reading CHECK ((reading = ANY (ARRAY['hint'::text, 'ping'::text, 'forged'::text, 'unreadable'::text]))),
  constraint supplier_callbacks_seen CHECK ((seen >= 1)),
  constraint supplier_callbacks_state CHECK ((state = ANY (ARRAY['Received'::text, 'Asked'::text, 'Settled'::text, 'Late'::text, 'Unmatched'::text]))),
  constraint supplier_callbacks_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);
CREATE INDEX supplier_callbacks_by_time ON public.supplier_callbacks USING btree (last_seen_at);
CREATE INDEX supplier_callbacks_others ON public.supplier_callbacks USING btree (supplier_code, id) WHERE (reading <> 'hint'::text);
CREATE INDEX supplier_callbacks_to_do ON public.supplier_callbacks USING btree (due_at) WHERE (due_at IS NOT NULL);

create table supplier_exchanges (
  id uuid not null,
  supplier_code text not null,
  reference text,
  call text not null,
  outcome text not null,
  detail text,
  method text not null,
  url text not null,
  request_body text,
  status integer,
  response_body text,
  error text,
  duration_ms integer not null,
  created_at timestamp with time zone not null,
  constraint supplier_exchanges_pkey PRIMARY KEY (id),
  constraint supplier_exchanges_call CHECK ((call = ANY (ARRAY['place'::text, 'check'::text, 'lookup'::text, 'balance'::text, 'list'::text]))),
  constraint supplier_exchanges_duration CHECK ((duration_ms >= 0))
);
CREATE INDEX supplier_exchanges_by_reference ON public.supplier_exchanges USING btree (reference, id) WHERE (reference IS NOT NULL);
CREATE INDEX supplier_exchanges_by_time ON public.supplier_exchanges USING btree (created_at);

create table supplier_health (
  supplier_code text not null,
  bucket timestamp with time zone not null,
  delivered integer not null,
  pending integer not null,
  rejected integer not null,
  refused integer not null,
  unknown integer not null,
  not_sent integer not null,
  misconfigured integer not null,
  failed_later integer not null,
  checks integer not null,
  unknown_checks integer not null,
  latencies integer[] not null,
  constraint supplier_health_pkey PRIMARY KEY (supplier_code, bucket),
  constraint supplier_health_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);
CREATE INDEX supplier_health_by_bucket ON public.supplier_health USING btree (bucket);

create table supplier_item_prices (
  supplier_code text not null,
  sku text not null,
  at timestamp with time zone not null,
  cost bigint not null,
  constraint supplier_item_prices_pkey PRIMARY KEY (supplier_code, sku, at),
  constraint supplier_item_prices_item FOREIGN KEY (supplier_code, sku) REFERENCES supplier_items(supplier_code, sku)
);

create table supplier_items (
  supplier_code text not null,
  sku text not null,
  name text not null,
  cost bigint not null,
  available boolean not null,
  cut_off_start text,
  cut_off_end text,
  once_per_day boolean,
  first_seen_at timestamp with time zone not null,
  gone_at timestamp with time zone,
  constraint supplier_items_pkey PRIMARY KEY (supplier_code, sku),
  constraint supplier_items_cost_check CHECK ((cost >= 0)),
  constraint supplier_items_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);

create table supplier_lists (
  supplier_code text not null,
  rule text not null,
  asked_at timestamp with time zone,
  read_at timestamp with time zone,
  applied_at timestamp with time zone,
  result jsonb,
  constraint supplier_lists_pkey PRIMARY KEY (supplier_code),
  constraint supplier_lists_rule_check CHECK ((rule = ANY (ARRAY['off'::text, 'costs'::text, 'prices'::text, 'catalogue'::text]))),
  constraint supplier_lists_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code)
);

create table supplier_statement_lines (
  statement_id uuid not null,
  number integer not null,
  finding text not null,
  line integer,
  reference text,
  supplier_reference text,
  their_status text,
  their_amount bigint,
  order_id uuid,
  attempt integer,
  attempt_state text,
  order_state text,
  our_amount bigint,
  their_amount_text text,
  constraint supplier_statement_lines_pkey PRIMARY KEY (statement_id, number),
  constraint supplier_statement_lines_statement FOREIGN KEY (statement_id) REFERENCES supplier_statements(id)
);

create table supplier_statements (
  id uuid not null,
  supplier_code text not null,
  date_from text not null,
  date_to text not null,
  rows integer not null,
  counts jsonb not null,
  total_theirs bigint,
  total_ours bigint not null,
  actor text not null,
  created_at timestamp with time zone not null,
  columns jsonb not null default '{}'::jsonb,
  amounts text,
  constraint supplier_statements_pkey PRIMARY KEY (id),
  constraint supplier_statements_amounts CHECK ((amounts = ANY (ARRAY['compared'::text, 'no_column'::text, 'no_exchange_rate'::text]))),
  constraint supplier_statements_from CHECK ((date_from ~ '^\d{4}-\d\d-\d\d$'::text)),
  constraint supplier_statements_supplier FOREIGN KEY (supplier_code) REFERENCES suppliers(code),
  constraint supplier_statements_to CHECK ((date_to ~ '^\d{4}-\d\d-\d\d$'::text))
);
CREATE INDEX supplier_statements_of ON public.supplier_statements USING btree (supplier_code, id);

create table suppliers (
  code text not null,
  kind text not null,
  status text not null,
  config jsonb not null,
  secrets_sealed bytea,
  callback_key text not null,
  balance bigint,
  balance_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  hold_kind text,
  hold_reason text,
  hold_since timestamp with time zone,
  balance_due_at timestamp with time zone,
  hold_ended_at timestamp with time zone,
  hold_wait_ms integer,
  constraint suppliers_pkey PRIMARY KEY (code),
  constraint suppliers_code_check CHECK ((code ~ '^[a-z0-9][a-z0-9-]{0,31}$'::text)),
  constraint suppliers_hold_kind_check CHECK ((hold_kind = ANY (ARRAY['misconfigured'::text, 'needs_operator'::text, 'low_balance'::text]))),
  constraint suppliers_hold_whole CHECK ((((hold_kind IS NULL) = (hold_reason IS NULL)) AND ((hold_kind IS NULL) = (hold_since IS NULL)))),
  constraint suppliers_status_check CHECK ((status = ANY (ARRAY['Active'::text, 'Paused'::text])))
);

create table tier_prices (
  tier_code text not null,
  service_code text not null,
  price bigint not null,
  constraint tier_prices_pkey PRIMARY KEY (tier_code, service_code),
  constraint tier_prices_price_check CHECK ((price > 0)),
  constraint tier_prices_service FOREIGN KEY (service_code) REFERENCES services(code),
  constraint tier_prices_tier_code_fkey FOREIGN KEY (tier_code) REFERENCES tiers(code)
);

create table tiers (
  code text not null,
  name text not null,
  pricing text not null,
  markup bigint not null default 0,
  round_to bigint not null default 1,
  floor_margin bigint not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint tiers_pkey PRIMARY KEY (code),
  constraint tiers_code_check CHECK ((code ~ '^[a-z0-9][a-z0-9-]{0,31}$'::text)),
  constraint tiers_floor_margin_check CHECK ((floor_margin >= 0)),
  constraint tiers_markup_check CHECK ((markup >= 0)),
  constraint tiers_pricing_check CHECK ((pricing = ANY (ARRAY['list'::text, 'percent'::text, 'fixed'::text]))),
  constraint tiers_round_to_check CHECK (((round_to >= 1) AND (round_to <= 1000000)))
);

create table transfers (
  account_id uuid not null,
  seq bigint not null,
  id uuid not null,
  mode text not null,
  kind text not null,
  debit_account uuid not null,
  credit_account uuid not null,
  amount bigint not null,
  balance_after bigint not null,
  order_id uuid,
  reference text not null,
  created_at timestamp with time zone not null,
  hash bytea not null,
  constraint transfers_pkey PRIMARY KEY (account_id, seq),
  constraint transfers_account FOREIGN KEY (account_id, mode) REFERENCES accounts(id, mode),
  constraint transfers_amount_positive CHECK ((amount > 0)),
  constraint transfers_hash_check CHECK ((length(hash) = 32)),
  constraint transfers_kind_fits_accounts CHECK (
CASE kind
    WHEN 'deposit'::text THEN ((debit_account = system_account(mode, 'cash'::text)) AND (credit_account = account_id))
    WHEN 'order'::text THEN ((debit_account = account_id) AND (credit_account = system_account(mode, 'sales'::text)))
    WHEN 'refund'::text THEN ((debit_account = system_account(mode, 'sales'::text)) AND (credit_account = account_id))
    WHEN 'reversal'::text THEN ((debit_account = system_account(mode, 'sales'::text)) AND (credit_account = account_id))
    WHEN 'adjustment'::text THEN (((debit_account = account_id) AND (credit_account = system_account(mode, 'adjustments'::text))) OR ((debit_account = system_account(mode, 'adjustments'::text)) AND (credit_account = account_id)))
    ELSE false
END),
  constraint transfers_never_negative CHECK ((balance_after >= 0)),
  constraint transfers_order FOREIGN KEY (account_id, order_id) REFERENCES orders(account_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint transfers_order_named CHECK (((kind = ANY (ARRAY['order'::text, 'refund'::text, 'reversal'::text])) = (order_id IS NOT NULL))),
  constraint transfers_seq_check CHECK ((seq > 0))
) with (autovacuum_freeze_min_age=0, autovacuum_vacuum_insert_scale_factor=0.05);
CREATE UNIQUE INDEX transfers_deposit_reference ON public.transfers USING btree (account_id, reference) WHERE (kind = 'deposit'::text);
CREATE UNIQUE INDEX transfers_once_per_order ON public.transfers USING btree (account_id, order_id, ((kind = 'order'::text))) WHERE (order_id IS NOT NULL);
CREATE TRIGGER transfers_are_immutable BEFORE DELETE OR UPDATE ON public.transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_are_kept BEFORE TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null,
  status integer,
  error text,
  duration_ms integer not null,
  response text,
  created_at timestamp with time zone not null,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, number),
  constraint webhook_attempts_duration CHECK ((duration_ms >= 0)),
  constraint webhook_attempts_number CHECK ((number > 0)),
  constraint webhook_attempts_status CHECK (((status >= 100) AND (status <= 999)))
) partition by RANGE (delivery_id);

create table webhook_attempts_rest (
  delivery_id uuid not null,
  number integer not null,
  status integer,
  error text,
  duration_ms integer not null,
  response text,
  created_at timestamp with time zone not null,
  constraint webhook_attempts_rest_pkey PRIMARY KEY (delivery_id, number),
  constraint webhook_attempts_duration CHECK ((duration_ms >= 0)),
  constraint webhook_attempts_number CHECK ((number > 0)),
  constraint webhook_attempts_rest_delivery FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries_rest(id),
  constraint webhook_attempts_status CHECK (((status >= 100) AND (status <= 999)))
) partition of webhook_attempts default with (autovacuum_freeze_min_age=0, autovacuum_vacuum_insert_scale_factor=0.05);

create table webhook_deliveries (
  id uuid not null,
  endpoint_id uuid not null,
  account_id uuid not null,
  sequence bigint not null,
  state text not null,
  tries integer not null default 0,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_attempts CHECK ((attempts >= tries)),
  constraint webhook_deliveries_due CHECK (((state = 'Pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_endpoint FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_state CHECK ((state = ANY (ARRAY['Pending'::text, 'Delivered'::text, 'Failed'::text, 'Cancelled'::text]))),
  constraint webhook_deliveries_tries CHECK ((tries >= 0))
) partition by RANGE (id);
CREATE INDEX webhook_deliveries_due_first ON ONLY public.webhook_deliveries USING btree (endpoint_id, next_attempt_at, sequence) WHERE (next_attempt_at IS NOT NULL);

create table webhook_deliveries_rest (
  id uuid not null,
  endpoint_id uuid not null,
  account_id uuid not null,
  sequence bigint not null,
  state text not null,
  tries integer not null default 0,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_deliveries_rest_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_attempts CHECK ((attempts >= tries)),
  constraint webhook_deliveries_due CHECK (((state = 'Pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_endpoint FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_rest_event FOREIGN KEY (account_id, sequence) REFERENCES events_rest(account_id, sequence),
  constraint webhook_deliveries_rest_once UNIQUE (endpoint_id, sequence),
  constraint webhook_deliveries_state CHECK ((state = ANY (ARRAY['Pending'::text, 'Delivered'::text, 'Failed'::text, 'Cancelled'::text]))),
  constraint webhook_deliveries_tries CHECK ((tries >= 0))
) partition of webhook_deliveries default with (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX webhook_deliveries_rest_endpoint_id_next_attempt_at_sequenc_idx ON public.webhook_deliveries_rest USING btree (endpoint_id, next_attempt_at, sequence) WHERE (next_attempt_at IS NOT NULL);

create table webhook_endpoints (
  id uuid not null,
  account_id uuid not null,
  url text not null,
  types text[] not null default '{}'::text[],
  status text not null,
  disabled_reason text,
  failing_since timestamp with time zone,
  next_visit_at timestamp with time zone,
  lease uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_account FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint webhook_endpoints_lease CHECK (((lease IS NULL) OR (next_visit_at IS NOT NULL))),
  constraint webhook_endpoints_reason CHECK ((disabled_reason = ANY (ARRAY['by_request'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['Active'::text, 'Disabled'::text, 'Deleted'::text]))),
  constraint webhook_endpoints_visit CHECK (((status = 'Active'::text) OR ((next_visit_at IS NULL) AND (lease IS NULL)))),
  constraint webhook_endpoints_why_disabled CHECK (((status = 'Disabled'::text) = (disabled_reason IS NOT NULL)))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE INDEX webhook_endpoints_by_account ON public.webhook_endpoints USING btree (account_id);
CREATE INDEX webhook_endpoints_due ON public.webhook_endpoints USING btree (((failing_since IS NOT NULL)), next_visit_at) WHERE (next_visit_at IS NOT NULL);

create table webhook_secrets (
  endpoint_id uuid not null,
  id uuid not null,
  sealed bytea not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint webhook_secrets_pkey PRIMARY KEY (endpoint_id, id),
  constraint webhook_secrets_endpoint FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id)
);
CREATE UNIQUE INDEX webhook_secrets_one_current ON public.webhook_secrets USING btree (endpoint_id) WHERE (expires_at IS NULL);
