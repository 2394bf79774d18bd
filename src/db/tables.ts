import type { Generated } from 'kysely';
import type { AttemptStateColumn, Json, OrderStateColumn } from './columns.ts';
import type {
  RoutesTable,
  SandboxOrdersTable,
  ServiceRoutingTable,
  SupplierBalancesTable,
  SupplierCallbacksTable,
  SupplierExchangesTable,
  SupplierHealthTable,
  SupplierItemPricesTable,
  SupplierItemsTable,
  SupplierListsTable,
  SupplierStatementLinesTable,
  SupplierStatementsTable,
  SuppliersTable,
} from './supplier-tables.ts';

/** The columns of every table as both engines return them: int8 is a bigint, timestamptz a Date, bytea bytes. */
export interface Tables {
  accounts: AccountsTable;
  attempts: AttemptsTable;
  audit_log: AuditLogTable;
  credentials: CredentialsTable;
  events: EventsTable;
  expired_months: ExpiredMonthsTable;
  feeds: FeedsTable;
  orders: OrdersTable;
  products: ProductsTable;
  request_log: RequestLogTable;
  resellers: ResellersTable;
  routes: RoutesTable;
  sandbox_orders: SandboxOrdersTable;
  service_routing: ServiceRoutingTable;
  services: ServicesTable;
  settings: SettingsTable;
  supplier_callbacks: SupplierCallbacksTable;
  supplier_exchanges: SupplierExchangesTable;
  supplier_statement_lines: SupplierStatementLinesTable;
  supplier_statements: SupplierStatementsTable;
  supplier_balances: SupplierBalancesTable;
  supplier_health: SupplierHealthTable;
  supplier_item_prices: SupplierItemPricesTable;
  supplier_items: SupplierItemsTable;
  supplier_lists: SupplierListsTable;
  suppliers: SuppliersTable;
  tier_prices: TierPricesTable;
  tiers: TiersTable;
  transfers: TransfersTable;
  webhook_attempts: WebhookAttemptsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_secrets: WebhookSecretsTable;
}

export interface ResellersTable {
  id: string;
  name: string;
  username: string;
  tier_code: string;
  status: 'Active' | 'Suspended';
  low_balance_threshold: bigint | null;
  registered_at: Date;
  updated_at: Date;
}

export interface CredentialsTable {
  id: string;
  reseller_id: string;
  mode: 'live' | 'test';
  token_hash: Uint8Array;
  token_hint: string;
  secret_sealed: Uint8Array;
  scopes: string[];
  allowed_ips: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
}

export interface AuditLogTable {
  id: string;
  actor: string;
  action: string;
  subject: string;
  details: Json<unknown>;
  request_id: string | null;
  created_at: Date;
}

export interface AccountsTable {
  id: string;
  reseller_id: string;
  mode: 'live' | 'test';
  balance: Generated<bigint>;
  seq: Generated<bigint>;
  head: Generated<Uint8Array>;
}

export interface TransfersTable {
  account_id: string;
  seq: bigint;
  id: string;
  mode: 'live' | 'test';
  kind: 'deposit' | 'order' | 'refund' | 'reversal' | 'adjustment';
  debit_account: string;
  credit_account: string;
  amount: bigint;
  balance_after: bigint;
  order_id: string | null;
  reference: string;
  created_at: Date;
  hash: Uint8Array;
}

export interface FeedsTable {
  account_id: string;
  sequence: Generated<bigint>;
  has_endpoints: Generated<boolean>;
  expired: Generated<bigint>;
}

export interface ExpiredMonthsTable {
  month: string;
  outcome: 'dropped' | 'archived';
  expired_at: Date;
}

export interface EventsTable {
  account_id: string;
  sequence: bigint;
  id: string;
  type: string;
  order_id: string | null;
  data: Json<Record<string, unknown>>;
  created_at: Date;
}

export interface ProductsTable {
  code: string;
  name: string;
  account_description: string;
  category: string;
  status: 'Available' | 'Unavailable' | 'Maintenance';
  fields: Json<unknown>;
  nickname_lookup: boolean;
  created_at: Date;
  updated_at: Date;
}

export interface ServicesTable {
  code: string;
  product_code: string;
  name: string;
  cost: bigint;
  price: bigint;
  status: 'Available' | 'Unavailable' | 'Maintenance';
  created_at: Date;
  updated_at: Date;
}

export interface TiersTable {
  code: string;
  name: string;
  pricing: 'list' | 'percent' | 'fixed';
  markup: bigint;
  round_to: bigint;
  floor_margin: bigint;
  created_at: Date;
  updated_at: Date;
}

export interface TierPricesTable {
  tier_code: string;
  service_code: string;
  price: bigint;
}

export interface OrdersTable {
  account_id: string;
  id: string;
  mode: 'live' | 'test';
  ref_id: string;
  product_code: string;
  service_code: string;
  service_name: string;
  user_id: string;
  zone: string;
  nickname: string;
  price: bigint;
  max_price: bigint | null;
  state: OrderStateColumn;
  serial_number: string | null;
  failure_code: string | null;
  failure_message: string | null;
  failure_fixable: boolean | null;
  supplier_code: string;
  next_action_at: Date | null;
  lease: string | null;
  review_since: Date | null;
  review_reason: string | null;
  resolved_by: string | null;
  debit_seq: bigint;
  refund_seq: bigint | null;
  created_at: Date;
  updated_at: Date;
}

export interface AttemptsTable {
  account_id: string;
  order_id: string;
  number: number;
  supplier_code: string;
  sku: string;
  cost: bigint;
  account_text: string | null;
  reference: string;
  supplier_reference: string | null;
  charged: bigint | null;
  limited_target: string | null;
  state: AttemptStateColumn;
  sends: number;
  checks: number;
  under_way_at: Date | null;
  unanswered_at: Date | null;
  is_partial: Generated<boolean>;
  code: string | null;
  message: string | null;
  serial_number: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface SettingsTable {
  key: string;
  value: Json<unknown>;
  updated_at: Date;
}

export interface RequestLogTable {
  account_id: string;
  id: string;
  request_id: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  message: string | null;
  duration_ms: number;
  request: Json<Record<string, unknown> | null>;
  created_at: Date;
}

export interface WebhookEndpointsTable {
  id: string;
  account_id: string;
  url: string;
  types: string[];
  status: 'Active' | 'Disabled' | 'Deleted';
  disabled_reason: 'by_request' | 'gone' | 'failing' | null;
  failing_since: Date | null;
  next_visit_at: Date | null;
  lease: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface WebhookSecretsTable {
  endpoint_id: string;
  id: string;
  sealed: Uint8Array;
  expires_at: Date | null;
  created_at: Date;
}

export interface WebhookDeliveriesTable {
  id: string;
  endpoint_id: string;
  account_id: string;
  sequence: bigint;
  state: 'Pending' | 'Delivered' | 'Failed' | 'Cancelled';
  tries: number;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface WebhookAttemptsTable {
  delivery_id: string;
  number: number;
  status: number | null;
  error: string | null;
  duration_ms: number;
  response: string | null;
  created_at: Date;
}
