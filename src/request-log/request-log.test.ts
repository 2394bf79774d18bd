import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines, type TestDatabase } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { openTestService, signedOrder, type TestReseller, type TestService, until } from '../../test/support/service.ts';
import { after, SECOND_MS } from '../lib/clock.ts';

interface Entry {
  path: string;
  status: number;
  code: string | null;
  message: string | null;
  request: unknown;
}

const read = async (reseller: TestReseller, query = ''): Promise<Entry[]> =>
  (await reseller.get(`/api/request-log${query}`)).body.data;

async function countRows({ database }: TestDatabase): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) as count from request_log`.execute(database.db);
  return Number(rows[0]?.count);
}

describeOnBothEngines('the request log', (open) => {
  const clock = new FakeClock();
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open(), { clock });
  });
  afterAll(() => topgate.stop());

  /** The log, when the writer has had its second and has written so many entries. */
  function written(reseller: TestReseller, count: number): Promise<Entry[]> {
    return until(async () => {
      await clock.advance(SECOND_MS);
      const entries = await read(reseller, '?limit=200');
      return entries.length === count && entries;
    }, `${count} requests are in the log`);
  }

  test('tells a second later what was asked and how it was answered, newest first', async () => {
    const reseller = await topgate.reseller({ balance: 0 });
    await reseller.get('/api/order?status=Success&limit=3', { 'x-request-id': 'mine-1' });
    await reseller.order({ ref_id: 'INV-1' });
    expect(await read(reseller)).toEqual([]);
    const [order, list] = await written(reseller, 2);
    expect(list).toEqual({
      request_id: 'mine-1',
      time: '2026-03-01T09:40:15+07:00',
      method: 'GET',
      path: '/api/order',
      status: 200,
      code: null,
      message: null,
      duration_ms: expect.any(Number),
      request: { status: 'Success', limit: '3' },
    });
    expect(order).toMatchObject({ method: 'POST', path: '/api/order', status: 402, code: 'insufficient_balance' });
    expect(order?.message).toContain('balance is lower');
  });

  test('keeps no signature, no player and no secret', async () => {
    const reseller = await topgate.reseller();
    const order = signedOrder(reseller.secret, { ref_id: 'INV-2' });
    await reseller.post('/api/order', { ...order, [reseller.token]: reseller.secret });
    const [entry] = await written(reseller, 1);
    expect(entry).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: '[redacted] This field is not known here.',
      request: {
        service_code: 'MLBB-85',
        ref_id: 'INV-2',
        account_identifier: { user_id: '••••0001', zone: '2001' },
        signature: '[redacted]',
        '[redacted]': '[redacted]',
      },
    });
  });

  test('has the requests that were refused although the token was known', async () => {
    const limited = await openTestService(open(), { clock, config: { rateLimit: 1 } });
    const reseller = await limited.reseller({ credential: { scopes: ['read'] } });
    const elsewhere = await limited.reseller({ credential: { allowed_ips: ['203.0.113.7'] } });
    await reseller.order();
    await reseller.get('/api/account');
    await reseller.get('/api/account');
    await clock.advance(SECOND_MS);
    await limited.admin('PATCH', `/admin/api/reseller/${reseller.resellerId}`, { status: 'Suspended' });
    await reseller.get('/api/account');
    await clock.advance(SECOND_MS);
    await limited.admin('PATCH', `/admin/api/reseller/${reseller.resellerId}`, { status: 'Active' });
    const entries = await written(reseller, 4);
    expect(entries.map(({ code }) => code)).toEqual(['account_suspended', 'rate_limited', null, 'insufficient_scope']);
    // A token that may not be used from here shows its log to another token of the same reseller.
    expect((await elsewhere.get('/api/account')).status).toBe(403);
    const issued = await limited.admin('POST', `/admin/api/reseller/${elsewhere.resellerId}/credential`, { mode: 'test' });
    const headers = { authorization: `Bearer ${issued.body.data.access_token}` };
    const seen = await until(async () => {
      await clock.advance(SECOND_MS);
      const { body } = await limited.raw({ method: 'GET', url: '/api/request-log', headers });
      return body.data?.length > 0 && body.data;
    }, 'the refused request is in the log');
    expect(seen).toEqual([expect.objectContaining({ status: 403, code: 'ip_not_allowed' })]);
    await limited.stop();
  });

  test('shows a reseller nothing of others, and nothing of the other mode', async () => {
    const [one, other] = [await topgate.reseller(), await topgate.reseller()];
    const issued = await topgate.admin('POST', `/admin/api/reseller/${one.resellerId}/credential`, { mode: 'live' });
    const live = { authorization: `Bearer ${issued.body.data.access_token}` };
    await one.get('/api/account');
    await other.get('/api/product/none');
    await other.get('/api/events');
    await topgate.raw({ method: 'GET', url: '/api/service?product_code=MLBB', headers: live });
    expect((await written(one, 1)).map(({ path }) => path)).toEqual(['/api/account']);
    expect((await written(other, 1)).map(({ path }) => path)).toEqual(['/api/events']);
    const { body } = await topgate.raw({ method: 'GET', url: '/api/request-log', headers: live });
    expect(body.data.map(({ path }: Entry) => path)).toEqual(['/api/service']);
  });

  test('has neither requests without a token, nor those of operators, nor those for the log itself', async () => {
    const before = await countRows(open());
    const reseller = await topgate.reseller();
    for (let round = 0; round < 3; round++) await read(reseller, '?limit=2');
    await reseller.get('/api/request-log?limit=0');
    await topgate.raw({ method: 'GET', url: '/api/account' });
    await topgate.raw({ method: 'GET', url: '/api/account', headers: { authorization: 'Bearer tg_test_unknown' } });
    await reseller.get('/api/account');
    await written(reseller, 1);
    expect(await countRows(open())).toBe(before + 1);
  });

  test('is filtered by status, errors, path and time, and read in pages', async () => {
    const reseller = await topgate.reseller();
    await reseller.get('/api/account');
    await reseller.get('/api/order/status?ref_id=NONE');
    await clock.advance(2 * SECOND_MS);
    const between = encodeURIComponent(after(clock.now(), -SECOND_MS).toISOString());
    await reseller.get('/api/account');
    await reseller.get('/api/order?limit=0');
    const all = await written(reseller, 4);
    const [latest, third, second, first] = all;
    expect(await read(reseller, '?errors=true')).toEqual([latest, second]);
    expect(await read(reseller, '?errors=false')).toEqual(all);
    expect(await read(reseller, '?status=404')).toEqual([second]);
    expect(await read(reseller, '?status=200&errors=true')).toEqual([]);
    expect(await read(reseller, '?path=/api/account&status=200')).toEqual([third, first]);
    expect(await read(reseller, `?from=${between}`)).toEqual([latest, third]);
    expect(await read(reseller, `?to=${between}`)).toEqual([second, first]);
    const page = (await reseller.get('/api/request-log?limit=3')).body;
    expect([page.data, page.pagination.has_more]).toEqual([[latest, third, second], true]);
    const rest = (await reseller.get(`/api/request-log?limit=3&cursor=${page.pagination.next_cursor}`)).body;
    expect([rest.data, rest.pagination]).toEqual([[first], { next_cursor: null, has_more: false }]);
    for (const query of ['status=99', 'status=x', 'errors=yes', 'path=', 'from=today', 'cursor=x', 'limit=201', 'code=x'])
      expect((await reseller.get(`/api/request-log?${query}`)).status, query).toBe(400);
  });

  test('keeps 20 successes and 50 failures of a second', async () => {
    const reseller = await topgate.reseller();
    await Promise.all(Array.from({ length: 30 }, () => reseller.get('/api/account')));
    await Promise.all(Array.from({ length: 60 }, () => reseller.get('/api/order/status')));
    await clock.advance(SECOND_MS);
    await reseller.get('/api/events');
    const entries = await written(reseller, 71);
    expect(entries.filter(({ path }) => path === '/api/account')).toHaveLength(20);
    expect(entries.filter(({ status }) => status === 400)).toHaveLength(50);
  });

  test('is written to its end when a process stops, one that only answers HTTP too', async () => {
    const stopping = await openTestService(open(), { clock, config: { role: 'api' } });
    const reseller = await stopping.reseller();
    const before = await countRows(open());
    for (let round = 0; round < 5; round++) await reseller.get('/api/account');
    await stopping.stop();
    expect(await countRows(open())).toBe(before + 5);
  });

  test('with REQUEST_LOG_DAYS=0 is empty, and remembers nothing', async () => {
    const off = await openTestService(open(), { clock, config: { requestLogDays: 0 } });
    const reseller = await off.reseller();
    const before = await countRows(open());
    await reseller.get('/api/account');
    expect(await read(reseller)).toEqual([]);
    await off.stop();
    expect(await countRows(open())).toBe(before);
  });

  test('holds requests of any characters, and none takes another with it', async () => {
    const reseller = await topgate.reseller();
    for (const hostile of ['\u0000', '\ud800', '\u2028', '"\\', '__proto__ '])
      await reseller.post('/api/order', { ref_id: hostile, [hostile]: hostile });
    await reseller.get('/api/order/status?ref_id=%00%ED%A0%80&%00=1');
    await reseller.get('/api/nickname/%22%5C?user_id=%E2%80%A8');
    expect((await written(reseller, 7)).filter(({ status }) => status >= 400)).toHaveLength(7);
  });
});
