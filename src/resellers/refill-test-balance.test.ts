import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openTestService, type TestReseller, type TestService } from '../../test/support/service.ts';

const refill = (service: TestService, { token }: TestReseller, extra: { type?: string; payload?: string } = {}) =>
  service.raw({
    method: 'POST',
    url: '/api/account/refill',
    headers: { authorization: `Bearer ${token}`, ...(extra.type && { 'content-type': extra.type }) },
    ...(extra.payload !== undefined && { payload: extra.payload }),
  });

describeOnBothEngines('refilling a test balance', (open) => {
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open());
  });
  afterAll(() => topgate.stop());

  test('adds ten million as a deposit that statement and feed tell of', async () => {
    const reseller = await topgate.reseller({ balance: 5 });
    const { status, body } = await refill(topgate, reseller);
    expect([status, body.message]).toEqual([200, 'Test balance refilled']);
    expect(body.data).toMatchObject({
      kind: 'deposit',
      amount: 10_000_000,
      balance_after: 10_000_005,
      reference: expect.stringMatching(/^test refill [0-9A-Z]{26}$/),
    });
    expect((await reseller.get('/api/account/transactions')).body.data[0]).toEqual(body.data);
    const told = (await reseller.get('/api/events')).body.data.at(-1);
    expect(told).toMatchObject({ type: 'balance.credited', data: { ...body.data, currency: 'IDR', mode: 'test' } });
  });

  test.each([
    ['no body and no type', {}],
    ['no body but a type', { type: 'application/json' }],
    ['an empty object', { type: 'application/json', payload: '{}' }],
  ])('works with %s', async (_what, extra) => {
    expect((await refill(topgate, await topgate.reseller(), extra)).status).toBe(200);
  });

  test('refills at the same moment are all credited', async () => {
    const reseller = await topgate.reseller({ balance: 0 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => refill(topgate, reseller)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await reseller.balance()).toBe(200_000_000);
  });

  test('a live token is told why it gets nothing', async () => {
    const live = await topgate.reseller({ mode: 'live', balance: 7 });
    const { status, body } = await refill(topgate, live);
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    expect(body.message).toContain('test token');
    expect(await live.balance()).toBe(7);
  });

  test('a token that may only read is refused', async () => {
    const reader = await topgate.reseller({ balance: 0, credential: { scopes: ['read'] } });
    expect(await refill(topgate, reader)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
    expect(await reader.balance()).toBe(0);
  });

  test('a balance is refilled up to a million million, and not above', async () => {
    const reseller = await topgate.reseller({ balance: 1_000_000_000_000 - 10_000_000 });
    expect((await refill(topgate, reseller)).body.data.balance_after).toBe(1_000_000_000_000);
    const { status, body } = await refill(topgate, reseller);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.message).toContain('Nothing was added');
    expect(await reseller.balance()).toBe(1_000_000_000_000);
  });

  test('the ledger audit agrees with all of it', async () => {
    expect((await topgate.admin('GET', '/admin/api/ledger/audit')).body.data.ok).toBe(true);
  });
});
