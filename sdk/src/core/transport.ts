import { TopgateAbortError, TopgateConnectionError, type TopgateError, TopgateTimeoutError } from '../errors.ts';
import { type Answer, type Outcome, readAnswer } from './answer.ts';
import { randomBytes, toHex } from './bytes.ts';
import type { Clock } from './clock.ts';
import { EtagCache } from './etag-cache.ts';
import { decideRetry } from './retry.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Query = Record<string, string | number | boolean | Date | undefined>;

/** One call of the interface. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its parts encoded. */
  path: string;
  query?: Query;
  body?: unknown;
  /** Doing it twice does no harm, so it is sent again even when nobody knows whether it was carried out. */
  repeatable: boolean;
  /** Sent without a token. */
  open?: boolean;
  /** The answer has an `ETag`: while it stays the same, it is not sent again. */
  cached?: boolean;
}

/** What every method takes beside its parameters. */
export interface RequestOptions {
  /** Ends the call, its waits included. */
  signal?: AbortSignal | undefined;
  /** How long one try may take. */
  timeoutMs?: number | undefined;
  /** How long the whole call may take, with all tries and the waits between them. */
  deadlineMs?: number | undefined;
  /** How many times it is sent again after the first try. */
  maxRetries?: number | undefined;
}

/** One try, as told to `onAttempt`. */
export interface AttemptReport {
  method: string;
  path: string;
  /** 1 for the first try. */
  attempt: number;
  requestId: string;
  durationMs: number;
  /** Null when it succeeded. */
  error: TopgateError | null;
  /** Null when it is not tried again. */
  retryInMs: number | null;
}

export interface TransportOptions {
  baseUrl: string;
  token: string;
  fetch: Fetch;
  clock: Clock;
  timeoutMs: number;
  deadlineMs: number;
  maxRetries: number;
  onAttempt: (report: AttemptReport) => void;
}

/** What became of a call after all its tries. */
export type Result<Data> =
  | { ok: true; answer: Answer<Data> }
  /** `doubt` is the last failure that left open whether the call was carried out, be it the final one or one before it. */
  | { ok: false; error: TopgateError; doubt: TopgateError | null };

const REQUEST_ID_BYTES = 12;
/** System errors after which certainly nothing was sent, as Node.js, Deno and Bun name them. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']);

/** Sends calls, each within its limits, and sends them again where that is safe. */
export class Transport {
  readonly options: TransportOptions;
  readonly #etags = new EtagCache();

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The answer's data. Failures are thrown. */
  async request<Data>(call: Call, options: RequestOptions = {}): Promise<Data> {
    return (await this.requestPage<Data>(call, options)).data;
  }

  async requestPage<Data>(call: Call, options: RequestOptions = {}): Promise<Answer<Data>> {
    const result = await this.send<Data>(call, options);
    if (!result.ok) throw result.error;
    return result.answer;
  }

  /** The same with failures as values, for calls where it matters what may have happened. */
  async send<Data>(call: Call, options: RequestOptions): Promise<Result<Data>> {
    const { clock, onAttempt } = this.options;
    const { signal, maxRetries = this.options.maxRetries, deadlineMs = this.options.deadlineMs } = options;
    const callId = `sdk-${toHex(randomBytes(REQUEST_ID_BYTES))}`;
    const startMs = clock.now().getTime();
    let doubt: TopgateError | null = null;
    for (let attempt = 1; ; attempt += 1) {
      const requestId = `${callId}-${attempt}`;
      const attemptMs = clock.now().getTime();
      const outcome = await this.#try<Data>(call, requestId, { ...options, deadlineMs: deadlineMs - (attemptMs - startMs) });
      const nowMs = clock.now().getTime();
      const remainingMs = deadlineMs - (nowMs - startMs);
      const retryInMs =
        outcome.ok || signal?.aborted
          ? null
          : decideRetry({
              ...outcome,
              repeatable: call.repeatable,
              failures: attempt,
              maxRetries,
              remainingMs,
              chance: Math.random(),
            });
      const error = outcome.ok ? null : outcome.error;
      onAttempt({ method: call.method, path: call.path, attempt, requestId, durationMs: nowMs - attemptMs, error, retryInMs });
      if (outcome.ok) return outcome;
      if (outcome.verdict === 'unknown') doubt = outcome.error;
      if (retryInMs === null) return { ok: false, error: outcome.error, doubt };
      await clock.sleep(retryInMs, signal);
      if (signal?.aborted) return { ok: false, error: aborted(signal, { requestId, sent: false }), doubt };
    }
  }

  async #try<Data>(call: Call, requestId: string, options: RequestOptions & { deadlineMs: number }): Promise<Outcome<Data>> {
    const { signal, deadlineMs, timeoutMs = this.options.timeoutMs } = options;
    if (signal?.aborted) return { ok: false, error: aborted(signal, { requestId, sent: false }), verdict: 'not_executed' };
    const url = this.options.baseUrl + call.path + queryString(call.query);
    const limit = new AbortController();
    const limitMs = Math.max(0, Math.min(timeoutMs, deadlineMs));
    const timer = setTimeout(() => limit.abort(), limitMs);
    const forward = () => limit.abort();
    signal?.addEventListener('abort', forward, { once: true });
    try {
      const response = await this.options.fetch(url, {
        method: call.method,
        headers: this.#headers(call, url, requestId),
        // The token is for this address only; where it points is none of our business.
        redirect: 'manual',
        signal: limit.signal,
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      });
      const text = await response.text();
      const received = call.cached ? this.#etags.resolve(url, response, text) : { status: response.status, text };
      const knownId = response.headers.get('x-request-id') ?? requestId;
      return readAnswer<Data>({ ...received, headers: response.headers }, knownId, this.options.clock.now());
    } catch (cause) {
      if (signal?.aborted) return { ok: false, error: aborted(signal, { requestId, sent: true }), verdict: 'unknown' };
      if (limit.signal.aborted) return { ok: false, error: timedOut(limitMs, requestId), verdict: 'unknown' };
      const sent = !NEVER_SENT.has(systemCodeOf(cause) ?? '');
      return { ok: false, error: broken(cause, requestId, sent), verdict: sent ? 'unknown' : 'not_executed' };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forward);
    }
  }

  #headers(call: Call, url: string, requestId: string): Record<string, string> {
    const etag = call.cached ? this.#etags.tagOf(url) : null;
    return {
      accept: 'application/json',
      'x-request-id': requestId,
      ...(!call.open && { authorization: `Bearer ${this.options.token}` }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...(etag !== null && { 'if-none-match': etag }),
    };
  }
}

function aborted(signal: AbortSignal, { requestId, sent }: { requestId: string; sent: boolean }): TopgateAbortError {
  const message = sent ? 'The call was ended by its signal before the answer came.' : 'The call was ended by its signal.';
  return new TopgateAbortError({ code: 'aborted', message, details: {}, requestId, sent, cause: signal.reason });
}

function timedOut(limitMs: number, requestId: string): TopgateTimeoutError {
  const message = `There was no complete answer within ${limitMs} ms.`;
  return new TopgateTimeoutError({ code: 'timeout', message, details: {}, requestId, retryable: true, sent: true });
}

function broken(cause: unknown, requestId: string, sent: boolean): TopgateConnectionError<'connection_failed'> {
  const deepest = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = systemCodeOf(cause) ?? (deepest instanceof Error ? deepest.message : String(deepest));
  const message = sent ? `The connection broke before the answer came (${reason}).` : `There is no connection (${reason}).`;
  const fields = { details: {}, requestId, retryable: true, sent, cause };
  return new TopgateConnectionError({ code: 'connection_failed', message, ...fields });
}

/** Runtimes put the system's error code on the error or on its cause. */
function systemCodeOf(error: unknown): string | null {
  for (const place of [error, error instanceof Error ? error.cause : null]) {
    const code = place instanceof Error && 'code' in place ? place.code : null;
    if (typeof code === 'string') return code;
  }
  return null;
}

function queryString(query: Query = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) values.set(name, value instanceof Date ? value.toISOString() : String(value));
  const text = values.toString();
  return text === '' ? '' : `?${text}`;
}
