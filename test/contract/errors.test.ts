import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../../src/http/problems.ts';
import { fromPublicId } from '../../src/lib/ids.ts';
import { newAccessToken } from '../../src/resellers/token.ts';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, openTestService, signedOrder, type TestReseller, type TestService } from '../support/service.ts';

/** The contract's table of errors by HTTP status, and those after which the same request may succeed later. */
const CODES: Record<number, string[]> = {
  400: ['invalid_json', 'invalid_request'],
  401: ['unauthenticated', 'invalid_signature'],
  402: ['insufficient_balance'],
  403: ['ip_not_allowed', 'insufficient_scope', 'account_suspended'],
  404: [
    'route_not_found',
    'product_not_found',
    'service_not_found',
    'order_not_found',
    'player_not_found',
    'webhook_not_found',
    'delivery_not_found',
  ],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  409: ['ref_id_conflict', 'price_changed'],
  410: ['events_expired'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: [
    'invalid_account_identifier',
    'player_not_found',
    'service_unavailable',
    'lookup_not_supported',
    'webhook_limit_reached',
    'webhook_disabled',
  ],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['overloaded', 'maintenance', 'lookup_unavailable'],
};
const RETRYABLE = new Set([402, 429, 500, 503]);
const PRICE = 23_600;
const BODY_LIMIT = 64 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

const seen = new Set<string>();

/** Holds an answer against the whole rule for errors. */
function expectError(answer: Answer, code: string): void {
  const { status, body, headers } = answer;
  expect(body.error?.code, JSON.stringify(body)).toBe(code);
  expect(CODES[status], `${code} with status ${status}`).toContain(code);
  expect(Object.keys(body)).toEqual(['status', 'success', 'message', 'data', 'error', 'request_id']);
  expect(body).toMatchObject({ status, success: false, data: null, error: { code, retryable: RETRYABLE.has(status) } });
  expect(Object.keys(body.error).filter((key) => !['code', 'retryable', 'issues', 'details'].includes(key))).toEqual([]);
  expect(body.message).toMatch(/\S/);
  expect(body.request_id).toMatch(/\S/);
  expect(headers['x-request-id']).toBe(body.request_id);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['www-authenticate']).toBe(code === 'unauthenticated' ? 'Bearer' : undefined);
  if (status === 429 || status === 503) expect(headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
  expect(JSON.stringify(body)).not.toMatch(/sandbox|\bselect\b.*\bfrom\b|\.ts:\d|node_modules/i);
  seen.add(code);
}

describe('every error of the reseller interface', () => {
  const clock = new FakeClock();
  let opened: TestDatabase;
  let topgate: TestService;
  let reseller: TestReseller;
  beforeAll(async () => {
    opened = await openInMemory();
    topgate = await openTestService(opened, { clock });
    reseller = await topgate.reseller();
  });
  afterAll(async () => {
    await topgate.stop();
    await opened.drop();
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const account = (authorization?: string) =>
    topgate.raw({ method: 'GET', url: '/api/account', ...(authorization !== undefined && { headers: { authorization } }) });

  test('a body that is not JSON is invalid_json', async () => {
    const headers = { ...bearer(reseller.token), ...JSON_TYPE };
    expectError(await topgate.raw({ method: 'POST', url: '/api/order', headers, payload: '{"ref_id":' }), 'invalid_json');
  });

  test('every missing, mistyped and unknown field is named by invalid_request', async () => {
    const answer = await reseller.post('/api/order', { ref_id: 7, account_identifier: { zone: '1', name: 'x' }, surprise: 1 });
    expectError(answer, 'invalid_request');
    const paths = answer.body.error.issues.map(({ path }: { path: string }) => path).sort();
    expect(paths).toEqual(
      ['account_identifier.name', 'account_identifier.user_id', 'ref_id', 'service_code', 'signature', 'surprise'].sort(),
    );
    for (const issue of answer.body.error.issues) expect(Object.keys(issue)).toEqual(['path', 'message']);
  });

  test('no token, a malformed one and an unknown one are unauthenticated', async () => {
    expectError(await account(), 'unauthenticated');
    const { token } = reseller;
    const wrongChecksum = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    for (const malformed of ['', 'Bearer', 'Bearer ', `Basic ${token}`, token, 'Bearer a b', `Bearer ${wrongChecksum}`])
      expectError(await account(malformed), 'unauthenticated');
    expectError(await account(`Bearer ${newAccessToken('test')}`), 'unauthenticated');
  });

  test('a token is unauthenticated from the moment it expires, and from the answer to its revocation on', async () => {
    const expires_at = new Date(clock.now().getTime() + 1_000).toISOString();
    const brief = await topgate.reseller({ credential: { expires_at } });
    expect((await brief.get('/api/account')).status).toBe(200);
    await clock.advance(1_000);
    expectError(await brief.get('/api/account'), 'unauthenticated');

    const revoked = await topgate.reseller();
    expect((await revoked.get('/api/account')).status).toBe(200);
    await topgate.admin('DELETE', `/admin/api/reseller/${revoked.resellerId}/credential/${revoked.credentialId}`);
    expectError(await revoked.get('/api/account'), 'unauthenticated');
  });

  test('a wrong signature shows what was signed in test mode and never in live mode', async () => {
    const wrong = { ref_id: 'SIG-1', user_id: '123450001', zone: '2001', max_price: 25_000, signature: '0'.repeat(64) };
    const answer = await reseller.order(wrong);
    expectError(answer, 'invalid_signature');
    expect(answer.body.error.details).toEqual({ string_to_sign: 'MLBB-85\nSIG-1\n123450001\n2001\n25000' });

    const live = await topgate.reseller({ mode: 'live' });
    for (const signature of ['0'.repeat(64), 'not hex', 'ab']) {
      const refused = await live.order({ ...wrong, signature });
      expectError(refused, 'invalid_signature');
      expect(refused.body.error.details).toBeUndefined();
    }
  });

  test('a balance below the price is insufficient_balance with both', async () => {
    const poor = await topgate.reseller({ balance: PRICE - 1 });
    const answer = await poor.order();
    expectError(answer, 'insufficient_balance');
    expect(answer.body.error.details).toEqual({ balance: PRICE - 1, price: PRICE });
  });

  test('an address outside the allow-list is ip_not_allowed, and named', async () => {
    const elsewhere = await topgate.reseller({ credential: { allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] } });
    const answer = await elsewhere.get('/api/account');
    expectError(answer, 'ip_not_allowed');
    expect(answer.body.message).toContain('127.0.0.1');
    const here = await topgate.reseller({ credential: { allowed_ips: ['127.0.0.0/8'] } });
    expect((await here.get('/api/account')).status).toBe(200);
  });

  test('a token without the scope is insufficient_scope', async () => {
    const reader = await topgate.reseller({ credential: { scopes: ['read'] } });
    expectError(await reader.order(), 'insufficient_scope');
    const buyer = await topgate.reseller({ credential: { scopes: ['order'] } });
    expectError(await buyer.get('/api/account'), 'insufficient_scope');
  });

  test('a suspended reseller is account_suspended everywhere', async () => {
    const suspended = await topgate.reseller();
    await topgate.admin('PATCH', `/admin/api/reseller/${suspended.resellerId}`, { status: 'Suspended' });
    expectError(await suspended.get('/api/account'), 'account_suspended');
    expectError(await suspended.order(), 'account_suspended');
  });

  test('what does not exist is not found, each by its own code', async () => {
    expectError(await reseller.get('/api/nothing'), 'route_not_found');
    expectError(await reseller.get('/api/service?product_code=NONE'), 'product_not_found');
    expectError(await reseller.get('/api/nickname/NONE?user_id=123450001'), 'product_not_found');
    expectError(await reseller.order({ service_code: 'MLBB-NONE' }), 'service_not_found');
    expectError(await reseller.get('/api/order/status?ref_id=NONE'), 'order_not_found');
    expectError(await reseller.get('/api/order/status?order_id=NONE'), 'order_not_found');
  });

  test("another reseller's order is order_not_found", async () => {
    const { data } = (await reseller.order({ ref_id: 'MINE' })).body;
    const other = await topgate.reseller();
    expectError(await other.get('/api/order/status?ref_id=MINE'), 'order_not_found');
    expectError(await other.get(`/api/order/status?order_id=${data.order_id}`), 'order_not_found');
  });

  test('a player the game does not know is player_not_found: 404 on a lookup, 422 on an order', async () => {
    const [lookup, order] = [
      await reseller.get('/api/nickname/MLBB?user_id=123450004&zone=2001'),
      await reseller.order({ user_id: '123450004' }),
    ];
    expectError(lookup, 'player_not_found');
    expectError(order, 'player_not_found');
    expect([lookup.status, order.status]).toEqual([404, 422]);
  });

  test('a method the path does not have is method_not_allowed, with those it has in Allow', async () => {
    for (const [method, url, allowed] of [
      ['DELETE', '/api/order', ['GET', 'POST']],
      ['PUT', '/api/product', ['GET']],
      ['POST', '/api/nickname/MLBB', ['GET']],
    ] as const) {
      const answer = await topgate.raw({ method, url, headers: bearer(reseller.token) });
      expectError(answer, 'method_not_allowed');
      const allow = String(answer.headers['allow']).split(', ');
      expect(allow.filter((one) => !['HEAD', 'OPTIONS'].includes(one)).sort()).toEqual(allowed);
    }
  });

  test('OPTIONS is a method like any other that a path does not have', async () => {
    const answer = await topgate.raw({ method: 'OPTIONS', url: '/api/order', headers: bearer(reseller.token) });
    expectError(answer, 'method_not_allowed');
  });

  test('a client that takes no JSON is not_acceptable', async () => {
    for (const accept of ['text/html', 'application/json;q=0', 'application/xml, text/*'])
      expectError(await reseller.get('/api/account', { accept }), 'not_acceptable');
    for (const accept of ['application/json', '*/*', 'text/html, application/*;q=0.5', 'APPLICATION/JSON'])
      expect((await reseller.get('/api/account', { accept })).status).toBe(200);
  });

  test('a body of more than 64 KiB is payload_too_large, one of exactly 64 KiB is read', async () => {
    const pad = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    const send = (payload: string) =>
      topgate.raw({ method: 'POST', url: '/api/order', headers: { ...bearer(reseller.token), ...JSON_TYPE }, payload });
    expectError(await send(pad(BODY_LIMIT + 1)), 'payload_too_large');
    expectError(await send(pad(BODY_LIMIT)), 'invalid_request');
  });

  test('a body of another type is unsupported_media_type', async () => {
    const headers = { ...bearer(reseller.token), 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await topgate.raw({ method: 'POST', url: '/api/order', headers, payload: 'ref_id=1' }), 'unsupported_media_type');
  });

  test('a used ref_id is ref_id_conflict and names the order and every field that differs', async () => {
    const { data } = (await reseller.order({ ref_id: 'USED' })).body;
    const answer = await reseller.order({ ref_id: 'USED', service_code: 'MLBB-5', user_id: '99990001', zone: '7', max_price: 1 });
    expectError(answer, 'ref_id_conflict');
    const differs = ['service_code', 'account_identifier.user_id', 'account_identifier.zone', 'max_price'];
    expect(answer.body.error.details).toEqual({ order_id: data.order_id, differs });
  });

  test('a price above max_price is price_changed and tells the price', async () => {
    const answer = await reseller.order({ max_price: PRICE - 1 });
    expectError(answer, 'price_changed');
    expect(answer.body.error.details).toEqual({ price: PRICE });
  });

  test('an account the game cannot have is invalid_account_identifier, with the field named', async () => {
    const order = await reseller.order({ user_id: 'letters', zone: '' });
    expectError(order, 'invalid_account_identifier');
    const paths = order.body.error.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['account_identifier.user_id', 'account_identifier.zone']);
    expectError(await reseller.order({ service_code: 'HOK-16', zone: '2001' }), 'invalid_account_identifier');
    expectError(await reseller.get('/api/nickname/MLBB?user_id=letters&zone=2001'), 'invalid_account_identifier');
  });

  test('a service, or a product, that is not Available is service_unavailable', async () => {
    await topgate.admin('PATCH', '/admin/api/service/MLBB-12', { status: 'Unavailable' });
    expectError(await reseller.order({ service_code: 'MLBB-12' }), 'service_unavailable');
    await topgate.admin('PATCH', '/admin/api/product/MCGG', { status: 'Maintenance' });
    expectError(await reseller.order({ service_code: 'MCGG-5' }), 'service_unavailable');
  });

  test('a lookup in a game without one is lookup_not_supported, and one that is down is lookup_unavailable', async () => {
    const fields = [{ key: 'user_id', label: 'Username', type: 'text', required: true }];
    const product = { product_code: 'QUIET', product_name: 'Quiet', account_identifier: 'Username', category: 'Other', fields };
    expect((await topgate.admin('POST', '/admin/api/product', product)).status).toBe(200);
    expectError(await reseller.get('/api/nickname/QUIET?user_id=somebody'), 'lookup_not_supported');
    expectError(await reseller.get('/api/nickname/MLBB?user_id=123450005&zone=2001'), 'lookup_unavailable');
  });

  test('maintenance closes the reseller interface with the words of the operator, and only for as long as it lasts', async () => {
    await topgate.admin('PUT', '/admin/api/maintenance', { enabled: true, message: 'Back at noon.' });
    const answer = await reseller.order();
    expectError(answer, 'maintenance');
    expect(answer.body.message).toBe('Back at noon.');
    await topgate.admin('PUT', '/admin/api/maintenance', { enabled: false });
    expect((await reseller.order()).status).toBe(200);
  });

  test('one request more than the limit is rate_limited, for that reseller alone', async () => {
    const limited = await openTestService(opened, { clock, config: { rateLimit: 2 } });
    const [hasty, other] = [await limited.reseller({ balance: 0 }), await limited.reseller({ balance: 0 })];
    for (const left of [1, 0]) {
      const answer = await hasty.get('/api/account');
      expect(answer.status).toBe(200);
      expect(answer.headers['ratelimit']).toBe(`"default";r=${left};t=1`);
    }
    const refused = await hasty.get('/api/account');
    expectError(refused, 'rate_limited');
    expect(refused.headers['ratelimit']).toBe('"default";r=0;t=1');
    expect(refused.headers['ratelimit-policy']).toBe('"default";q=2;w=1');
    expect((await other.get('/api/account')).status).toBe(200);
    await clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await hasty.get('/api/account')).status).toBe(200);
    await limited.stop();
  });

  test('an order for which there is no room is overloaded and creates nothing; the same request succeeds later', async () => {
    const narrow = await openTestService(opened, { clock, admissionLimit: 1 });
    const crowd = await narrow.reseller({ balance: 20 * PRICE });
    await crowd.order();
    const bodies = Array.from({ length: 12 }, () => signedOrder(crowd.secret));
    const answers = await Promise.all(bodies.map((body) => crowd.post('/api/order', body)));
    const refused = answers.findIndex(({ status }) => status === 503);
    expectError(answers[refused] as Answer, 'overloaded');
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const accepted = 1 + answers.filter(({ status }) => status === 200).length;
    expect(await crowd.balance()).toBe((20 - accepted) * PRICE);
    expectError(await crowd.get(`/api/order/status?ref_id=${bodies[refused]?.ref_id}`), 'order_not_found');
    const again = await crowd.post('/api/order', bodies[refused]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    await narrow.stop();
  });

  test('a fault of the service is internal_error and tells nothing of its inside', async () => {
    const doomed = await openInMemory();
    const broken = await openTestService(doomed, { clock });
    const unlucky = await broken.reseller();
    await unlucky.get('/api/account');
    await doomed.database.close();
    expectError(await unlucky.get('/api/account'), 'internal_error');
    expectError(await unlucky.order(), 'internal_error');
    await broken.stop();
  });

  test('a well-formed request id of the client is kept, any other is replaced', async () => {
    const kept = await reseller.get('/api/nothing', { 'x-request-id': 'client-id:1.2_3' });
    expect(kept.body.request_id).toBe('client-id:1.2_3');
    for (const bad of ['has spaces', 'x'.repeat(129), '<script>', 'ü']) {
      const { body, headers } = await reseller.get('/api/nothing', { 'x-request-id': bad });
      expect(body.request_id).not.toBe(bad);
      expect(headers['x-request-id']).toBe(body.request_id);
    }
    expect((await reseller.get('/api/account', { 'x-request-id': 'ok-1' })).headers['x-request-id']).toBe('ok-1');
  });

  test('what a webhook endpoint cannot do is said with a code of its own', async () => {
    const missing = `wh_${'0'.repeat(26)}`;
    expectError(await reseller.get(`/api/webhook/${missing}`), 'webhook_not_found');
    expectError(await reseller.get('/api/webhook/nonsense'), 'webhook_not_found');
    expectError(await reseller.post(`/api/webhook/delivery/dlv_${'0'.repeat(26)}/resend`, undefined), 'delivery_not_found');
    const created = await Promise.all(
      Array.from({ length: 11 }, () => reseller.post('/api/webhook', { url: 'https://shop.example/hook' })),
    );
    expect(created.filter(({ status }) => status === 200)).toHaveLength(10);
    expectError(created.find(({ status }) => status !== 200) as Answer, 'webhook_limit_reached');
    const id = (await reseller.get('/api/webhook')).body.data[0].webhook_id;
    await reseller.send('PATCH', `/api/webhook/${id}`, { status: 'Disabled' });
    expectError(await reseller.post(`/api/webhook/${id}/test`, undefined), 'webhook_disabled');
    expectError(await reseller.post(`/api/webhook/${id}/recover`, { since: '2026-03-01T00:00:00+07:00' }), 'webhook_disabled');
  });

  test('a feed that is read on from before its beginning says so, and begins at 0 all the same', async () => {
    for (const reference of ['FIRST', 'SECOND', 'THIRD']) {
      const deposit = { amount: 1_000, mode: 'test', reference };
      await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/deposit`, deposit);
    }
    const before = (await reseller.get('/api/events')).body.data.map(({ sequence }: { sequence: number }) => sequence);
    await sql`update feeds set expired = ${before[1]} where sequence > 0 and account_id in (
      select id from accounts where reseller_id = ${fromPublicId('rs_', reseller.resellerId)})`.execute(opened.database.db);
    const answer = await reseller.get(`/api/events?after=${before[0]}`);
    expectError(answer, 'events_expired');
    expect(answer.body.error.details).toEqual({ first_sequence: before[2] });
    for (const after of [0, before[1]])
      expect((await reseller.get(`/api/events?after=${after}`)).body.data[0].sequence).toBe(before[2]);
  });

  test('the errors above are all there are', () => {
    const codes = Object.keys(PROBLEMS).filter((code) => !ADMIN_PROBLEM_CODES.has(code as ProblemCode));
    expect([...seen].sort()).toEqual(codes.sort());
    expect([...new Set(Object.values(CODES).flat())].sort()).toEqual(codes.sort());
  });
});
