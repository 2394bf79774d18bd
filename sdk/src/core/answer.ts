import { type AnyErrorCode, type ErrorCode, type Issue, TopgateConnectionError, TopgateError } from '../errors.ts';
import type { Verdict } from './retry.ts';

/** A successful answer. */
export interface Answer<Data> {
  data: Data;
  pagination: { next_cursor: string | null; has_more: boolean } | null;
}

export interface Failure {
  ok: false;
  error: TopgateError;
  verdict: Verdict;
}

export type Outcome<Data> = { ok: true; answer: Answer<Data> } | Failure;

/** What came back over HTTP. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

interface Envelope {
  success?: unknown;
  message?: unknown;
  data?: unknown;
  pagination?: Answer<unknown>['pagination'];
  error?: { code?: unknown; retryable?: unknown; issues?: Issue[]; details?: Record<string, unknown> };
}

const MS_PER_SECOND = 1_000;

/** Understands an answer of the service, and says what a bad one means for the request. */
export function readAnswer<Data>(received: Received, requestId: string, now: Date): Outcome<Data> {
  const envelope = parseEnvelope(received.text);
  if (envelope?.success === true && received.status < 300)
    return { ok: true, answer: { data: envelope.data as Data, pagination: envelope.pagination ?? null } };
  const known = { status: received.status, requestId, retryAfterMs: readRetryAfter(received.headers, now) };
  if (envelope?.success === false && typeof envelope.error?.code === 'string') {
    const { code, retryable, issues = [], details = {} } = envelope.error;
    const error = new TopgateError<AnyErrorCode>({
      ...known,
      code: code as ErrorCode,
      message: String(envelope.message),
      retryable: retryable === true,
      issues,
      details,
    });
    return { ok: false, error, verdict: judgeRefusal(received.status) };
  }
  return { ok: false, ...judgeStranger(known) };
}

/** An error of the service: it did nothing, unless it failed itself. */
function judgeRefusal(status: number): Verdict {
  if (status === 429 || status === 503) return 'not_executed';
  return status >= 500 ? 'unknown' : 'refused';
}

/** An answer without our envelope comes from something in between, which may have passed the request on. */
function judgeStranger(known: { status: number; requestId: string; retryAfterMs: number | null }): Omit<Failure, 'ok'> {
  const { status } = known;
  const unreadable = (explanation: string, retryable: boolean) =>
    new TopgateConnectionError({
      ...known,
      code: 'unreadable_answer',
      message: `The answer (HTTP ${status}) is not one of Topgate's: ${explanation}`,
      details: {},
      retryable,
      sent: true,
    });
  if (status === 429) return { error: unreadable('something in between limits the rate.', true), verdict: 'not_executed' };
  if (status >= 500 || status === 408)
    return { error: unreadable('something in between could not get one.', true), verdict: 'unknown' };
  if (status >= 200 && status < 300)
    return { error: unreadable('it was cut short or changed on its way.', true), verdict: 'unknown' };
  if (status < 400) return { error: unreadable('it is a redirect. Check baseUrl.', false), verdict: 'refused' };
  return { error: unreadable('check baseUrl, and what stands between you and the service.', false), verdict: 'refused' };
}

function parseEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date. */
function readRetryAfter(headers: Headers, now: Date): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const waitMs = /^[0-9]+$/.test(value) ? Number(value) * MS_PER_SECOND : Date.parse(value) - now.getTime();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null;
}
