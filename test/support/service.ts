import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Order, Topgate } from '../../sdk/src/index.ts';
import { type Clock, SECOND_MS, systemClock } from '../../src/lib/clock.ts';
import { newSecretText } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { Mode } from '../../src/lib/mode.ts';
import { openService, type Service, type ServiceDeps } from '../../src/main/service.ts';
import { sign } from '../../src/resellers/index.ts';
import { AnswerCheck, readApiDescription } from './api-description.ts';
import { clientOf, orderOf } from './client.ts';
import type { TestDatabase } from './engines.ts';

const CATALOGUE = path.join(import.meta.dirname, '../../catalogue/catalogue.csv');
export const ADMIN_TOKEN = 'test-admin-token';
const answers = new AnswerCheck(readApiDescription());

/** One answer of the service: its status, headers and parsed body. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and a wrong look fails the test.
  body: any;
}

export interface TestService {
  service: Service;
  /** A request with the admin token. */
  admin(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<Answer>;
  /** A request with any headers and any body, sent as it is. Its answer must be one that the API description has. */
  raw(request: { method: string; url: string; headers?: Record<string, string>; payload?: string | Buffer }): Promise<Answer>;
  /** Registers a reseller with a balance and a token. */
  reseller(options?: {
    balance?: number;
    mode?: Mode;
    credential?: Record<string, unknown>;
    reseller?: Record<string, unknown>;
  }): Promise<TestReseller>;
  stop(): Promise<void>;
}

export interface OrderFields {
  service_code?: string;
  ref_id?: string;
  user_id?: string;
  zone?: string;
  max_price?: number;
  signature?: string;
}

/** A reseller of the service under test, as its own program would act. */
export interface TestReseller {
  resellerId: string;
  credentialId: string;
  token: string;
  secret: string;
  /** The client library in this reseller's name: how journeys act. What follows is for tests of the wire itself. */
  topgate: Topgate;
  /** Places an order through the client library; what is not given is a fresh, good one. */
  buy(fields?: Omit<OrderFields, 'signature'>): Promise<Order>;
  get(url: string, headers?: Record<string, string>): Promise<Answer>;
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(method: 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<Answer>;
  /** Signs and places an order; what is not given is a fresh, good order. */
  order(fields?: OrderFields): Promise<Answer>;
  balance(): Promise<number>;
}

/** Opens the whole service on a test database, with the bundled catalogue, without a port. */
export async function openTestService(
  { database }: Pick<TestDatabase, 'database'>,
  options: Partial<Omit<ServiceDeps, 'config'>> & { clock?: Clock; config?: Partial<ServiceDeps['config']> } = {},
): Promise<TestService> {
  const { config, ...deps } = options;
  const service = await openService({
    database,
    clock: systemClock,
    log: silentLog,
    version: '0.0.0-test',
    config: {
      adminToken: ADMIN_TOKEN,
      masterKey: Buffer.alloc(32, 7),
      rateLimit: 0,
      databaseReplicaUrl: null,
      requestLogDays: 7,
      exchangeDays: 30,
      eventDays: 180,
      expiredEvents: 'drop',
      currency: 'IDR',
      timeZone: 'Asia/Jakarta',
      role: 'all',
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      trustedProxies: [],
      env: 'development',
      webhookAllowedCidrs: ['127.0.0.0/8', '::1/128'],
      ...config,
    },
    ...deps,
  });
  const raw: TestService['raw'] = async ({ method, url, headers, payload }) => {
    const response = await service.app.inject({
      method: method as 'GET',
      url,
      ...(headers && { headers }),
      ...(payload !== undefined && { payload }),
    });
    const { statusCode: status, body: text } = response;
    answers.check({ method, url, status, headers: response.headers, text });
    return { status, headers: response.headers, body: parseBody(text) };
  };
  const send = (token: string, method: string, url: string, body?: unknown, headers?: Record<string, string>) =>
    raw({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const admin: TestService['admin'] = (method, url, body) => send(ADMIN_TOKEN, method, url, body);

  if (config?.role !== 'worker') await importCatalogue(admin);

  return {
    service,
    admin,
    raw,
    async reseller({ balance = 1_000_000, mode = 'test', credential = {}, reseller = {} } = {}) {
      const username = `r${newSecretText(8).toLowerCase()}`;
      const created = await admin('POST', '/admin/api/reseller', { name: 'Test Reseller', username, ...reseller });
      const resellerId: string = created.body.data.reseller_id;
      const issued = await admin('POST', `/admin/api/reseller/${resellerId}/credential`, { mode, ...credential });
      if (balance > 0)
        await admin('POST', `/admin/api/reseller/${resellerId}/deposit`, { amount: balance, mode, reference: 'opening balance' });
      const { access_token: token, signing_secret: secret, credential_id: credentialId } = issued.body.data;
      return toReseller({ resellerId, credentialId, token, secret }, raw, send);
    },
    stop: () => service.stop(),
  };
}

async function importCatalogue(admin: TestService['admin']): Promise<void> {
  const csv = fs.readFileSync(CATALOGUE, 'utf8').split('\n').slice(0, 40).join('\n');
  const imported = await admin('POST', '/admin/api/catalog/import', { csv });
  if (imported.status !== 200) throw new Error(`The catalogue was not imported: ${JSON.stringify(imported.body)}`);
}

function toReseller(
  identity: Pick<TestReseller, 'resellerId' | 'credentialId' | 'token' | 'secret'>,
  raw: TestService['raw'],
  send: (token: string, method: string, url: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>,
): TestReseller {
  const { token, secret } = identity;
  const topgate = clientOf(raw, identity);
  const reseller: TestReseller = {
    ...identity,
    topgate,
    buy: (fields) => topgate.orders.create(orderOf(fields)),
    get: (url, headers) => send(token, 'GET', url, undefined, headers),
    post: (url, body, headers) => send(token, 'POST', url, body, headers),
    send: (method, url, body) => send(token, method, url, body),
    order: (fields) => reseller.post('/api/order', signedOrder(secret, fields)),
    async balance() {
      return (await topgate.account.get()).balance;
    },
  };
  return reseller;
}

/** The body of an order, signed as a client signs it. */
export function signedOrder(secret: string, fields: OrderFields = {}) {
  const { service_code = 'MLBB-85', ref_id = `T-${newSecretText(8)}`, user_id = '123450001', zone = '2001', max_price } = fields;
  const maxPrice = max_price === undefined ? null : BigInt(max_price);
  const signature =
    fields.signature ?? sign({ serviceCode: service_code, refId: ref_id, userId: user_id, zone, maxPrice }, secret);
  return {
    service_code,
    ref_id,
    account_identifier: { user_id, zone },
    signature,
    ...(max_price !== undefined && { max_price }),
  };
}

const PATIENCE_MS = 20 * SECOND_MS;

/** Gives the service turns until `condition` holds. Bounded in real time, so that a hang is a failure and not a wait. */
export async function until<Value>(condition: () => Promise<Value | false | null | undefined>, what: string): Promise<Value> {
  const giveUpAt = systemClock.now().getTime() + PATIENCE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (systemClock.now().getTime() > giveUpAt) throw new Error(`Waited in vain until ${what}`);
    await nextTurn();
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
