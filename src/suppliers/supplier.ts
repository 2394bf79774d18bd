import type { Clock } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';

/**
 * The port: what Topgate asks of every upstream supplier. An adapter translates one supplier's dialect into these outcomes
 * and decides nothing about orders or money.
 */
export interface Supplier {
  /** Asks the supplier to deliver. Called once per send; the attempt with its reference is stored before. */
  placeOrder(purchase: Purchase, signal: AbortSignal): Promise<PlaceOutcome>;
  /** Asks what became of a purchase, by its reference. Changes nothing at the supplier. */
  checkOrder(purchase: Purchase, signal: AbortSignal): Promise<CheckOutcome>;
  lookupNickname?(player: LookupRequest, signal: AbortSignal): Promise<LookupOutcome>;
  /** What the supplier sells now; for comparing with the catalogue. */
  listServices?(signal: AbortSignal): Promise<SupplierService[]>;
  /** Our balance at the supplier, in minor units. */
  balance?(signal: AbortSignal): Promise<Amount>;
}

/** One purchase at a supplier, as stored in its attempt. */
export interface Purchase {
  /** Our name for it, unique for ever: `TG…-1`, `TG…-2` for the next attempt of the same order. */
  reference: string;
  sku: string;
  userId: string;
  zone: string;
  /** The player's account in the supplier's own notation, from the route's template; null when it takes the parts. */
  accountText: string | null;
  /** What we expect to pay at most. */
  cost: Amount;
  /** How many times this purchase has been sent, this time included. */
  sends: number;
}

/** The supplier has delivered. `confirmInMs`: it may still take the delivery back, so ask once more after that time. */
export interface Delivered {
  kind: 'delivered';
  serialNumber: string | null;
  confirmInMs?: number;
}

/** Accepted, not yet delivered. `lookAgainInMs`: when the supplier expects to know more. */
export interface Pending {
  kind: 'pending';
  lookAgainInMs?: number;
}

/** Definitely not delivered and never will be. `retryElsewhere`: nothing about the order itself is wrong. */
export interface Rejected {
  kind: 'rejected';
  code: FailureCode;
  retryElsewhere: boolean;
  /** The supplier's own words, for operators only. */
  detail?: string;
}

/** No answer, or none that can be understood. It may have been delivered: nothing may be sent or refunded on it. */
export interface Unknown {
  kind: 'unknown';
  reason: string;
}

/** Neither yes nor no, for instance a part of the amount delivered: an operator decides. */
export interface Unclear {
  kind: 'unclear';
  reason: string;
}

export type PlaceOutcome = Delivered | Pending | Rejected | Unknown | Unclear;

export type CheckOutcome =
  | PlaceOutcome
  /** The supplier never heard of the reference. Only where the adapter declares that answer trustworthy is it acted on. */
  | { kind: 'not_found' }
  /** Delivered before, and taken back since. */
  | { kind: 'reversed'; detail?: string };

export interface LookupRequest {
  productCode: string;
  userId: string;
  zone: string;
}

export type LookupOutcome = { kind: 'found'; nickname: string } | { kind: 'not_found' } | { kind: 'unavailable'; reason: string };

export interface SupplierService {
  sku: string;
  name: string;
  cost: Amount;
  available: boolean;
}

/** Why an order failed, in words that name no supplier. Resellers see the code, the message and whether the player can mend it. */
export const FAILURES = {
  out_of_stock: { message: 'The item is out of stock. Your balance was refunded.', fixableByPlayer: false },
  player_rejected: {
    message: 'The game did not accept this player account. Check the user ID and zone; your balance was refunded.',
    fixableByPlayer: true,
  },
  region_mismatch: {
    message: 'The player account belongs to another region than this item. Your balance was refunded.',
    fixableByPlayer: true,
  },
  limit_reached: {
    message: 'The player has reached the purchase limit of this item. Your balance was refunded.',
    fixableByPlayer: true,
  },
  not_deliverable: { message: 'The item could not be delivered. Your balance was refunded.', fixableByPlayer: false },
  temporarily_unavailable: {
    message: 'The item cannot be delivered at the moment. Your balance was refunded; try again later.',
    fixableByPlayer: false,
  },
  reversed: { message: 'The delivery was taken back after it had succeeded. Your balance was refunded.', fixableByPlayer: false },
  operator_decision: {
    message: 'An operator closed the order after checking it. Your balance was refunded.',
    fixableByPlayer: false,
  },
} as const satisfies Record<string, { message: string; fixableByPlayer: boolean }>;

export type FailureCode = keyof typeof FAILURES;

/** What an adapter can do, and how far its answers carry. */
export interface Capabilities {
  nickname: boolean;
  balance: boolean;
  priceList: boolean;
  callback: boolean;
  /** A definite "never heard of that reference" can be relied on, so the purchase may be sent again. */
  trustworthyNotFound: boolean;
}

/** One setting of an adapter; the console's form, the CLI and the masking of secrets all follow from it. */
export interface ConfigField {
  key: string;
  label: string;
  secret: boolean;
  required: boolean;
}

/** How patient Topgate is with suppliers of this kind. All of them are limits: no wait is without one. */
export interface SupplierLimits {
  /** How many calls may be open at once. */
  concurrency: number;
  placeLimitMs: number;
  checkLimitMs: number;
  lookupLimitMs: number;
  /** Waits between looks at a purchase without an end; the last one repeats. */
  lookAgainAfterMs: readonly number[];
  /** An order without an end after this time goes to an operator. */
  reviewAfterMs: number;
  /** Failed calls in a row after which the supplier rests, and for how long; null where failures are part of the act. */
  circuit: { failures: number; restMs: number } | null;
}

/** A kind of supplier: everything Topgate knows about an adapter before any account at it is configured. */
export interface SupplierKind {
  kind: string;
  label: string;
  capabilities: Capabilities;
  fields: ConfigField[];
  limits: SupplierLimits;
  create(setup: SupplierSetup): Supplier;
}

/** One configured account at a supplier. */
export interface SupplierSetup {
  code: string;
  config: Record<string, string>;
  clock: Clock;
}
