/** The data of the interface, with the names and forms of the wire. A type-level test holds them to the service's own. */

export type Mode = 'live' | 'test';

/** `Process`: paid, being delivered. `Failed` and `Refunded`: the money went back. */
export type OrderStatus = 'Process' | 'Success' | 'Failed' | 'Refunded';

/** Only `Available` can be ordered. */
export type Availability = 'Available' | 'Unavailable' | 'Maintenance';

/** Why an order was not delivered. A newer service may know more reasons. */
export type FailureCode =
  | 'out_of_stock'
  | 'player_rejected'
  | 'region_mismatch'
  | 'limit_reached'
  | 'not_deliverable'
  | 'temporarily_unavailable'
  | 'reversed'
  | 'operator_decision';

export type TransferKind = 'deposit' | 'order' | 'refund' | 'reversal' | 'adjustment';

/** What is signed of an order, by its path in the request. */
export type OrderField = 'service_code' | 'account_identifier.user_id' | 'account_identifier.zone' | 'max_price';

export interface Account {
  name: string;
  username: string;
  /** The prepaid balance of the token's mode, in minor units. */
  balance: number;
  currency: string;
  tier: string;
  mode: Mode;
  registered_at: string;
}

/** One line of the statement. */
export interface Transfer {
  transfer_id: string;
  kind: TransferKind;
  /** The change of the balance, in minor units: negative for money that went. */
  amount: number;
  balance_after: number;
  order_id: string | null;
  ref_id: string | null;
  /** The reference of a deposit, or the reason of an adjustment. */
  reference: string | null;
  time: string;
}

/** One field of the form in which the account of a player is entered. */
export interface AccountField {
  key: 'user_id' | 'zone';
  label: string;
  type: 'text' | 'number' | 'select';
  required: boolean;
  /** The whole value must match. */
  pattern?: string | undefined;
  options?: { value: string; label: string }[] | undefined;
}

/** A game. */
export interface Product {
  product_name: string;
  product_code: string;
  /** What the player has to enter, in words. */
  account_identifier: string;
  status: Availability;
  category: string;
  /** The same as a form, for programs. */
  fields: AccountField[];
  nickname_lookup: boolean;
}

/** An item of a product that can be ordered. */
export interface Service {
  service_code: string;
  service_name: string;
  product_code: string;
  /** Your price, in minor units. */
  price: number;
  status: Availability;
  updated_at: string;
}

export interface Nickname {
  product_code: string;
  user_id: string;
  zone: string;
  nickname: string;
}

/** One top-up of one player. */
export interface Order {
  ref_id: string;
  order_id: string;
  service_code: string;
  service_name: string;
  account_identifier: { user_id: string; zone: string; nickname: string };
  /** What the balance was debited, in minor units. */
  price: number;
  status: OrderStatus;
  purchase_time: string;
  product_code: string;
  currency: string;
  mode: Mode;
  /** Proof of delivery; null until `Success`. */
  serial_number: string | null;
  /** Why the order is `Failed` or `Refunded`. */
  failure: { code: FailureCode | (string & {}); message: string; fixable_by_player: boolean } | null;
  updated_at: string;
}

/** An order that was delivered, or whose money went back. */
export type FinishedOrder = Order & { status: Exclude<OrderStatus, 'Process'> };

/** The body of an order as it is sent. */
export interface SignedOrder {
  service_code: string;
  ref_id: string;
  account_identifier: { user_id: string; zone: string };
  signature: string;
  max_price?: number | undefined;
}

export type WebhookStatus = 'Active' | 'Disabled';

/** An endpoint of yours that is told of events. */
export interface Webhook {
  webhook_id: string;
  url: string;
  /** Empty: all types. */
  types: EventType[];
  status: WebhookStatus;
  disabled_reason: 'by_request' | 'gone' | 'failing' | null;
  /** Since when every attempt has failed; null while the last one succeeded. */
  failing_since: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookWithSecret extends Webhook {
  /** `whsec_…`, shown once: the key to verify deliveries with. */
  secret: string;
}

export type DeliveryStatus = 'Pending' | 'Delivered' | 'Failed' | 'Cancelled';

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  type: EventType;
  sequence: number;
  status: DeliveryStatus;
  next_attempt_at: string | null;
  attempts: DeliveryAttempt[];
  created_at: string;
}

export interface DeliveryAttempt {
  number: number;
  time: string;
  /** The HTTP status of the answer; null when there was none. */
  status: number | null;
  /** Why there was no good answer, e.g. `timeout`. */
  error: string | null;
  duration_ms: number;
  /** The first 1,024 bytes of the answer. */
  response: string | null;
}

export interface Recovery {
  /** Deliveries that are due now. */
  queued: number;
  /** True when there are more: call again, with the same `since`. */
  has_more: boolean;
}

export type EventType = TopgateEvent['type'];

interface EventOf<Type extends string, Data> {
  /** Also the `webhook-id` of its deliveries: the same over all attempts. */
  event_id: string;
  type: Type;
  timestamp: string;
  /** Rises by exactly one per reseller and mode. */
  sequence: number;
  data: Data;
}

export type OrderEvent = EventOf<'order.success' | 'order.failed' | 'order.refunded', Order>;
export type BalanceCreditedEvent = EventOf<'balance.credited', Transfer & { currency: string; mode: Mode }>;
export type BalanceLowEvent = EventOf<'balance.low', { balance: number; threshold: number; currency: string }>;
export type ServiceUpdatedEvent = EventOf<'service.updated', Service>;
export type WebhookTestEvent = EventOf<'webhook.test', { webhook_id: string; message: string }>;

/** What the feed and webhooks tell. A newer service may have more types: keep a `default` in a switch over `type`. */
export type TopgateEvent = OrderEvent | BalanceCreditedEvent | BalanceLowEvent | ServiceUpdatedEvent | WebhookTestEvent;

export interface Game {
  product_code: string;
  product_name: string;
  category: string;
  account_identifier: string;
}

/** Every state, error code, failure code and event type of the service, with its meaning. */
export interface StatusCodes {
  order: { status: OrderStatus; meaning: string }[];
  product: { status: Availability; meaning: string }[];
  service: { status: Availability; meaning: string }[];
  error: { code: string; status: number; retryable: boolean; meaning: string }[];
  failure: { code: string; meaning: string; fixable_by_player: boolean }[];
  event: { type: EventType; meaning: string }[];
}

export interface SignatureGuide {
  algorithm: string;
  encoding: string;
  key: string;
  message: string;
  values: string[];
  vectors: SignatureVector[];
}

export interface SignatureVector {
  secret: string;
  order: { service_code: string; ref_id: string; user_id: string; zone: string; max_price?: number | undefined };
  string_to_sign: string;
  signature: string;
}

export interface SignatureCheck {
  string_to_sign: string;
  expected: string;
  received: string;
  matches: boolean;
}

/** One request of yours as the service remembers it. */
export interface LoggedRequest {
  request_id: string;
  time: string;
  method: string;
  path: string;
  status: number;
  /** The error's code; null when the request succeeded. */
  code: string | null;
  message: string | null;
  duration_ms: number;
  /** The fields of the body or the query, without secrets and players; null when there were none. */
  request: Record<string, unknown> | null;
}
