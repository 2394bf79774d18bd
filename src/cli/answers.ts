import type { Mode, Order, Transfer } from '../../sdk/src/index.ts';

/** The data of the answers the command line reads, as the interface documents them. A type-level test holds them to it. */

export type { Mode, Order, Transfer };

export interface Reseller {
  reseller_id: string;
  name: string;
  username: string;
  tier: string;
  status: 'Active' | 'Suspended';
  balances: Record<Mode, number>;
  low_balance_threshold: number | null;
  registered_at: string;
}

export interface Credential {
  credential_id: string;
  mode: Mode;
  token_hint: string;
  scopes: ('read' | 'order')[];
  allowed_ips: string[];
  status: 'Active' | 'Expired' | 'Revoked';
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface IssuedCredential extends Credential {
  access_token: string;
  signing_secret: string;
}

export interface AdminOrder extends Order {
  reseller_id: string;
  supplier: string;
  next_action_at: string | null;
  review: { since: string; reason: string } | null;
  resolved_by: string | null;
}

export interface Attempt {
  number: number;
  supplier: string;
  sku: string;
  cost: number;
  reference: string;
  supplier_reference: string | null;
  charged: number | null;
  status: 'Queued' | 'Sending' | 'Pending' | 'Unknown' | 'Delivered' | 'Rejected' | 'Reversed';
  sends: number;
  checks: number;
  code: string | null;
  message: string | null;
  serial_number: string | null;
  created_at: string;
  updated_at: string;
}

export interface ReviewItem {
  order: AdminOrder;
  waiting_seconds: number;
  last_attempt: Attempt | null;
  attempts: number;
  actions: { action: string; possible: boolean; why_not: string | null }[];
}

/** One request to a supplier and what came back, secrets masked. */
export interface Exchange {
  call: string;
  outcome: string;
  method: string;
  url: string;
  request_body: string | null;
  status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  time: string;
}

/** What an operator did, or the service by itself. */
export interface AuditEntry {
  entry_id: string;
  time: string;
  actor: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
  request_id: string | null;
}

export interface OrderDetail extends AdminOrder {
  attempts: (Attempt & { exchanges: Exchange[] })[];
  transfers: Transfer[];
  audit_log: AuditEntry[];
  events: { event_id: string; type: string; timestamp: string; sequence: number }[];
}

export interface ImportSummary {
  dry_run: boolean;
  new_products: string[];
  changed_products: string[];
  new_services: string[];
  changed_services: { service_code: string; price_before: number; price: number }[];
  unchanged_services: number;
  below_cost: string[];
}

export interface AuditReport {
  ok: boolean;
  checks: { name: string; ok: boolean; checked: number; violations: string[] }[];
}

export interface Supplier {
  code: string;
  kind: string;
  status: 'Active' | 'Paused' | 'Held' | 'Resting';
  hold: { kind: string; reason: string } | null;
  balance: number | null;
  balance_at: string | null;
  health: {
    success_rate: number | null;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    calls: number;
    window_minutes: number;
  };
  alerts: { kind: string; message: string }[];
  callback_url: string | null;
  config: Record<string, string>;
  updated_at: string;
}

export interface SupplierKind {
  kind: string;
  label: string;
  capabilities: Record<
    | 'lookup'
    | 'safe_resend'
    | 'trustworthy_not_found'
    | 'check_may_buy'
    | 'callback'
    | 'nickname'
    | 'balance'
    | 'price_list'
    | 'price_guard',
    boolean
  >;
  fields: { key: string; label: string; secret: boolean; required: boolean; help: string | null; default: string | null }[];
}

export interface SupplierTest {
  ok: boolean;
  balance: number | null;
  message: string;
}

/** What an item cost from some time on. */
export interface ItemPrice {
  at: string;
  cost: number;
}

/** A message of a supplier at our callback address. */
export interface SupplierCallback {
  callback_id: string;
  supplier: string;
  reading: string;
  reason: string | null;
  state: string | null;
  status: string | null;
  order_id: string | null;
  seen: number;
  created_at: string;
}

export interface ListedTerms {
  cut_off: { start: string; end: string } | null;
  once_per_day: boolean;
}

export interface SyncReport {
  /** Told of a list that was read just now. */
  unread?: { sku: string | null; what: string }[];
  outcome: 'compared' | 'applied' | 'refused' | 'failed';
  message: string;
  rule: string;
  new_items: { sku: string; name: string; cost: number; available: boolean }[];
  new_items_total: number;
  cost_changes: { service_code: string; sku: string; cost_before: number; cost: number }[];
  terms_changes: { service_code: string; sku: string; before: ListedTerms; after: ListedTerms }[];
  held_back: { service_code: string; sku: string; cost_before: number; cost: number }[];
  unavailable: { service_code: string; sku: string; reason: string }[];
  available_again: { service_code: string; sku: string }[];
  not_listed: { service_code: string; sku: string }[];
  below_floor: { service_code: string; tier: string; price: number; least_price: number }[];
  price_changes: { service_code: string; price_before: number; price: number }[];
  closed_services: string[];
  opened_services: string[];
}

export interface SupplierSync {
  rule: string;
  read_at: string | null;
  applied_at: string | null;
  result: SyncReport | null;
}

export interface Route {
  supplier: string;
  sku: string;
  cost: number;
  account_template?: string | null | undefined;
  once_per_day?: boolean | undefined;
  cut_off?: { start: string; end: string } | null | undefined;
  available?: boolean | undefined;
  warning?: string | null | undefined;
}

export interface RouteImport {
  dry_run: boolean;
  routes: number;
  new_services: string[];
  changed_services: string[];
  unchanged_services: number;
  warnings: { line: number; message: string }[];
  warnings_total: number;
}

export interface SupplierItem {
  sku: string;
  name: string;
  cost: number;
  available: boolean;
  services: string[];
  read_at: string | null;
}

export interface RoutingRule {
  preference: 'fixed' | 'cheapest' | 'best';
  margin_floor: number;
  sells_below_cost: boolean;
}

export interface ServiceRouting {
  preference: RoutingRule['preference'] | null;
  margin_floor: number | null;
  sells_below_cost: boolean | null;
  in_force: RoutingRule;
  price: number;
  choice: { supplier: string; sku: string; cost: number; state: string; score: number }[];
}

export interface Maintenance {
  enabled: boolean;
  message: string;
}

export interface ReconciliationDay {
  supplier: string;
  date: string;
  purchases: number;
  states: { status: Attempt['status']; purchases: number; expected: number; charged: number; told: number }[];
  differences: Record<string, number>;
  balance: {
    opening: { balance: number; time: string } | null;
    closing: { balance: number; time: string } | null;
    spent: number;
    unexplained: number | null;
  };
}

export interface DayDifference {
  kind: string;
  order_id: string;
  attempt: number;
  status: Attempt['status'];
  order_status: Order['status'];
  expected: number;
  charged: number | null;
}

export interface SupplierStatement {
  statement_id: string;
  supplier: string;
  rows: number;
  columns: Record<string, string>;
  amounts: 'compared' | 'no_column' | 'no_exchange_rate' | null;
  findings: Record<string, number>;
  total_theirs: number | null;
  total_ours: number;
}

export interface StatementFinding {
  finding: string;
  line: number | null;
  reference: string | null;
  supplier_reference: string | null;
  their_status: string | null;
  their_amount: number | null;
  their_amount_text: string | null;
  status: Attempt['status'] | null;
  order_status: Order['status'] | null;
  our_amount: number | null;
}
