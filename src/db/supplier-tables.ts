import type { ColumnType, Generated } from 'kysely';
import type { AttemptStateColumn, Json, OrderStateColumn } from './columns.ts';

export interface SuppliersTable {
  code: string;
  kind: string;
  status: 'Active' | 'Paused';
  config: Json<Record<string, string>>;
  secrets_sealed: Uint8Array | null;
  callback_key: string;
  hold_kind: 'misconfigured' | 'needs_operator' | 'low_balance' | null;
  hold_reason: string | null;
  hold_since: Date | null;
  balance: bigint | null;
  balance_at: Date | null;
  balance_due_at: Date | null;
  hold_ended_at: Date | null;
  hold_wait_ms: number | null;
  created_at: Date;
  updated_at: Date;
}

export interface SupplierExchangesTable {
  id: string;
  supplier_code: string;
  reference: string | null;
  call: 'place' | 'check' | 'lookup' | 'balance' | 'list';
  outcome: string;
  detail: string | null;
  method: string;
  url: string;
  request_body: string | null;
  status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  created_at: Date;
}

export interface SupplierCallbacksTable {
  id: string;
  supplier_code: string;
  day: number;
  digest: Uint8Array;
  method: string;
  query: string;
  body: Uint8Array;
  headers: Json<Record<string, string>>;
  remote_address: string;
  reading: 'hint' | 'ping' | 'forged' | 'unreadable';
  reason: string | null;
  status: string | null;
  reference: string | null;
  supplier_reference: string | null;
  state: 'Received' | 'Asked' | 'Settled' | 'Late' | 'Unmatched' | null;
  order_id: string | null;
  due_at: Date | null;
  seen: Generated<number>;
  created_at: Date;
  last_seen_at: Date;
  handled_at: Date | null;
}

export interface SupplierStatementsTable {
  id: string;
  supplier_code: string;
  date_from: string;
  date_to: string;
  rows: number;
  counts: Json<Record<string, number>>;
  total_theirs: bigint | null;
  total_ours: bigint;
  actor: string;
  created_at: Date;
  columns: Json<Partial<Record<'reference' | 'supplier_reference' | 'status' | 'amount', string>>>;
  amounts: 'compared' | 'no_column' | 'no_exchange_rate' | null;
}

export interface SupplierStatementLinesTable {
  statement_id: string;
  number: number;
  finding: string;
  line: number | null;
  reference: string | null;
  supplier_reference: string | null;
  their_status: string | null;
  their_amount: bigint | null;
  order_id: string | null;
  attempt: number | null;
  attempt_state: AttemptStateColumn | null;
  order_state: OrderStateColumn | null;
  our_amount: bigint | null;
  their_amount_text: string | null;
}

export interface SupplierHealthTable {
  supplier_code: string;
  bucket: Date;
  delivered: number;
  pending: number;
  rejected: number;
  refused: number;
  unknown: number;
  not_sent: number;
  misconfigured: number;
  failed_later: number;
  checks: number;
  unknown_checks: number;
  latencies: number[];
}

export interface SupplierBalancesTable {
  supplier_code: string;
  read_at: Date;
  balance: bigint;
}

export interface RoutesTable {
  service_code: string;
  position: number;
  supplier_code: string;
  sku: string;
  cost: bigint;
  account_template: string | null;
  once_per_day: boolean;
  cut_off_start: string | null;
  cut_off_end: string | null;
  unavailable_since: Date | null;
}

export interface ServiceRoutingTable {
  service_code: string;
  preference: 'fixed' | 'cheapest' | 'best' | null;
  margin_floor: bigint | null;
  sells_below_cost: boolean | null;
  closed_by_list: Generated<boolean>;
  updated_at: Date;
}

export interface SupplierListsTable {
  supplier_code: string;
  rule: 'off' | 'costs' | 'prices' | 'catalogue';
  asked_at: Date | null;
  read_at: Date | null;
  applied_at: Date | null;
  result: ColumnType<unknown, string | null, string | null>;
}

export interface SupplierItemsTable {
  supplier_code: string;
  sku: string;
  name: string;
  cost: bigint;
  available: boolean;
  cut_off_start: string | null;
  cut_off_end: string | null;
  once_per_day: boolean | null;
  first_seen_at: Date;
  gone_at: Date | null;
}

export interface SupplierItemPricesTable {
  supplier_code: string;
  sku: string;
  at: Date;
  cost: bigint;
}

export interface SandboxOrdersTable {
  supplier_code: string;
  reference: string;
  user_id: string;
  taken_at: Date;
}
