/** One kind of error of the interface. */
export interface ProblemKind {
  status: number;
  /** May the same request succeed later without being changed? */
  retryable: boolean;
  /** What happened and what to do, for the reference list and the documentation. */
  meaning: string;
}

/** Every error code the service answers with, and nothing else. Codes are stable: programs rely on them. */
export const PROBLEMS = {
  invalid_json: { status: 400, retryable: false, meaning: 'The body is not valid JSON in UTF-8. Send one JSON object.' },
  invalid_request: {
    status: 400,
    retryable: false,
    meaning: 'A field is missing, mistyped, too long or unknown. `issues` names each one.',
  },
  unauthenticated: {
    status: 401,
    retryable: false,
    meaning: 'The bearer token is missing, malformed, unknown, expired or revoked. Send `Authorization: Bearer <token>`.',
  },
  invalid_signature: {
    status: 401,
    retryable: false,
    meaning:
      "The signature is not that of this request. Sign service_code, ref_id, user_id, zone and, if sent, max_price, joined by line feeds, with the token's signing secret.",
  },
  insufficient_balance: {
    status: 402,
    retryable: true,
    meaning:
      'The balance is lower than the price. Nothing was created and the ref_id stays free: deposit, then send the same request again.',
  },
  ip_not_allowed: {
    status: 403,
    retryable: false,
    meaning:
      "The token may not be used from this address. Ask the operator to add the address, or remove the token's allow-list.",
  },
  insufficient_scope: {
    status: 403,
    retryable: false,
    meaning: 'The token lacks the scope this request needs. Use a token with it.',
  },
  account_suspended: { status: 403, retryable: false, meaning: 'The operator has suspended the account. Contact the operator.' },
  route_not_found: { status: 404, retryable: false, meaning: 'There is no such path. Check it against the API reference.' },
  product_not_found: {
    status: 404,
    retryable: false,
    meaning: 'There is no product with this code. `GET /api/product` lists all.',
  },
  service_not_found: {
    status: 404,
    retryable: false,
    meaning: 'There is no service with this code. `GET /api/service` lists all.',
  },
  order_not_found: { status: 404, retryable: false, meaning: 'You have no order with this reference in this mode.' },
  player_not_found: {
    status: 404,
    retryable: false,
    meaning: 'The game knows no such player. Check the user ID and zone. On an order the status is 422, and nothing was created.',
  },
  webhook_not_found: {
    status: 404,
    retryable: false,
    meaning: 'You have no webhook endpoint with this id in this mode. `GET /api/webhook` lists yours.',
  },
  delivery_not_found: {
    status: 404,
    retryable: false,
    meaning: 'You have no webhook delivery with this id in this mode. `GET /api/webhook/{id}/delivery` lists them.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    meaning: 'The path exists, but not with this method. The `Allow` header lists those it has.',
  },
  not_acceptable: { status: 406, retryable: false, meaning: 'The service answers in JSON. Send `Accept: application/json`.' },
  ref_id_conflict: {
    status: 409,
    retryable: false,
    meaning: 'The ref_id was used for a different order. Use a new one; `differs` names the fields that are not the same.',
  },
  price_changed: {
    status: 409,
    retryable: false,
    meaning: 'The price is above your max_price. Nothing was created: accept the new price, or do not order.',
  },
  payload_too_large: { status: 413, retryable: false, meaning: 'The body is too large. An order fits in 1 KiB.' },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    meaning: 'Send the body as `Content-Type: application/json`, uncompressed, in UTF-8.',
  },
  invalid_account_identifier: {
    status: 422,
    retryable: false,
    meaning: "The user ID or zone does not fit this product. `issues` says how; the product's `fields` describe the form.",
  },
  service_unavailable: {
    status: 422,
    retryable: false,
    meaning: 'The service cannot be ordered at the moment. Nothing was created.',
  },
  lookup_not_supported: {
    status: 422,
    retryable: false,
    meaning: 'This product has no nickname lookup. Order without it; the nickname is then empty.',
  },
  webhook_limit_reached: {
    status: 422,
    retryable: false,
    meaning: 'You have as many webhook endpoints as one can have in a mode. Delete one, or change one.',
  },
  events_expired: {
    status: 410,
    retryable: false,
    meaning:
      'The feed begins later by now: what comes right after this `after` is no longer kept. `details.first_sequence` is the first that is.',
  },
  webhook_disabled: {
    status: 422,
    retryable: false,
    meaning: 'The webhook endpoint is disabled, so nothing is sent to it. Set its `status` to `Active` first.',
  },
  rate_limited: { status: 429, retryable: true, meaning: 'Too many requests. Wait for the seconds in `Retry-After`.' },
  internal_error: {
    status: 500,
    retryable: true,
    meaning:
      'A fault of the service. For an order, send the same request again or ask for its status: it is never executed twice.',
  },
  overloaded: {
    status: 503,
    retryable: true,
    meaning: 'The service has more to do than it can take. Nothing was created; try again after `Retry-After` seconds.',
  },
  maintenance: {
    status: 503,
    retryable: true,
    meaning: 'The operator is working on the service. Nothing was created; try again after `Retry-After` seconds.',
  },
  lookup_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'The nickname cannot be looked up at the moment. Try again; orders work without it.',
  },
  // The admin interface only.
  not_found: { status: 404, retryable: false, meaning: 'There is no such object.' },
  conflict: {
    status: 409,
    retryable: false,
    meaning: 'The object is not in a state, or not free, for this change. The message says why.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Codes that only the admin interface uses; the resellers' reference lists leave them out. */
export const ADMIN_PROBLEM_CODES: ReadonlySet<ProblemCode> = new Set(['not_found', 'conflict']);

export interface Issue {
  /** Where in the request, e.g. `account_identifier.zone`. */
  path: string;
  message: string;
}

export interface ProblemDetails {
  /** Overrides the status of the code: a missing player is 404 on a lookup and 422 on an order. */
  status?: number;
  issues?: Issue[];
  details?: Record<string, unknown>;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/**
 * Ends the request with an error of the interface. Thrown only by routes and hooks, where a framework takes it from there;
 * use-cases return their outcomes as values.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly more: ProblemDetails;

  constructor(code: ProblemCode, message?: string, more: ProblemDetails = {}) {
    super(message ?? PROBLEMS[code].meaning);
    this.name = 'Problem';
    this.code = code;
    this.more = more;
  }

  get status(): number {
    return this.more.status ?? PROBLEMS[this.code].status;
  }
}
