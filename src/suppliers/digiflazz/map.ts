import type { CodeTable, Meaning } from '../meaning.ts';

/**
 * Digiflazz's response codes (developer.digiflazz.com, "Response Code", as of 2026-05-13). The meanings for an order are ours.
 * `created`: Digiflazz made a transaction of it. Where it did not, the code says something about this request alone, and nothing
 * about an earlier one with the same reference.
 */
export const RESPONSE_CODES = {
  '00': { text: 'success', created: true, is: 'delivered' },
  '01': { text: 'timeout', created: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '02': { text: 'failed', created: true, is: 'elsewhere', code: 'not_deliverable' },
  '03': { text: 'pending', created: true, is: 'pending' },
  '40': { text: 'payload error', created: false, is: 'misconfigured' },
  '41': { text: 'invalid signature', created: false, is: 'misconfigured' },
  '42': { text: 'unknown username', created: false, is: 'misconfigured' },
  '43': { text: 'SKU not found or not active', created: false, is: 'elsewhere', code: 'not_deliverable', routeAtFault: true },
  '44': { text: 'balance too low', created: false, is: 'low_balance' },
  '45': { text: 'IP address not allowed', created: false, is: 'misconfigured' },
  '47': { text: 'done already by another buyer', created: false, is: 'rejected', code: 'limit_reached' },
  '49': { text: 'reference not unique: known with another item or player', created: false, is: 'unclear' },
  '50': { text: 'transaction not found', created: true, is: 'unknown' },
  '51': { text: 'destination blocked', created: true, is: 'rejected', code: 'player_rejected' },
  '52': { text: 'prefix does not fit the operator', created: true, is: 'rejected', code: 'player_rejected' },
  '53': { text: 'not available at the seller', created: true, is: 'elsewhere', code: 'out_of_stock' },
  '54': { text: 'wrong destination', created: true, is: 'rejected', code: 'player_rejected' },
  '55': { text: 'product disturbed', created: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '56': { text: "seller's balance limit (old)", created: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  '57': { text: 'wrong number of digits', created: true, is: 'rejected', code: 'player_rejected' },
  '58': { text: 'cut-off', created: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '59': { text: 'destination outside the region', created: true, is: 'rejected', code: 'region_mismatch' },
  '60': { text: 'bill not available yet', created: true, is: 'rejected', code: 'not_deliverable' },
  '61': { text: 'no deposit made yet', created: false, is: 'misconfigured' },
  '62': { text: 'seller disturbed', created: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  '63': { text: 'no second one for the same destination today', created: false, is: 'elsewhere', code: 'limit_reached' },
  '64': { text: 'ticket not drawn (deposits only)', created: false, is: 'unknown' },
  '65': { text: 'limit of repeated transactions (old)', created: false, is: 'elsewhere', code: 'limit_reached' },
  '66': { text: "cut-off, seller's maintenance", created: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  '67': { text: 'seller not verified', created: false, is: 'elsewhere', code: 'not_deliverable' },
  '68': { text: 'out of stock', created: false, is: 'elsewhere', code: 'out_of_stock' },
  '69': { text: 'price above max_price', created: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  '70': { text: "timeout at the seller's biller", created: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '71': { text: 'product unstable', created: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '72': { text: 'unsubscribe first', created: true, is: 'rejected', code: 'player_rejected' },
  '73': { text: 'above the limit', created: true, is: 'rejected', code: 'limit_reached' },
  '74': { text: 'refunded', created: true, is: 'reversed' },
  '80': { text: 'the seller has blocked you', created: false, is: 'elsewhere', code: 'not_deliverable' },
  '81': { text: 'you have blocked the seller', created: false, is: 'elsewhere', code: 'not_deliverable' },
  '82': { text: 'account not verified', created: false, is: 'misconfigured' },
  '83': { text: 'price list asked for too often', created: false, is: 'unknown' },
  '84': { text: 'invalid nominal', created: true, is: 'rejected', code: 'not_deliverable' },
  '85': { text: 'too many transactions, try again in a minute', created: true, is: 'busy', retryAfterMs: 60_000 },
  '86': { text: 'too many look-ups', created: true, is: 'unknown' },
  '87': { text: 'must be a multiple of 1,000', created: false, is: 'rejected', code: 'not_deliverable' },
  '88': { text: 'account may not do this', created: false, is: 'misconfigured' },
  '99': { text: 'routing issue', created: true, is: 'pending' },
} as const satisfies CodeTable & Record<string, { created: boolean }>;

/** The states, in Indonesian, and in English at the Malaysian twin. */
const STATES: Readonly<Record<string, 'success' | 'pending' | 'failed'>> = {
  Sukses: 'success',
  Success: 'success',
  Pending: 'pending',
  Processing: 'pending',
  Gagal: 'failed',
  Failed: 'failed',
};

/**
 * What a state with its response code means. The state comes first, as it is the transaction's; the code tells why it failed.
 * `asked`: the answer is to a repeated request, which is how Digiflazz is asked. A code without a transaction then only says that
 * the repetition was refused.
 */
export function meaningOf(answer: { status: string; rc: string; asked: boolean }): Meaning {
  const state = STATES[answer.status];
  if (state === 'success') return { is: 'delivered' };
  if (state === 'pending') return { is: 'pending' };
  const code = isKnown(answer.rc) ? RESPONSE_CODES[answer.rc] : undefined;
  if (state === undefined || code === undefined || code.is === 'delivered' || code.is === 'pending') return { is: 'unknown' };
  const saysNothing = answer.asked && !code.created && code.is !== 'unclear';
  return saysNothing ? { is: 'unknown' } : code;
}

/** Whether Digiflazz made a transaction of it, which the same request then finds again. */
export function isRecorded(rc: string): boolean {
  return isKnown(rc) && RESPONSE_CODES[rc].created;
}

function isKnown(rc: string): rc is keyof typeof RESPONSE_CODES {
  return Object.hasOwn(RESPONSE_CODES, rc);
}
