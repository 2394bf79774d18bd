import { Agent, type Dispatcher, request } from 'undici';
import { type Clock, SECOND_MS, withTimeLimit } from '../lib/clock.ts';
import type { AttemptError, Result } from './delivery.ts';
import { ADDRESS_NOT_ALLOWED, literalAddress, type NetworkGuard } from './network-guard.ts';

export interface OutgoingWebhook {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Makes one call and tells what came of it; never throws. */
export interface WebhookSender {
  send(webhook: OutgoingWebhook): Promise<Result>;
  close(): Promise<void>;
}

/** Contract §6. */
export const ATTEMPT_LIMIT_MS = 15 * SECOND_MS;
const CONNECT_LIMIT_MS = 10 * SECOND_MS;
/** For the answer's body once its status is known: the status decides, the body is only kept for the log. */
const BODY_LIMIT_MS = 2 * SECOND_MS;
const MAX_KEPT_BYTES = 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
const KEEP_ALIVE_MS = 10 * SECOND_MS;

/**
 * Whoever sends limits the calls to each endpoint, so connections are not limited here: a limit would be one for all endpoints
 * of a host together, where those that hang would keep the others waiting until their time was over.
 */
export function createWebhookSender(options: { clock: Clock; guard: NetworkGuard; version: string }): WebhookSender {
  const { clock, guard } = options;
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: CONNECT_LIMIT_MS },
    headersTimeout: ATTEMPT_LIMIT_MS,
    bodyTimeout: ATTEMPT_LIMIT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  const headers = { 'content-type': 'application/json', 'user-agent': `Topgate/${options.version}` };

  const call = async (webhook: OutgoingWebhook, signal: AbortSignal): Promise<Omit<Result, 'at' | 'durationMs'>> => {
    // A connection to a literal address asks for no name, so it is checked here.
    const address = literalAddress(new URL(webhook.url));
    if (address !== null && !guard.isAllowed(address)) return noAnswer('address_not_allowed');
    try {
      const {
        statusCode,
        headers: answered,
        body,
      } = await request(webhook.url, {
        method: 'POST',
        headers: { ...headers, ...webhook.headers },
        body: webhook.body,
        dispatcher: agent,
        signal,
      });
      const response = await readBeginning(clock, body);
      const error = statusCode >= 300 && statusCode < 400 ? 'redirect' : null;
      return { status: statusCode, error, response, retryAfterMs: toRetryAfterMs(answered['retry-after'], clock.now()) };
    } catch (error) {
      return noAnswer(toAttemptError(error));
    }
  };

  return {
    async send(webhook) {
      const at = clock.now();
      const outcome = await withTimeLimit(clock, ATTEMPT_LIMIT_MS, (signal) => call(webhook, signal));
      const answer = outcome.timedOut ? noAnswer('timeout') : outcome.value;
      return { ...answer, at, durationMs: Math.max(0, clock.now().getTime() - at.getTime()) };
    },
    close: () => agent.destroy(),
  };
}

function noAnswer(error: AttemptError): Omit<Result, 'at' | 'durationMs'> {
  return { status: null, error, response: null, retryAfterMs: null };
}

/** The first bytes of the answer as text. What cannot be read in time is left unread: the status is what counts. */
async function readBeginning(clock: Clock, body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const chunks: Buffer[] = [];
  const read = async () => {
    let length = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= MAX_KEPT_BYTES) break;
    }
  };
  await withTimeLimit(clock, BODY_LIMIT_MS, () => read().catch(() => undefined));
  body.on('error', () => undefined).destroy();
  if (chunks.length === 0) return null;
  const text = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8');
  // The database keeps no NUL in text.
  return text.replaceAll('\u0000', '\ufffd');
}

/** `Retry-After` in either form: seconds, or a date (RFC 9110 §10.2.3). */
function toRetryAfterMs(header: string | string[] | undefined, now: Date): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;

function toAttemptError(error: unknown): AttemptError {
  const code = codeOf(error);
  if (code === ADDRESS_NOT_ALLOWED) return 'address_not_allowed';
  if (['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT'].includes(code)) return 'host_not_found';
  if (['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_ABORTED', 'ETIMEDOUT'].includes(code)) return 'timeout';
  if (TLS_CODES.test(code)) return 'tls_failed';
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') return 'unreadable_answer';
  return 'connection_failed';
}

/** A name with several addresses fails with the failures of all; they are of one kind. */
function codeOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return String((inner as Partial<NodeJS.ErrnoException>).code ?? '');
}
