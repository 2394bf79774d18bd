import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  type Answer,
  type OrderFields,
  openTestService,
  signedOrder,
  type TestReseller,
  type TestService,
  until,
} from '../support/service.ts';

const PRICE = 23_600;
const FIELDS = [
  ...['ref_id', 'order_id', 'service_code', 'service_name', 'account_identifier', 'price', 'status', 'purchase_time'],
  ...['product_code', 'currency', 'mode', 'serial_number', 'failure', 'updated_at'],
];

const codeOf = (answer: Answer): [number, string | undefined] => [answer.status, answer.body.error?.code];

describeOnBothEngines('the rules of POST /api/order', (open) => {
  // Time stands still, so that nothing but the tests themselves moves an order.
  const clock = new FakeClock();
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open(), { clock });
  });
  afterAll(() => topgate.stop());

  const setService = (code: string, change: object) => topgate.admin('PATCH', `/admin/api/service/${code}`, change);
  const delivered = (reseller: TestReseller, refId: string) =>
    until(async () => {
      const { data } = (await reseller.get(`/api/order/status?ref_id=${refId}`)).body;
      return data.status === 'Success' && data;
    }, `the order ${refId} is delivered`);

  /** The same reseller with a second token, as its other program would act. */
  async function secondToken(reseller: TestReseller, mode: 'live' | 'test') {
    const { data } = (await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/credential`, { mode })).body;
    const headers = { authorization: `Bearer ${data.access_token}` };
    const get = (url: string) => topgate.raw({ method: 'GET', url, headers });
    const post = (url: string, body: unknown) =>
      topgate.raw({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
    return { get, order: (fields: OrderFields) => post('/api/order', signedOrder(data.signing_secret, fields)) };
  }

  test('an order has exactly the fields of the contract, in its order', async () => {
    const reseller = await topgate.reseller();
    const { status, headers, body } = await reseller.order({ ref_id: 'FORM-1' });
    expect(status).toBe(200);
    expect(headers['idempotent-replayed']).toBeUndefined();
    expect(Object.keys(body)).toEqual(['status', 'success', 'message', 'data']);
    expect(body).toMatchObject({ status: 200, success: true, message: 'Transaction created successfully' });
    expect(Object.keys(body.data)).toEqual(FIELDS);
    expect(body.data).toEqual({
      ref_id: 'FORM-1',
      order_id: expect.stringMatching(/^TG[0-9A-HJKMNP-TV-Z]{26}$/),
      service_code: 'MLBB-85',
      service_name: '85 Diamonds (77+8)',
      account_identifier: { user_id: '123450001', zone: '2001', nickname: 'Sandbox 123450001' },
      price: PRICE,
      status: 'Process',
      purchase_time: '2026-03-01T09:40:15+07:00',
      product_code: 'MLBB',
      currency: 'IDR',
      mode: 'test',
      serial_number: null,
      failure: null,
      updated_at: '2026-03-01T09:40:15+07:00',
    });
    expect(Object.keys(body.data.account_identifier)).toEqual(['user_id', 'zone', 'nickname']);
  });

  test('the same form comes from every place that shows an order, and order ids sort by time', async () => {
    const reseller = await topgate.reseller();
    await reseller.order({ ref_id: 'A' });
    await reseller.order({ ref_id: 'B' });
    const { order_id, serial_number, failure } = await delivered(reseller, 'B');
    expect([serial_number, failure]).toEqual([expect.stringMatching(/\S/), null]);
    await delivered(reseller, 'A');
    const { data: byId } = (await reseller.get(`/api/order/status?order_id=${order_id}`)).body;
    const { data: listed } = (await reseller.get('/api/order')).body;
    const { data: events } = (await reseller.get('/api/events')).body;
    const { data: told } = events.find((event: { data: { ref_id: string } }) => event.data.ref_id === 'B');
    for (const view of [byId, listed[0], told]) {
      expect(view).toEqual((await reseller.get('/api/order/status?ref_id=B')).body.data);
      expect(new Set(Object.keys(view))).toEqual(new Set(FIELDS));
    }
    expect(listed.map((order: { ref_id: string }) => order.ref_id)).toEqual(['B', 'A']);
    expect(listed[0].order_id > listed[1].order_id).toBe(true);
  });

  test('an order whose lookup is down, or whose game has none, is accepted with the nickname ""', async () => {
    const reseller = await topgate.reseller();
    const { body } = await reseller.order({ user_id: '123450005' });
    expect(body.data.account_identifier).toEqual({ user_id: '123450005', zone: '2001', nickname: '' });
    const fields = [{ key: 'user_id', label: 'Username', type: 'text', required: true }];
    const product = { product_code: 'QUIET', product_name: 'Quiet', account_identifier: 'Username', category: 'Other', fields };
    await topgate.admin('POST', '/admin/api/product', product);
    const service = { service_code: 'QUIET-1', product_code: 'QUIET', service_name: 'One', cost: 900, price: 1_000 };
    await topgate.admin('POST', '/admin/api/service', service);
    const quiet = await reseller.order({ service_code: 'QUIET-1', user_id: 'Késar 001', zone: '' });
    expect(quiet.body.data.account_identifier).toEqual({ user_id: 'Késar 001', zone: '', nickname: '' });
  });

  test('the same order again is answered as it is now and debited once, even when it could no longer be bought', async () => {
    const reseller = await topgate.reseller({ balance: PRICE });
    const service_code = 'MLBB-85';
    const first = await reseller.order({ ref_id: 'AGAIN', max_price: PRICE });
    expect(first.body.data.status).toBe('Process');
    await delivered(reseller, 'AGAIN');
    const repeat = async () => {
      const { status, headers, body } = await reseller.order({ ref_id: 'AGAIN', max_price: PRICE });
      expect([status, headers['idempotent-replayed'], body.message]).toEqual([200, 'true', 'Transaction created successfully']);
      expect(body.data).toMatchObject({ order_id: first.body.data.order_id, status: 'Success', price: PRICE });
    };
    await repeat();
    await setService(service_code, { status: 'Unavailable' });
    await repeat();
    await setService(service_code, { status: 'Available', price: PRICE + 1 });
    await repeat();
    await setService(service_code, { price: PRICE });
    await topgate.admin('PATCH', '/admin/api/product/MLBB', {
      status: 'Maintenance',
      fields: [{ key: 'user_id', label: 'Name', type: 'select', required: true, options: [{ value: 'other', label: 'Other' }] }],
    });
    await repeat();
    const { fields } = (await reseller.get('/api/product')).body.data.find(
      (one: { product_code: string }) => one.product_code === 'MLBBG',
    );
    await topgate.admin('PATCH', '/admin/api/product/MLBB', { status: 'Available', fields });
    expect(await reseller.balance()).toBe(0);
    expect((await reseller.get('/api/account/transactions?kind=order')).body.data).toHaveLength(1);
  });

  test('a used ref_id with any other content is a conflict that names what differs, and changes nothing', async () => {
    const reseller = await topgate.reseller();
    const { data: placed } = (await reseller.order({ ref_id: 'TAKEN', max_price: PRICE })).body;
    for (const [change, differs] of [
      [{ service_code: 'MLBB-5' }, ['service_code']],
      [{ service_code: 'MLBB-NONE' }, ['service_code']],
      [{ user_id: '123460001' }, ['account_identifier.user_id']],
      [{ user_id: '123450004' }, ['account_identifier.user_id']],
      [{ zone: 'not digits' }, ['account_identifier.zone']],
      [{ max_price: PRICE + 1 }, ['max_price']],
    ] as const) {
      const answer = await reseller.order({ ref_id: 'TAKEN', max_price: PRICE, ...change });
      expect(codeOf(answer)).toEqual([409, 'ref_id_conflict']);
      expect(answer.body.error.details).toEqual({ order_id: placed.order_id, differs });
    }
    const without = await reseller.order({ ref_id: 'TAKEN' });
    expect(without.body.error?.details.differs).toEqual(['max_price']);
    expect(await reseller.balance()).toBe(1_000_000 - PRICE);
  });

  test('a refusal leaves the ref_id free for an order of any content', async () => {
    const reseller = await topgate.reseller({ balance: PRICE - 1 });
    expect(codeOf(await reseller.order({ ref_id: 'FREE', service_code: 'MLBB-170', user_id: '777750001' }))).toEqual([
      402,
      'insufficient_balance',
    ]);
    expect(codeOf(await reseller.order({ ref_id: 'FREE', max_price: PRICE - 1 }))).toEqual([409, 'price_changed']);
    expect(codeOf(await reseller.order({ ref_id: 'FREE', user_id: '123450004' }))).toEqual([422, 'player_not_found']);
    expect(codeOf(await reseller.order({ ref_id: 'FREE', user_id: 'letters' }))).toEqual([422, 'invalid_account_identifier']);
    expect(codeOf(await reseller.order({ ref_id: 'FREE', service_code: 'MLBB-NONE' }))).toEqual([404, 'service_not_found']);
    expect(codeOf(await reseller.get('/api/order/status?ref_id=FREE'))).toEqual([404, 'order_not_found']);
    await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/deposit`, {
      amount: 1,
      mode: 'test',
      reference: 'the missing one',
    });
    const placed = await reseller.order({ ref_id: 'FREE' });
    expect([placed.status, placed.headers['idempotent-replayed'], await reseller.balance()]).toEqual([200, undefined, 0]);
  });

  test('a ref_id belongs to one reseller in one mode: live and test see separate balances, orders and events', async () => {
    const tester = await topgate.reseller({ balance: 50_000 });
    const live = await secondToken(tester, 'live');
    const other = await topgate.reseller();
    const inTest = await tester.order({ ref_id: 'SHARED' });
    expect(codeOf(await live.get('/api/order/status?ref_id=SHARED'))).toEqual([404, 'order_not_found']);
    expect(codeOf(await live.get(`/api/order/status?order_id=${inTest.body.data.order_id}`))).toEqual([404, 'order_not_found']);
    expect(codeOf(await live.order({ ref_id: 'SHARED' }))).toEqual([402, 'insufficient_balance']);
    const paid = { amount: 30_000, mode: 'live', reference: 'live money' };
    await topgate.admin('POST', `/admin/api/reseller/${tester.resellerId}/deposit`, paid);
    const inLive = await live.order({ ref_id: 'SHARED', user_id: '555550001' });
    const elsewhere = await other.order({ ref_id: 'SHARED', user_id: '666660001' });
    expect([inTest, inLive, elsewhere].map(({ status, body }) => [status, body.data.mode])).toEqual([
      [200, 'test'],
      [200, 'live'],
      [200, 'test'],
    ]);
    expect(new Set([inTest, inLive, elsewhere].map(({ body }) => body.data.order_id)).size).toBe(3);
    expect(await tester.balance()).toBe(50_000 - PRICE);
    expect((await live.get('/api/account')).body.data).toMatchObject({ balance: 30_000 - PRICE, mode: 'live' });
    expect((await live.get('/api/order')).body.data.map((order: { order_id: string }) => order.order_id)).toEqual([
      inLive.body.data.order_id,
    ]);
    expect((await live.get('/api/account/transactions')).body.data).toHaveLength(2);
    const [credited] = (await live.get('/api/events')).body.data;
    expect(credited).toMatchObject({ sequence: 1, type: 'balance.credited', data: { amount: 30_000, mode: 'live' } });
  });

  test('who asks comes before everything else about a request', async () => {
    const wrongInEveryWay = { url: '/api/order', payload: '{', headers: { 'content-type': 'text/plain', accept: 'text/html' } };
    expect(codeOf(await topgate.raw({ method: 'POST', ...wrongInEveryWay }))).toEqual([401, 'unauthenticated']);
    const suspended = await topgate.reseller({ credential: { scopes: ['read'], allowed_ips: ['203.0.113.1'] } });
    expect(codeOf(await suspended.order())).toEqual([403, 'ip_not_allowed']);
    await topgate.admin('PATCH', `/admin/api/reseller/${suspended.resellerId}`, { status: 'Suspended' });
    expect(codeOf(await suspended.order())).toEqual([403, 'account_suspended']);
    const reader = await topgate.reseller({ credential: { scopes: ['read'] } });
    expect(codeOf(await reader.post('/api/order', { nonsense: true }))).toEqual([403, 'insufficient_scope']);
  });

  test('the checks of an order come in the promised sequence', async () => {
    const reseller = await topgate.reseller({ balance: PRICE });
    await reseller.order({ ref_id: 'FIRST' });
    await topgate.admin('POST', '/admin/api/service', {
      service_code: 'MLBB-GONE',
      product_code: 'MLBB',
      service_name: 'Gone',
      cost: 1,
      price: 1,
      status: 'Unavailable',
    });
    const bad = '0'.repeat(64);
    const steps: [OrderFields, number, string][] = [
      [{ ref_id: 'not allowed', signature: bad }, 400, 'invalid_request'],
      [{ ref_id: 'FIRST', service_code: 'MLBB-NONE', signature: bad }, 401, 'invalid_signature'],
      [{ ref_id: 'FIRST', service_code: 'MLBB-NONE' }, 409, 'ref_id_conflict'],
      [{ ref_id: 'FIRST', service_code: 'MLBB-GONE', user_id: 'letters' }, 409, 'ref_id_conflict'],
      [{ ref_id: 'FIRST', user_id: '123450004', max_price: 0 }, 409, 'ref_id_conflict'],
      [{ service_code: 'MLBB-NONE', user_id: 'letters', max_price: 0 }, 404, 'service_not_found'],
      [{ service_code: 'MLBB-GONE', user_id: 'letters', max_price: 0 }, 422, 'service_unavailable'],
      [{ user_id: 'x0004', max_price: 0 }, 422, 'invalid_account_identifier'],
      [{ user_id: '123450004', max_price: 0 }, 422, 'player_not_found'],
      [{ max_price: PRICE - 1 }, 409, 'price_changed'],
      [{ max_price: PRICE }, 402, 'insufficient_balance'],
    ];
    for (const [fields, status, code] of steps)
      expect(codeOf(await reseller.order(fields)), JSON.stringify(fields)).toEqual([status, code]);
    expect((await reseller.get('/api/order')).body.data).toHaveLength(1);
  });

  test('a max_price of exactly the price is accepted, and so is a signature in upper case', async () => {
    const reseller = await topgate.reseller();
    expect((await reseller.order({ max_price: PRICE })).status).toBe(200);
    const order = signedOrder(reseller.secret);
    const { status, body } = await reseller.post('/api/order', { ...order, signature: order.signature.toUpperCase() });
    expect([status, body.data?.ref_id]).toEqual([200, order.ref_id]);
  });

  test('a signature made with the secret of another token of the same reseller is refused', async () => {
    const reseller = await topgate.reseller();
    const { data } = (await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/credential`, { mode: 'test' }))
      .body;
    expect(codeOf(await reseller.post('/api/order', signedOrder(data.signing_secret)))).toEqual([401, 'invalid_signature']);
  });
});
