import type { SignedOrder } from './contract.ts';
import { hmacSha256, toHex, utf8 } from './core/bytes.ts';

/** An order before it is signed. */
export interface OrderParams {
  /** The service to buy, e.g. `MLBB-85`. */
  service_code: string;
  /** Your reference: unique for ever, and the reason why the same order sent twice is bought once. */
  ref_id: string;
  /** The player. `zone` is left out for a game without zones. */
  account_identifier: { user_id: string; zone?: string | undefined };
  /** Refuse the order when the price is above this, in minor units. */
  max_price?: number | undefined;
}

/** What is signed: the values joined by one line feed, without one at the end; `max_price` only if the order has it. */
export function stringToSign({ service_code, ref_id, account_identifier, max_price }: OrderParams): string {
  const values = [service_code, ref_id, account_identifier.user_id, account_identifier.zone ?? ''];
  if (max_price !== undefined) values.push(String(max_price));
  return values.join('\n');
}

/** Lower-case hex of HMAC-SHA256 with the signing secret's UTF-8 bytes as the key. */
export async function signOrder(order: OrderParams, signingSecret: string): Promise<string> {
  return toHex(await hmacSha256(utf8(signingSecret), utf8(stringToSign(order))));
}

/** The body of the request: exactly the fields that the interface knows, because it refuses all others. */
export function toSignedOrder(order: OrderParams, signature: string): SignedOrder {
  const { service_code, ref_id, account_identifier, max_price } = order;
  const { user_id, zone = '' } = account_identifier;
  return {
    service_code,
    ref_id,
    account_identifier: { user_id, zone },
    signature,
    ...(max_price !== undefined && { max_price }),
  };
}
