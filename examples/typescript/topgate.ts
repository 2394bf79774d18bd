/**
 * Topgate with nothing but Node.js 22.18 or later, which runs this file as it is. Copy what you need.
 *
 *     export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
 *     node topgate.ts services MLBB
 *     node topgate.ts order MLBB-85 123450001 2001
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { TOPGATE_URL = 'http://127.0.0.1:3000', TOPGATE_TOKEN = '', TOPGATE_SECRET = '' } = process.env;
const TRIES = 6;
const CALL_LIMIT_MS = 30_000;
const ORDER_LIMIT_MS = 120_000;
const TOLERANCE_SECONDS = 300;

export interface Service {
  service_code: string;
  service_name: string;
  price: number;
  status: 'Available' | 'Unavailable' | 'Maintenance';
}

export interface OrderFields {
  service_code: string;
  ref_id: string;
  user_id: string;
  /** Empty for a game without zones. */
  zone: string;
  /** The order is refused when the price is above this. A whole number, as every amount. */
  max_price?: number;
}

export interface Order {
  ref_id: string;
  order_id: string;
  price: number;
  status: 'Process' | 'Success' | 'Failed' | 'Refunded';
  serial_number: string | null;
  failure: { code: string; message: string; fixable_by_player: boolean } | null;
}

/** The body of every answer: `data` on success, `error` and `request_id` otherwise. */
interface Envelope {
  message: string;
  data: unknown;
  error?: { code: string };
  request_id?: string;
}

/** A refusal, or no answer at all. `code` is for programs; quote `requestId` to the operator. */
export class TopgateError extends Error {
  readonly code: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, code?: string, requestId?: string) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

/** The values joined by one line feed, without one at the end; HMAC-SHA256 with the secret as it was given; lower-case hex. */
export function sign(secret: string, { service_code, ref_id, user_id, zone, max_price }: OrderFields): string {
  const values = [service_code, ref_id, user_id, zone];
  if (max_price !== undefined) values.push(String(max_price));
  return createHmac('sha256', secret).update(values.join('\n'), 'utf8').digest('hex');
}

/**
 * Sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for everything in this file: reads change
 * nothing, and an order with the same ref_id is never bought twice. Any other refusal is thrown at once.
 */
export async function request<Data>(method: 'GET' | 'POST', path: string, body?: object): Promise<Data> {
  let failure = noAnswer('not asked');
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    let waitSeconds = 2 ** attempt;
    try {
      const response = await fetch(TOPGATE_URL + path, {
        method,
        headers: {
          Authorization: `Bearer ${TOPGATE_TOKEN}`,
          Accept: 'application/json',
          ...(body && { 'Content-Type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
        redirect: 'manual', // The token must not follow a redirect to somebody else.
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
      });
      const answer = (await response.json().catch(() => null)) as Envelope | null;
      if (response.ok && answer) return answer.data as Data;
      failure = refusal(response.status, answer);
      if (response.status >= 300 && response.status < 500 && response.status !== 429) break;
      waitSeconds = Math.max(waitSeconds, Number(response.headers.get('Retry-After')) || 0);
    } catch (error) {
      failure = noAnswer(error instanceof Error && error.cause ? error.cause : error);
    }
    if (attempt < TRIES - 1) await sleep(waitSeconds * 1000);
  }
  throw failure;
}

/** What the service said; something between us and the service may have answered instead, and not in JSON. */
function refusal(status: number, answer: Envelope | null): TopgateError {
  if (!answer?.error?.code) return noAnswer(`HTTP ${status}, not from Topgate`);
  const { message, error, request_id } = answer;
  return new TopgateError(`${error.code}: ${message} (HTTP ${status}, request_id ${request_id})`, error.code, request_id);
}

function noAnswer(reason: unknown): TopgateError {
  return new TopgateError(`No answer: ${reason}. An order may exist all the same: send it again with the same ref_id.`);
}

export function listServices(productCode = ''): Promise<Service[]> {
  return request('GET', `/api/service${productCode && `?product_code=${encodeURIComponent(productCode)}`}`);
}

/** Store the sale with its ref_id before you call this, so that you can send the very same order again after a crash. */
export function placeOrder(order: OrderFields): Promise<Order> {
  const { user_id, zone, ...rest } = order;
  return request('POST', '/api/order', {
    ...rest,
    account_identifier: { user_id, zone },
    signature: sign(TOPGATE_SECRET, order),
  });
}

/** Asks until the order is not `Process`. One that still is after the limit is not lost: ask again later, refund nobody yet. */
export async function waitForOrder(refId: string): Promise<Order> {
  const giveUpAt = Date.now() + ORDER_LIMIT_MS;
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    await sleep(waitMs);
    const order = await request<Order>('GET', `/api/order/status?ref_id=${encodeURIComponent(refId)}`);
    if (order.status !== 'Process' || Date.now() > giveUpAt) return order;
  }
}

export interface WebhookHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Is this delivery from Topgate, and fresh? `body` is the raw body, before any JSON parser. While a secret is being rotated
 * there are several signatures, and one good one is enough. The same event can arrive twice: keep each `webhook-id` that you
 * have handled, and answer 200 to a known one without handling it again.
 */
export function verifyWebhook(secret: string, headers: WebhookHeaders, body: Buffer, now = Date.now() / 1000): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  return signatures.split(' ').some((signature) => {
    const candidate = Buffer.from(signature);
    return candidate.length === expected.length && timingSafeEqual(candidate, expected);
  });
}

async function order(serviceCode: string, userId: string, zone: string, refId = `EXAMPLE-${Date.now()}`): Promise<void> {
  const service = (await listServices()).find((candidate) => candidate.service_code === serviceCode);
  if (!service) throw new Error(`There is no service ${serviceCode}.`);
  console.log(`${service.service_name}: ${service.price}, ${service.status}`);
  const fields = { service_code: serviceCode, ref_id: refId, user_id: userId, zone, max_price: service.price };
  const placed = await placeOrder(fields);
  console.log(`${refId} is ${placed.order_id}: ${placed.status}`);
  const ended = placed.status === 'Process' ? await waitForOrder(refId) : placed;
  console.log(`${ended.status} ${ended.serial_number ?? ended.failure?.message ?? ''}`);
  if (ended.status !== 'Success') process.exitCode = 1;
}

interface SignatureVector {
  secret: string;
  order: OrderFields;
  signature: string;
}

interface WebhookVector {
  name: string;
  secret: string;
  id: string;
  timestamp: string;
  body: string;
  signature: string;
  now: number;
  valid: boolean;
}

function checkVectors(folder: string): void {
  const read = <Vector>(name: string): Vector[] => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
  const signatures = read<SignatureVector>('signature-vectors.json');
  const webhooks = read<WebhookVector>('webhook-vectors.json');
  const wrong = [
    ...signatures.filter((vector) => sign(vector.secret, vector.order) !== vector.signature).map(({ order }) => order.ref_id),
    ...webhooks
      .filter(({ secret, id, timestamp, signature, body, now, valid }) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
        return verifyWebhook(secret, headers, Buffer.from(body), now) !== valid;
      })
      .map(({ name }) => name),
  ];
  for (const name of wrong) console.log(`wrong: ${name}`);
  console.log(`${signatures.length} signatures, ${webhooks.length} webhooks, ${wrong.length} wrong`);
  if (wrong.length > 0) process.exitCode = 1;
}

async function main([command, ...values]: string[]): Promise<void> {
  const [first = '', second = '', third = '', fourth] = values;
  if (command === 'services')
    for (const service of await listServices(first))
      console.log(`${service.service_code}  ${service.price}  ${service.status}  ${service.service_name}`);
  else if (command === 'order' && values.length >= 3) await order(first, second, third, fourth);
  else if (command === 'vectors' && first) checkVectors(first);
  else throw new Error('Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER');
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
