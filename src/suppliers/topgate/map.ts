import { type CodeTable, findCode, type Meaning } from '../meaning.ts';

/**
 * Topgate's error codes in answer to an order (guide "Errors"). Every one but `internal_error` says that this request created
 * nothing. `early`: it is found before the `ref_id` is looked at, so it says nothing about an earlier request with the same one.
 */
export const ERROR_CODES = {
  invalid_json: { text: 'the body is not JSON', early: true, is: 'misconfigured' },
  invalid_request: { text: 'a field is missing, mistyped or unknown', early: true, is: 'misconfigured' },
  unauthenticated: { text: 'the access token is not good', early: true, is: 'misconfigured' },
  invalid_signature: { text: 'the signature does not fit', early: true, is: 'misconfigured' },
  insufficient_balance: { text: 'our balance there is lower than the price', early: false, is: 'low_balance' },
  ip_not_allowed: { text: 'the token may not be used from our address', early: true, is: 'misconfigured' },
  insufficient_scope: { text: 'the token may not order', early: true, is: 'misconfigured' },
  account_suspended: { text: 'our account there is suspended', early: true, is: 'misconfigured' },
  route_not_found: { text: 'no such path: the base URL is not that of a Topgate', early: true, is: 'misconfigured' },
  product_not_found: { text: 'no such product', early: false, is: 'elsewhere', code: 'not_deliverable' },
  service_not_found: { text: 'no such service', early: false, is: 'elsewhere', code: 'not_deliverable' },
  player_not_found: { text: 'the game knows no such player', early: false, is: 'rejected', code: 'player_rejected' },
  order_not_found: { text: 'no such order: an answer to questions only', early: false, is: 'unknown' },
  webhook_not_found: { text: 'no such endpoint: not an answer to orders', early: false, is: 'unknown' },
  delivery_not_found: { text: 'no such delivery: not an answer to orders', early: false, is: 'unknown' },
  method_not_allowed: { text: 'the path does not take orders', early: true, is: 'misconfigured' },
  not_acceptable: { text: 'the answer could not be in JSON', early: true, is: 'misconfigured' },
  ref_id_conflict: { text: 'the reference belongs to another order', early: false, is: 'unclear' },
  price_changed: { text: 'the price is above max_price', early: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  payload_too_large: { text: 'the body is too large', early: true, is: 'misconfigured' },
  unsupported_media_type: { text: 'the body is not declared as JSON', early: true, is: 'misconfigured' },
  invalid_account_identifier: {
    text: 'the account does not fit the game',
    early: false,
    is: 'rejected',
    code: 'player_rejected',
  },
  service_unavailable: { text: 'not on sale now', early: false, is: 'elsewhere', code: 'temporarily_unavailable' },
  lookup_not_supported: { text: 'no look-up for this game: not an answer to orders', early: false, is: 'unknown' },
  webhook_limit_reached: { text: 'too many endpoints: not an answer to orders', early: false, is: 'unknown' },
  events_expired: { text: 'the feed begins later: not an answer to orders', early: false, is: 'unknown' },
  webhook_disabled: { text: 'the endpoint is disabled: not an answer to orders', early: false, is: 'unknown' },
  rate_limited: { text: 'too many requests in this second', early: true, is: 'busy', retryAfterMs: 5_000 },
  internal_error: { text: 'a fault there; the order may exist', early: false, is: 'unknown' },
  // What comes with a status from 500 on is not read: its server, or something before it, has failed.
  overloaded: { text: 'more orders than it can take', early: true, is: 'unknown' },
  maintenance: { text: 'closed for now', early: true, is: 'unknown' },
  lookup_unavailable: { text: 'no nickname now: not an answer to orders', early: false, is: 'unknown' },
} as const satisfies CodeTable & Record<string, { early: boolean }>;

/**
 * What an error means that answers an order. `repeated`: the purchase was sent before, and an error that does not look at the
 * reference leaves open what became of it then. `paths`: the fields that were found to be wrong.
 */
export function meaningOfError(code: string, { repeated, paths = [] }: { repeated: boolean; paths?: string[] }): Meaning {
  const entry = findCode<Meaning & { early: boolean }>(ERROR_CODES, code);
  if (entry === undefined || (repeated && entry.early)) return { is: 'unknown' };
  // Too long, for instance: one player's account is no reason to hold the supplier for all.
  const isAccount = paths.length > 0 && paths.every((path) => path.startsWith('account_identifier'));
  return code === 'invalid_request' && isAccount ? { is: 'rejected', code: 'player_rejected' } : entry;
}

/** Why an order says nothing about ours; null where it does. With a test token their sandbox answers, and nobody gets anything. */
export function findWrongMode(mode: string | null | undefined): string | null {
  return mode === 'live'
    ? null
    : `the answer is about an order in mode ${mode ?? '(none)'}: set a live access token (tg_live_…), as with a test token (tg_test_…) nothing is delivered`;
}

/**
 * Why an order has failed there. That it was not delivered, and that our money is back, is said by the state; the reason only
 * decides whether somebody else may be tried.
 */
export const FAILURE_CODES = {
  out_of_stock: { text: 'out of stock', is: 'elsewhere', code: 'out_of_stock' },
  player_rejected: { text: 'the game did not accept the account', is: 'rejected', code: 'player_rejected' },
  region_mismatch: { text: 'the account belongs to another region', is: 'rejected', code: 'region_mismatch' },
  limit_reached: { text: 'the player has reached a limit', is: 'elsewhere', code: 'limit_reached' },
  not_deliverable: { text: 'could not be delivered', is: 'elsewhere', code: 'not_deliverable' },
  temporarily_unavailable: { text: 'cannot be delivered now', is: 'elsewhere', code: 'temporarily_unavailable' },
  reversed: { text: 'taken back after it was delivered', is: 'reversed' },
  // A person decided without the supplier's word, so the player may still get it: nobody else is tried.
  operator_decision: { text: 'an operator there closed it', is: 'rejected', code: 'not_deliverable' },
} as const satisfies CodeTable;

export function meaningOfOrder({ status, failure }: { status: string; failure?: { code: string } | null | undefined }): Meaning {
  switch (status) {
    case 'Process':
      return { is: 'pending' };
    case 'Success':
      return { is: 'delivered' };
    case 'Failed':
      return findCode<Meaning>(FAILURE_CODES, failure?.code ?? '') ?? { is: 'rejected', code: 'not_deliverable' };
    case 'Refunded':
      return { is: 'reversed' };
    default:
      return { is: 'unknown' };
  }
}
