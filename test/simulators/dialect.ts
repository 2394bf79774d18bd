import { createHash } from 'node:crypto';
import type { CallbackMessage, LookupRequest } from '../../src/suppliers/supplier.ts';
import type { Refusal, Shop, ShopItem, ShopOrder } from './shop.ts';

export interface SimulatorRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export interface SimulatorAnswer {
  status: number;
  body: string;
}

/** One supplier's language: how it checks who asks, what it answers, and how it calls back. The shop behind it knows no supplier. */
export interface Dialect {
  kind: string;
  /** What an account at this simulator is configured with, beside `base_url`. */
  config: Record<string, string>;
  /** The same with a wrong secret. */
  wrongConfig: Record<string, string>;
  items: ShopItem[];
  /** The form of its names for orders; `SIM00000001` when not given. */
  nameOf?: (number: number) => string;
  /** What it tells as proof of a delivery; the shop's serial number when not given, and null where it gives none. */
  proofOf?: (shop: Shop, order: ShopOrder) => string | null;
  /** Whether a request only prepares the one that buys, where an order takes several. */
  isPreparation?: (request: SimulatorRequest) => boolean;
  answer(shop: Shop, request: SimulatorRequest): SimulatorAnswer;
  /** What it posts when an order has changed; not there where the supplier calls nobody. */
  callback?: (shop: Shop, order: ShopOrder) => CallbackMessage;
  /** The same from somebody who does not know the secret; not there where callbacks carry no proof. */
  forgedCallback?: (shop: Shop, order: ShopOrder) => CallbackMessage;
  /** A test of the address, where the supplier sends such. */
  ping?: () => CallbackMessage;
  /** A player whom its lookup finds, and one whom it does not; not there where it has no lookup. */
  players?: { known: LookupRequest; nickname: string; unknown: LookupRequest };
  /** What the supplier can do, beyond delivering and being out of stock. */
  plays: {
    /** Says when an order cannot be delivered only after having taken it; and refuses these reasons in its answer. */
    refusals: readonly Refusal[];
    rejectsLater: boolean;
    /** The answer to the order is final, so nothing is ever pending. */
    deliversAtOnceOnly?: boolean;
    partial: boolean;
    reversal: boolean;
  };
}

export function json(body: unknown, status = 200): SimulatorAnswer {
  return { status, body: JSON.stringify(body) };
}

/** A callback as JSON, the way most suppliers send them. */
export function jsonCallback(body: unknown, headers: Record<string, string> = {}): CallbackMessage {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    query: {},
    rawBody: Buffer.from(JSON.stringify(body)),
  };
}

/** The supplier's own way to the signature, so that it is not the adapter's that is compared with itself. */
export function md5Of(...parts: string[]): string {
  return createHash('md5').update(parts.join('')).digest('hex');
}

/** The object in a JSON body; empty where there is none. */
export function readObject(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
