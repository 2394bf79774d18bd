/** The data of the answers the command line reads, as the interface documents them. A type-level test holds them to it. */

export type Mode = 'live' | 'test';

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

export interface Transfer {
  transfer_id: string;
  kind: 'deposit' | 'order' | 'refund' | 'reversal' | 'adjustment';
  amount: number;
  balance_after: number;
  order_id: string | null;
  ref_id: string | null;
  reference: string | null;
  time: string;
}

export interface Order {
  ref_id: string;
  order_id: string;
  service_code: string;
  service_name: string;
  account_identifier: { user_id: string; zone: string; nickname: string };
  price: number;
  status: 'Process' | 'Success' | 'Failed' | 'Refunded';
  purchase_time: string;
  product_code: string;
  currency: string;
  mode: Mode;
  serial_number: string | null;
  failure: { code: string; message: string; fixable_by_player: boolean } | null;
  updated_at: string;
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
  status: 'Queued' | 'Sending' | 'Pending' | 'Unknown' | 'Delivered' | 'Rejected' | 'Reversed';
  sends: number;
  checks: number;
  code: string | null;
  message: string | null;
  serial_number: string | null;
  created_at: string;
  updated_at: string;
}

export interface OrderDetail extends AdminOrder {
  attempts: Attempt[];
  transfers: Transfer[];
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
  status: 'Active' | 'Paused' | 'Resting';
  balance: number | null;
  balance_at: string | null;
  updated_at: string;
}

export interface Route {
  supplier: string;
  sku: string;
  cost: number;
  account_template?: string | null | undefined;
}

export interface Maintenance {
  enabled: boolean;
  message: string;
}

export interface Nickname {
  product_code: string;
  user_id: string;
  zone: string;
  nickname: string;
}
