import type { Order, OrderField } from './contract.ts';

/** Every code the service answers with. `topgate.reference.statusCodes()` explains each. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'unauthenticated'
  | 'invalid_signature'
  | 'insufficient_balance'
  | 'ip_not_allowed'
  | 'insufficient_scope'
  | 'account_suspended'
  | 'route_not_found'
  | 'product_not_found'
  | 'service_not_found'
  | 'order_not_found'
  | 'player_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'ref_id_conflict'
  | 'price_changed'
  | 'events_expired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'invalid_account_identifier'
  | 'service_unavailable'
  | 'lookup_not_supported'
  | 'webhook_limit_reached'
  | 'webhook_disabled'
  | 'rate_limited'
  | 'internal_error'
  | 'overloaded'
  | 'maintenance'
  | 'lookup_unavailable';

/** Codes of what goes wrong without an answer, and of what this library finds out itself. */
export type ClientErrorCode = ConnectionErrorCode | 'outcome_unknown' | 'order_pending' | 'event_gap' | 'invalid_webhook';

export type ConnectionErrorCode = 'connection_failed' | 'timeout' | 'aborted' | 'unreadable_answer';

export type AnyErrorCode = ErrorCode | ClientErrorCode;

/** Why a webhook was not accepted. */
export type WebhookFault = 'header_missing' | 'too_old' | 'too_new' | 'wrong_signature' | 'not_an_event';

interface DetailsByCode {
  insufficient_balance: { balance: number; price: number };
  price_changed: { price: number };
  ref_id_conflict: { order_id: string; differs: OrderField[] };
  /** Only in test mode: what the service signed. */
  invalid_signature: { string_to_sign?: string };
  ip_not_allowed: { address: string };
  outcome_unknown: { ref_id: string };
  /** The order as it was seen last. */
  order_pending: { order: Order };
  event_gap: { expected: number; received: number };
  invalid_webhook: { reason: WebhookFault };
}

/** What an error tells beside its message, for programs. */
export type DetailsOf<Code extends AnyErrorCode> = Code extends keyof DetailsByCode
  ? DetailsByCode[Code]
  : Record<string, unknown>;

export interface Issue {
  /** Where in the request, e.g. `account_identifier.zone`. */
  path: string;
  message: string;
}

export interface ErrorFields<Code extends AnyErrorCode> {
  code: Code;
  message: string;
  details: DetailsOf<Code>;
  status?: number | null;
  retryable?: boolean;
  requestId?: string | null;
  retryAfterMs?: number | null;
  issues?: Issue[];
  cause?: unknown;
}

/** Everything that goes wrong with a call. Switch on `code`; `isTopgateError` types `details` along with it. */
export class TopgateError<Code extends AnyErrorCode = AnyErrorCode> extends Error {
  readonly code: Code;
  readonly details: DetailsOf<Code>;
  /** The HTTP status; null when no answer of the service could be read. */
  readonly status: number | null;
  /** May the same call succeed later without being changed? */
  readonly retryable: boolean;
  /** Quote it when you ask for help: the service's log and your request log know it. */
  readonly requestId: string | null;
  /** The least time to wait before the next try, if the service named one. */
  readonly retryAfterMs: number | null;
  /** Bad fields of the request, each with what is wrong. */
  readonly issues: readonly Issue[];

  constructor(fields: ErrorFields<Code>) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = new.target.name;
    this.code = fields.code;
    this.details = fields.details;
    this.status = fields.status ?? null;
    this.retryable = fields.retryable ?? false;
    this.requestId = fields.requestId ?? null;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.issues = fields.issues ?? [];
  }
}

/** No answer of the service arrived, or none that could be read. */
export class TopgateConnectionError<Code extends ConnectionErrorCode = ConnectionErrorCode> extends TopgateError<Code> {
  /** False only when it is certain that the request never left. */
  readonly sent: boolean;

  constructor(fields: Omit<ErrorFields<Code>, 'details'> & { details: DetailsOf<Code>; sent: boolean }) {
    super(fields);
    this.sent = fields.sent;
  }
}

/** The time limit ended before an answer was complete. */
export class TopgateTimeoutError extends TopgateConnectionError<'timeout'> {}

/** Your signal ended the call. Its reason is the `cause`. */
export class TopgateAbortError extends TopgateConnectionError<'aborted'> {}

/** The order may exist or not; `details.ref_id` names it, `cause` says what went wrong. */
export class TopgateOutcomeUnknownError extends TopgateError<'outcome_unknown'> {}

/** What arrived is not a webhook of ours: answer 400, and do nothing else with it. */
export class TopgateWebhookError extends TopgateError<'invalid_webhook'> {}

type ErrorUnion<Code extends AnyErrorCode> = { [Each in Code]: TopgateError<Each> }[Code];

/** True for errors of this library; with codes, only for those. Afterwards `details` has the type that belongs to the code. */
export function isTopgateError(error: unknown): error is ErrorUnion<AnyErrorCode>;
export function isTopgateError<Code extends AnyErrorCode>(error: unknown, ...codes: Code[]): error is ErrorUnion<Code>;
export function isTopgateError(error: unknown, ...codes: AnyErrorCode[]): boolean {
  return error instanceof TopgateError && (codes.length === 0 || codes.includes(error.code));
}
