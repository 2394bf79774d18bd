import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts';
import { type CodeTable, findCode, isAboutPlayer, type Meaning } from '../meaning.ts';

/** How long a voucher may be called completed without its code. */
const CODE_LIMIT_MS = HOUR_MS;

/** MooGold's error codes (doc.moogold.com, "MooGold API 1.0") in answer to an order. The meanings for an order are ours. */
export const ERROR_CODES = {
  '109': { text: 'invalid signature', is: 'misconfigured' },
  // It does not say whether the error came before the order or after it.
  '110': { text: 'an error occurred, try again', is: 'unknown' },
  '111': { text: 'insufficient balance', is: 'low_balance' },
  '113': { text: 'product id is missing', is: 'misconfigured' },
  '114': { text: 'product out of stock', is: 'elsewhere', code: 'out_of_stock' },
  '116': { text: 'more than ten at once', is: 'misconfigured' },
  '117': { text: 'product not available yet', is: 'elsewhere', code: 'temporarily_unavailable' },
  '118': { text: 'product in the blocked list', is: 'elsewhere', code: 'not_deliverable' },
  '403': { text: 'user not found or not authorized', is: 'misconfigured' },
  '418': { text: 'API path incorrect', is: 'misconfigured' },
  '419': { text: 'missing required arguments', is: 'misconfigured' },
  // Not a failure: the order is there, and the next look tells what became of it.
  '420': { text: 'duplicate partner order id', is: 'pending', lookAgainInMs: 1_000 },
  '421': { text: 'partner order id not found', is: 'not_found' },
  '422': { text: 'product id incorrect or not authorized', is: 'elsewhere', code: 'not_deliverable' },
  '423': { text: 'category id is missing', is: 'misconfigured' },
  '424': { text: 'invalid payment method (reload only)', is: 'unknown' },
  '425': { text: 'invalid amount (reload only)', is: 'unknown' },
  '426': { text: 'timestamp is incorrect: our clock', is: 'misconfigured' },
  '433': { text: 'IP address not allowed', is: 'misconfigured' },
  '434': { text: 'limit above 100 (history only)', is: 'unknown' },
  '435': { text: 'bad status (history only)', is: 'unknown' },
  '436': { text: 'start after end (history only)', is: 'unknown' },
  '437': { text: 'range above 30 days (history only)', is: 'unknown' },
  '1111': { text: 'for members only', is: 'misconfigured' },
} as const satisfies CodeTable;

export const ORDER_STATES = {
  processing: { text: 'being delivered', is: 'pending' },
  sending: { text: 'being delivered', is: 'pending' },
  completed: { text: 'delivered', is: 'delivered' },
  refunded: { text: 'not delivered, and our money is back', is: 'reversed' },
  // "An order is only finalized when marked as Refunded": until then nobody gives our money back.
  'incorrect-details': { text: 'the account is wrong; support has yet to refund', is: 'unclear' },
} as const satisfies CodeTable;

export function meaningOfRefusal(code: string): Meaning {
  return findCode<Meaning>(ERROR_CODES, code) ?? { is: 'unknown' };
}

/** Only one error answers a question: the order was never created. All others leave it open. */
export function meaningOfAskedRefusal(code: string): Meaning {
  return { is: code === '421' ? 'not_found' : 'unknown' };
}

export function meaningOfState(status: string): Meaning {
  return findCode<Meaning>(ORDER_STATES, status.toLowerCase()) ?? { is: 'unknown' };
}

/** Completed, but what was bought is a code, and there is none yet. Its buyer has nothing: a person decides if it stays so. */
export function meaningWithoutCode(ageMs: number): Meaning {
  return ageMs < CODE_LIMIT_MS ? { is: 'pending', lookAgainInMs: MINUTE_MS } : { is: 'unclear' };
}

/** Refusals of a product's price list that only say that we cannot have it. */
export const NOT_ON_SALE: readonly string[] = ['114', '117', '118', '422'];

/** What the player's id is called where it is not "User ID". */
const USER_ID_NAMES: Readonly<Record<string, string>> = { PUBGM: 'Player ID', HOK: 'Player ID' };

/** The player's account in a look-up, which no route describes. */
export function playerFields({ productCode, userId, zone }: { productCode: string; userId: string; zone: string }) {
  const name = Object.hasOwn(USER_ID_NAMES, productCode) ? USER_ID_NAMES[productCode] : undefined;
  return { [name ?? 'User ID']: userId, ...(zone !== '' && { Server: zone }) };
}

/** Some accounts may not validate, which says nothing about the player, nor does a fault there. */
export function isNobody(message: string): boolean {
  return isAboutPlayer(message) && !/not available|contact/i.test(message);
}
