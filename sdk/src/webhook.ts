import type { TopgateEvent } from './contract.ts';
import { type Bytes, concat, fromBase64, hmacSha256, randomBytes, toBase64, utf8, verifyHmacSha256 } from './core/bytes.ts';
import { TopgateWebhookError, type WebhookFault } from './errors.ts';

/** The headers of a request: `Headers`, or a plain object as Node.js has it. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the sender's clock may be away from yours, in either direction. Default: 300. */
  toleranceSeconds?: number;
  /** The present, for tests. */
  now?: Date;
}

export interface SignWebhookParams {
  /** The body, exactly as it will be sent. */
  payload: string | Uint8Array;
  /** One secret, or several as during a rotation. */
  secret: string | readonly string[];
  /** The event's id. Default: a new one. */
  id?: string;
  /** When it is sent. Default: now. */
  timestamp?: Date;
}

/** The three headers of Standard Webhooks 1.0. */
export type SignedWebhookHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 24;
const TOLERANCE_SECONDS = 300;
const MS_PER_SECOND = 1_000;
/** Two at most are ever sent; the limit bounds what a stranger can make us compute. */
const MAX_SIGNATURES = 10;

/**
 * Checks that a webhook comes from Topgate and is fresh, and answers its event. Throws a `TopgateWebhookError` otherwise.
 * `payload` is the body as it arrived: parsed and written again, its bytes are others. Several secrets help during a rotation.
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<TopgateEvent> {
  const keys = toKeys(secret);
  const body = toBytes(payload);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature');
  checkAge(timestamp, options);
  const message = concat(utf8(`${id}.${timestamp}.`), body);
  if (!(await isSigned(message, signatures, keys)))
    throw fault(
      'wrong_signature',
      'No signature of this webhook was made with your secret. Check the secret, and pass the body as it arrived.',
    );
  return toEvent(id, body);
}

/** The headers with which Topgate would send this payload: for tests of your endpoint, and for sending webhooks on. */
export async function signWebhook({ payload, secret, ...given }: SignWebhookParams): Promise<SignedWebhookHeaders> {
  const id = given.id ?? `evt_test_${toBase64(randomBytes(12)).replaceAll('+', '-').replaceAll('/', '_')}`;
  const timestamp = String(Math.floor((given.timestamp ?? new Date()).getTime() / MS_PER_SECOND));
  const message = concat(utf8(`${id}.${timestamp}.`), toBytes(payload));
  const signatures = await Promise.all(toKeys(secret).map(async (key) => `v1,${toBase64(await hmacSha256(key, message))}`));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** A secret of the form that endpoints have, for tests. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

function toKeys(secret: string | readonly string[]): Bytes[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError('Give the secret of the webhook endpoint.');
  return secrets.map((each) => {
    const key = each.startsWith(SECRET_PREFIX) ? fromBase64(each.slice(SECRET_PREFIX.length)) : null;
    // The secret itself must not get into a log.
    if (key === null || key.length === 0) throw new TypeError('A webhook secret has the form whsec_<base64>.');
    return key;
  });
}

function toBytes(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return utf8(payload);
  if (payload instanceof Uint8Array) return payload;
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  throw new TypeError('Pass the body of the webhook as it arrived, as text or bytes, not parsed.');
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (value) return value;
  throw fault('header_missing', `The header ${name} is missing: this is not a webhook of Topgate.`);
}

function findHeader(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

function checkAge(timestamp: string, { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions): void {
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw fault('header_missing', 'The header webhook-timestamp is not a time.');
  const ageSeconds = Math.floor(now.getTime() / MS_PER_SECOND) - Number(timestamp);
  if (ageSeconds > toleranceSeconds)
    throw fault('too_old', `The webhook was sent ${ageSeconds} seconds ago: it may be a repetition by somebody else.`);
  if (ageSeconds < -toleranceSeconds)
    throw fault('too_new', `The webhook is dated ${-ageSeconds} seconds in the future. Is your clock right?`);
}

/** Any signature by any of the keys will do. */
async function isSigned(message: Bytes, signatures: string, keys: Bytes[]): Promise<boolean> {
  for (const entry of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const signature = entry.startsWith('v1,') ? fromBase64(entry.slice('v1,'.length)) : null;
    if (signature === null) continue;
    for (const key of keys) if (await verifyHmacSha256(key, signature, message)) return true;
  }
  return false;
}

/** The event as on the feed; its id stands in the header. */
function toEvent(id: string, body: Uint8Array): TopgateEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Omit<TopgateEvent, 'event_id'>;
    if (typeof event.type === 'string' && typeof event.sequence === 'number') return { event_id: id, ...event } as TopgateEvent;
  } catch (error) {
    throw fault('not_an_event', 'The webhook is signed, but its body is not JSON.', error);
  }
  throw fault('not_an_event', 'The webhook is signed, but its body is not an event.');
}

function fault(reason: WebhookFault, message: string, cause?: unknown): TopgateWebhookError {
  return new TopgateWebhookError({ code: 'invalid_webhook', message, details: { reason }, cause });
}
