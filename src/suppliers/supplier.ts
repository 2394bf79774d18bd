import type { Clock } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { FailureCode } from './failures.ts';
import type { SupplierCall } from './wire.ts';

/**
 * The port: what Topgate asks of every upstream supplier. An adapter translates one supplier's dialect into these outcomes
 * and decides nothing about orders or money. It may throw: that is the outcome `unknown`, as every timeout is.
 */
export interface Supplier {
  /** What the supplier counts in with us, when it is not our currency. */
  foreignCurrency?: ForeignCurrency;
  /** Asks the supplier to deliver. Called once per send; the attempt with its reference is stored before. */
  placeOrder(purchase: Purchase, call: SupplierCall): Promise<PlaceOutcome>;
  /** Asks what became of a purchase. Must not buy, unless the kind declares `checkMayBuy`. */
  checkOrder(purchase: Purchase, call: SupplierCall): Promise<CheckOutcome>;
  lookupNickname?(player: LookupRequest, call: SupplierCall): Promise<LookupOutcome>;
  /** What the supplier sells now. `wanted` names the items in use, for suppliers whose list has to be read game by game. */
  listServices?(call: SupplierCall, wanted: readonly string[]): Promise<ListedItem[]>;
  /** Our balance at the supplier, in minor units of our currency; null when it cannot be told in it. */
  balance?(call: SupplierCall): Promise<Amount | null>;
  /** Reads a message that somebody sent to our callback address, and says whether it is the supplier's. Pure. */
  readCallback?(message: CallbackMessage): CallbackReading;
}

export interface ForeignCurrency {
  code: string;
  /** What a decimal amount comes to in ours; null while no exchange rate is set. */
  toOurs: ((decimal: string) => Amount) | null;
}

/** One purchase at a supplier, as stored in its attempt. */
export interface Purchase {
  /** Our name for it, unique for ever: `TG…-1`, `TG…-2` for the next attempt of the same order. */
  reference: string;
  /** The supplier's name for it, when it has told one. */
  supplierReference: string | null;
  sku: string;
  userId: string;
  zone: string;
  /** The player's account in the supplier's own notation, from the route's template; null when it takes the parts. */
  accountText: string | null;
  /** What we expect to pay at most. */
  cost: Amount;
  /** How many times this purchase has been sent, this time included. */
  sends: number;
  /** When the purchase was first sent. */
  createdAt: Date;
}

/** What suppliers tell beside the outcome. */
export interface Told {
  /** Their name for the purchase. */
  supplierReference?: string;
  /** What they say it costs us, in minor units of our currency. */
  charged?: Amount;
  /** They have written the purchase down under our reference: the same request again finds it, and buys nothing. */
  recorded?: true;
}

/** The supplier has delivered. `confirmInMs`: it may still take the delivery back, so ask once more after that time. */
export interface Delivered extends Told {
  kind: 'delivered';
  serialNumber: string | null;
  confirmInMs?: number;
}

/** Accepted, not yet delivered. `lookAgainInMs`: when the supplier expects to know more. */
export interface Pending extends Told {
  kind: 'pending';
  lookAgainInMs?: number;
}

/**
 * Definitely not delivered and never will be. `retryElsewhere`: nothing about the order itself is wrong. `retryAfterMs`: the
 * same supplier may be tried again after that time, as a new purchase.
 */
export interface Rejected extends Told {
  kind: 'rejected';
  code: FailureCode;
  retryElsewhere: boolean;
  retryAfterMs?: number;
  /** Our balance there does not suffice: nothing more is sent until it does. */
  lowBalance?: boolean;
  /**
   * It took the purchase, and our account was at fault: it is put on hold, and the same purchase is not sent again. `for_operator`: a
   * good answer about our balance would not prove that this has been mended.
   */
  misconfigured?: boolean | 'for_operator';
  /** It has no such item: the route is at fault, and an operator is told. */
  routeAtFault?: true;
  /** The supplier's own words, for operators only. */
  detail?: string;
}

/**
 * Nothing was bought, because our account or its configuration is at fault. The supplier is put on hold and an operator is
 * told; the order goes elsewhere or waits. Not an answer to a question about an earlier purchase: that stays `unknown`.
 */
export interface Misconfigured {
  kind: 'misconfigured';
  detail: string;
}

/** No answer, or none that can be understood. It may have been delivered: nothing may be sent or refunded on it. */
export interface Unknown extends Told {
  kind: 'unknown';
  reason: string;
}

/**
 * Nothing of the purchase left, certainly: the supplier is resting, was not reached, or failed at what comes before the purchase.
 * The order waits, and the failure counts against the supplier.
 */
export interface NotSent {
  kind: 'not_sent';
  reason?: string;
}

/** Neither yes nor no, for instance a part of the amount delivered: an operator decides. */
export interface Unclear extends Told {
  kind: 'unclear';
  reason: string;
  /** A part was delivered: a later no does not give all the money back by itself. */
  partial?: true;
}

/** The supplier never heard of the reference. Only where the adapter declares that answer trustworthy is it acted on. */
export interface NotFound {
  kind: 'not_found';
}

/** Delivered before, and taken back since; or never delivered, and our money is back there. */
export interface Reversed extends Told {
  kind: 'reversed';
  detail?: string;
}

export type PlaceOutcome = Delivered | Pending | Rejected | Misconfigured | NotSent | Unknown | Unclear;

export type CheckOutcome = Delivered | Pending | Rejected | Misconfigured | Unknown | Unclear | NotFound | Reversed;

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
  /**
   * The time of day, `HH:MM` in the supplier's zone, in which it does not sell the item; it may cross midnight. Null: it says that there
   * is none; not there: it does not say.
   */
  cutOff?: { start: string; end: string } | null;
  /** The supplier takes the item for the same player only once a day. */
  oncePerDay?: boolean;
}

/** What could not be read in a price list: an entry, which is then left out, or a field of one, which then counts as not told. */
export interface UnreadItem {
  /** Its name there, where that much could be read. */
  sku: string | null;
  unread: string;
}

export type ListedItem = SupplierService | UnreadItem;

/** A message at our callback address, as it came. */
export interface CallbackMessage {
  method: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  query: Record<string, string>;
  rawBody: Buffer;
}

export type CallbackReading =
  /** Theirs, as far as they let us verify it. A hint only: the supplier is asked before anything is settled. */
  | {
      kind: 'hint';
      reference: string | null;
      supplierReference: string | null;
      /** Their word for the state, for operators. */
      status: string;
    }
  /** A test of the address. */
  | { kind: 'ping' }
  | { kind: 'forged'; reason: string }
  | { kind: 'unreadable'; reason: string };

/** What an adapter can do, and how far its answers carry. */
export interface Capabilities {
  nickname: boolean;
  balance: boolean;
  priceList: boolean;
  callback: boolean;
  /** A purchase whose answer was lost can be asked about by our reference; without it, a person has to look. */
  lookup: boolean;
  /** Sending the same purchase again cannot buy it twice. */
  safeResend: boolean;
  /** A definite "never heard of that reference" can be relied on, so the purchase may be sent again. */
  trustworthyNotFound: boolean;
  /** Asking about a purchase buys it if the supplier does not know it, so it is asked only while the order is in process. */
  checkMayBuy: boolean;
  /** Takes the most we want to pay along with the purchase, and refuses to charge more. */
  priceGuard: boolean;
}

/** One setting of an adapter; the console's form, the CLI and the masking of secrets all follow from it. */
export interface ConfigField {
  key: string;
  label: string;
  secret: boolean;
  required: boolean;
  /** What to enter, and where the operator finds it. */
  help?: string;
  /** Used when the field is left empty. */
  default?: string;
  /** What a value must look like, and how to say so: "must be a number of seconds". */
  form?: { pattern: RegExp; message: string };
  /** It says whose account it is: with another value, what was bought before is not found there any more. */
  identity?: boolean;
  /** It is an address to be called: `plain`, or `with_user`, which may carry a name and a password. */
  address?: 'plain' | 'with_user';
}

/** How patient Topgate is with suppliers of this kind. All of them are limits: no wait is without one. */
export interface SupplierLimits {
  /** How many calls may be open at once. */
  concurrency: number;
  /** Calls that may begin within a second; null: as many as there are. */
  perSecond: number | null;
  placeLimitMs: number;
  checkLimitMs: number;
  lookupLimitMs: number;
  /** Waits between looks at a purchase without an end; the last one repeats. */
  lookAgainAfterMs: readonly number[];
  /** An order without an end after this time goes to an operator. */
  reviewAfterMs: number;
  /** Failed calls in a row after which the supplier rests, and for how long; null where failures are part of the act. */
  circuit: { failures: number; restMs: number } | null;
  /** The shortest time between two readings of the price list. */
  priceListEveryMs: number;
  /** Only one purchase at a time of the same item for the same player: without references of ours they could not be told apart. */
  oneAtATimePerPlayer: boolean;
}

/** A kind of supplier: everything Topgate knows about an adapter before any account at it is configured. */
export interface SupplierKind {
  kind: string;
  label: string;
  capabilities: Capabilities;
  /** `base_url` and what the account needs. The settings that every kind has are not repeated here. */
  fields: ConfigField[];
  limits: SupplierLimits;
  /** What its items look like, where they all do, and how to say so: "is written <game>:<item>". */
  skuForm?: { pattern: RegExp; message: string };
  /** Its price list is read game by game, and only of the games that routes name: without a route there is nothing to read. */
  listsByRoute?: true;
  /** How the supplier writes a player's account where a route says nothing else; null where it takes the parts. */
  accountTemplate: string | null;
  /**
   * Its word for "delivered" in callbacks, where asking may buy: said of a purchase that it had rejected, it cannot be asked about,
   * so an operator is told.
   */
  deliveredStatus?: string;
  /**
   * What a template has to be here. `text`, also when not given: one text. `named`: fields, under the names that the game has there.
   * `parts`: one text for the user ID, or the two fields `user_id` and `zone`.
   */
  accountForm?: 'text' | 'named' | 'parts';
  /** What the supplier wants to read when its callback was taken; `{"status":true}` when not given. */
  callbackAnswer?: string;
  create(setup: SupplierSetup): Supplier;
}

/** One configured account at a supplier. */
export interface SupplierSetup {
  code: string;
  /** Every field of the kind, defaults filled in; a field left empty is not there. */
  config: Record<string, string>;
  clock: Clock;
}
