import { type CodeTable, findCode, type Meaning } from '../meaning.ts';

/** BangJeff's response codes (docs.bangjeff.com, "Response Code") in answer to a checkout. The meanings for an order are ours. */
export const RESPONSE_CODES = {
  // What became of the order then stands in its state; a success without one means nothing.
  '00': { text: 'success', is: 'unknown' },
  '01': { text: 'unauthorized', is: 'misconfigured' },
  '02': { text: 'bad request', is: 'misconfigured' },
  '04': { text: 'not found', is: 'not_found' },
  '05': { text: 'internal error; the order may be there', is: 'unknown' },
  '31': { text: 'a field is required', is: 'misconfigured' },
  '41': { text: 'product not available', is: 'elsewhere', code: 'temporarily_unavailable' },
  '42': { text: 'invalid quantity', is: 'misconfigured' },
  '43': { text: 'out of stock', is: 'elsewhere', code: 'out_of_stock' },
  '51': { text: 'insufficient funds', is: 'low_balance' },
  '61': { text: 'invalid input', is: 'rejected', code: 'player_rejected' },
  '62': { text: 'input is none of the options', is: 'rejected', code: 'player_rejected' },
  '63': { text: 'input has a wrong length', is: 'rejected', code: 'player_rejected' },
  '64': { text: 'account validation failed', is: 'rejected', code: 'player_rejected' },
  '65': { text: 'invalid id', is: 'rejected', code: 'player_rejected' },
  '66': { text: 'purchase limit of the id', is: 'elsewhere', code: 'limit_reached' },
  '67': { text: 'region lock', is: 'rejected', code: 'region_mismatch' },
} as const satisfies CodeTable;

/**
 * The words of refusals at the level of HTTP, by their beginnings in lower case. They tell more than the code 02, or come without
 * one.
 */
export const MESSAGES = {
  'access token is required': { text: 'no API key', is: 'misconfigured' },
  'access token is not valid': { text: 'wrong API key', is: 'misconfigured' },
  // Not a failure: the order is there, and the next look tells what became of it.
  'this reference number already exists': { text: 'duplicate reference', is: 'pending', lookAgainInMs: 1_000 },
  "couldn't find product variant": { text: 'no such variant', is: 'elsewhere', code: 'not_deliverable' },
  'product variant currently not available': { text: 'not on sale now', is: 'elsewhere', code: 'temporarily_unavailable' },
  'insufficient funds': { text: 'our balance there does not suffice', is: 'low_balance' },
  'input is not valid': { text: 'an input is wrong', is: 'rejected', code: 'player_rejected' },
  'failed when validate user account': { text: 'no such player', is: 'rejected', code: 'player_rejected' },
  'stock currently unavailable': { text: 'out of stock', is: 'elsewhere', code: 'out_of_stock' },
} as const satisfies CodeTable;

/** A bad request in such words may be about an order that is there: a repeated reference, in words that nobody documented. */
const MAY_BE_THERE = /reference|already|exist|duplicat|invoice|process/;

const PRICE_CHANGED: Meaning = { is: 'elsewhere', code: 'temporarily_unavailable' };

export const ORDER_STATES = {
  PROCESSING: { text: 'being delivered', is: 'pending' },
  SUCCESS: { text: 'delivered', is: 'delivered' },
  REFUNDED: { text: 'not delivered, or taken back; our money is back', is: 'reversed' },
} as const satisfies CodeTable;

/**
 * What a refused checkout means. `repeated`: the purchase was sent before, as far as we know. A bad request in words that nobody
 * documented could then be about the first one, so it means nothing.
 */
export function meaningOfRefusal({ rc, message, repeated }: { rc: string; message: string; repeated: boolean }): Meaning {
  const words = message.trim().toLowerCase();
  const said = Object.entries<Meaning>(MESSAGES).find(([beginning]) => words.startsWith(beginning))?.[1];
  if (said) return said;
  if (rc === '02' && (repeated || MAY_BE_THERE.test(words))) return { is: 'unknown' };
  if (rc === '02' && /\bprice\b/.test(words)) return PRICE_CHANGED;
  return findCode<Meaning>(RESPONSE_CODES, rc) ?? { is: 'unknown' };
}

/** Only one code answers a question: the order is not known. All others leave it open. */
export function meaningOfAskedRefusal(rc: string): Meaning {
  return { is: rc === '04' ? 'not_found' : 'unknown' };
}

export function meaningOfState(statusCode: string): Meaning {
  return findCode<Meaning>(ORDER_STATES, statusCode) ?? { is: 'unknown' };
}

/** Their name for the order that a duplicate reference belongs to. */
export function readInvoice(message: string): string | null {
  return /invoice number (\S+)/i.exec(message)?.[1] ?? null;
}
