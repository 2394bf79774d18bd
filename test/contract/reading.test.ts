import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

const PRICE = 23_600;
const MINUTE_MS = 60_000;

interface Item {
  [field: string]: unknown;
  order_id?: string;
  status?: string;
}

const clock = new FakeClock();
let opened: TestDatabase;
let topgate: TestService;
beforeAll(async () => {
  opened = await openInMemory();
  topgate = await openTestService(opened, { clock });
});
afterAll(async () => {
  await topgate.stop();
  await opened.drop();
});

const open = (url: string) => topgate.raw({ method: 'GET', url });
const nowQuery = () => encodeURIComponent(clock.now().toISOString());

/** Places an order and gives the service turns until it has come to its end. */
async function settled(reseller: TestReseller, fields: Parameters<TestReseller['order']>[0]): Promise<Item> {
  const { body } = await reseller.order(fields);
  return until(async () => {
    const { data } = (await reseller.get(`/api/order/status?order_id=${body.data.order_id}`)).body;
    return data.status !== 'Process' && data;
  }, 'the order has an end');
}

/** Follows the cursors of a list to its end. */
async function walk(
  reseller: TestReseller,
  url: string,
  betweenPages = async () => {},
): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    const { status, body }: Answer = await reseller.get(cursor === null ? url : `${url}&cursor=${cursor}`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'success', 'message', 'data', 'pagination']);
    items.push(...body.data);
    cursor = body.pagination.next_cursor;
    expect(body.pagination).toEqual({ next_cursor: cursor, has_more: cursor !== null });
    if (cursor === null) return { items, pages };
    await betweenPages();
  }
}

describe('the account and its statement', () => {
  test('the account shows its balance in the mode of the token', async () => {
    const reseller = await topgate.reseller({ balance: 5_000, reseller: { name: 'Toko Satu' } });
    const { body } = await reseller.get('/api/account');
    expect(Object.keys(body.data)).toEqual(['name', 'username', 'balance', 'currency', 'tier', 'mode', 'registered_at']);
    expect(body.data).toMatchObject({ name: 'Toko Satu', balance: 5_000, currency: 'IDR', tier: 'standard', mode: 'test' });
    expect(body.data.registered_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+07:00$/);
  });

  test('the statement lists every movement, newest first, signed, with the balance after it', async () => {
    const reseller = await topgate.reseller({ balance: 100_000 });
    await clock.advance(MINUTE_MS);
    const orderedAt = nowQuery();
    const bought = await settled(reseller, { ref_id: 'BOUGHT' });
    const failed = await settled(reseller, { ref_id: 'FAILED', user_id: '123450006' });
    expect([bought.status, failed.status]).toEqual(['Success', 'Failed']);
    await clock.advance(MINUTE_MS);
    const adjustedAt = nowQuery();
    const adjustment = { amount: -400, mode: 'test', reason: 'a fee' };
    await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/adjustment`, adjustment);

    const { items } = await walk(reseller, '/api/account/transactions?limit=200');
    const [of, by] = [
      (ref_id: string, order: Item) => ({ order_id: order.order_id, ref_id, reference: null }),
      { order_id: null, ref_id: null },
    ];
    expect(items).toMatchObject([
      { kind: 'adjustment', amount: -400, balance_after: 76_000, ...by, reference: 'a fee' },
      { kind: 'refund', amount: PRICE, balance_after: 76_400, ...of('FAILED', failed) },
      { kind: 'order', amount: -PRICE, balance_after: 52_800, ...of('FAILED', failed) },
      { kind: 'order', amount: -PRICE, balance_after: 76_400, ...of('BOUGHT', bought) },
      { kind: 'deposit', amount: 100_000, balance_after: 100_000, ...by, reference: 'opening balance' },
    ]);
    const keys = ['transfer_id', 'kind', 'amount', 'balance_after', 'order_id', 'ref_id', 'reference', 'time'];
    for (const item of items) expect(Object.keys(item)).toEqual(keys);
    expect(new Set(items.map(({ transfer_id }) => transfer_id)).size).toBe(5);

    const list = async (query: string) => (await reseller.get(`/api/account/transactions?${query}`)).body.data;
    expect(await list('kind=order')).toEqual([items[2], items[3]]);
    expect(await list(`from=${orderedAt}&to=${adjustedAt}`)).toEqual(items.slice(1, 4));
    expect(await list(`from=${adjustedAt}`)).toEqual(items.slice(0, 1));
    expect(await list(`to=${orderedAt}`)).toEqual(items.slice(4));
    for (const limit of [1, 2, 5])
      expect(await walk(reseller, `/api/account/transactions?limit=${limit}`)).toEqual({ items, pages: Math.ceil(5 / limit) });
  });
});

describe('the catalogue', () => {
  test('a product has the four fields of the interface, then its form', async () => {
    const reseller = await topgate.reseller();
    const { data } = (await reseller.get('/api/product')).body;
    const mlbb = data.find(({ product_code }: Item) => product_code === 'MLBB');
    const keys = ['product_name', 'product_code', 'account_identifier', 'status', 'category', 'fields', 'nickname_lookup'];
    for (const product of data) expect(Object.keys(product)).toEqual(keys);
    expect(mlbb).toEqual({
      product_name: 'Mobile Legends: Bang Bang (Indonesia)',
      product_code: 'MLBB',
      account_identifier: 'User ID, digits; shown under avatar in profile',
      status: 'Available',
      category: 'MOBA',
      fields: [
        { key: 'user_id', label: 'User ID', type: 'text', required: true, pattern: '[0-9]{4,20}' },
        { key: 'zone', label: 'Zone ID', type: 'text', required: true, pattern: '[0-9]{1,6}' },
      ],
      nickname_lookup: true,
    });
  });

  test('services have the price of the reseller, which is what an order then costs', async () => {
    const tier = { code: 'gold', name: 'Gold', pricing: 'percent', markup: 1.5, round_to: 100 };
    expect((await topgate.admin('POST', '/admin/api/tier', tier)).status).toBe(200);
    await topgate.admin('PATCH', '/admin/api/tier/gold', { prices: { 'MLBB-5': 1_234 } });
    const [gold, standard] = [await topgate.reseller({ reseller: { tier: 'gold' } }), await topgate.reseller()];
    const prices = async (reseller: TestReseller) => {
      const { data } = (await reseller.get('/api/service?product_code=MLBB')).body;
      for (const service of data) {
        expect(Object.keys(service)).toEqual(['service_code', 'service_name', 'product_code', 'price', 'status', 'updated_at']);
        expect(service.product_code).toBe('MLBB');
      }
      return new Map(data.map(({ service_code, price }: Item) => [service_code, price]));
    };
    // 1.5 % over the cost of 22 400 is 22 736, in whole hundreds 22 800.
    expect([(await prices(gold)).get('MLBB-85'), (await prices(gold)).get('MLBB-5')]).toEqual([22_800, 1_234]);
    expect([(await prices(standard)).get('MLBB-85'), (await prices(standard)).get('MLBB-5')]).toEqual([PRICE, 1_500]);
    expect((await gold.order()).body.data.price).toBe(22_800);
    expect(await gold.balance()).toBe(1_000_000 - 22_800);
    const { data: all } = (await gold.get('/api/service')).body;
    expect(new Set(all.map(({ product_code }: Item) => product_code)).size).toBeGreaterThan(1);
    expect(JSON.stringify(all)).not.toContain('cost');
  });

  test.each([
    ['/api/product', '/admin/api/product/HOK', { product_name: 'Honor of Kings II' }],
    ['/api/service?product_code=HOK', '/admin/api/service/HOK-16', { price: 5_000 }],
    ['/api/service', '/admin/api/service/HOK-80', { status: 'Maintenance' }],
  ])('%s is 304 until it changes, then the new list at once', async (url, edited, change) => {
    const reseller = await topgate.reseller();
    const { body: before, headers } = await reseller.get(url);
    const etag = String(headers['etag']);
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const unchanged = await reseller.get(url, { 'if-none-match': tag });
      expect([unchanged.status, unchanged.body, unchanged.headers['etag']]).toEqual([304, '', etag]);
    }
    expect((await topgate.admin('PATCH', edited, change)).status).toBe(200);
    const changed = await reseller.get(url, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).not.toBe(etag);
    expect(changed.body.data).not.toEqual(before.data);
    expect(changed.body.data).toContainEqual(expect.objectContaining(change));
  });

  test('a nickname looks the same whether it was asked for before or not', async () => {
    const [one, other] = [await topgate.reseller(), await topgate.reseller()];
    const url = '/api/nickname/MLBB?user_id=888880001&zone=2001';
    const answers = [await one.get(url), await one.get(url), await other.get(url)];
    const seen = answers.map(({ status, body, headers }) => ({ status, body, headers: Object.keys(headers) }));
    expect(seen[0]?.body.data).toEqual({
      product_code: 'MLBB',
      user_id: '888880001',
      zone: '2001',
      nickname: 'Sandbox 888880001',
    });
    expect(Object.keys(seen[0]?.body.data)).toEqual(['product_code', 'user_id', 'zone', 'nickname']);
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    const zoneless = await one.get('/api/nickname/HOK?user_id=888880001');
    expect(zoneless.body.data).toMatchObject({ zone: '', nickname: 'Sandbox 888880001' });
    const missing = ['/api/nickname/MLBB?user_id=888880004&zone=1', '/api/nickname/MLBB?user_id=888880004&zone=1'].map((path) =>
      one.get(path),
    );
    expect((await Promise.all(missing)).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('orders and events', () => {
  test('the list has every order once, newest first, by filter and page, even while new ones come in', async () => {
    const reseller = await topgate.reseller();
    for (const service_code of ['MLBB-5', 'HOK-16', 'MLBB-5', 'MCGG-5', 'MLBB-5'])
      await settled(reseller, { service_code, zone: service_code === 'HOK-16' ? '' : '2001' });
    await clock.advance(MINUTE_MS);
    const later = nowQuery();
    const failed = await settled(reseller, { service_code: 'MLBB-5', user_id: '123450006' });
    const { items } = await walk(reseller, '/api/order?limit=200');
    expect(items.map(({ product_code }) => product_code)).toEqual(['MLBB', 'MLBB', 'MCGG', 'MLBB', 'HOK', 'MLBB']);
    const list = async (query: string) => (await reseller.get(`/api/order?${query}`)).body.data;
    expect(await list('status=Failed')).toEqual([failed]);
    expect(await list('status=Success')).toEqual(items.slice(1));
    expect(await list('status=Refunded')).toEqual([]);
    expect(await list('product_code=HOK')).toEqual([items[4]]);
    expect(await list(`from=${later}`)).toEqual([failed]);
    expect(await list(`to=${later}&product_code=MLBB`)).toEqual([items[1], items[3], items[5]]);
    const pages = await walk(reseller, '/api/order?limit=2', async () => {
      await settled(reseller, { service_code: 'MLBB-5' });
    });
    expect(pages).toEqual({ items, pages: 3 });
  });

  test('events are numbered by ones from 1, and continue after any number', async () => {
    const reseller = await topgate.reseller({ balance: 50_000, reseller: { low_balance_threshold: 30_000 } });
    await settled(reseller, { ref_id: 'GOOD' });
    await settled(reseller, { ref_id: 'BAD', user_id: '123450006' });
    const feed = async (query = '') => (await reseller.get(`/api/events${query}`)).body.data;
    const events = await feed();
    expect(events.map(({ type, sequence }: Item) => [sequence, type])).toEqual([
      [1, 'balance.credited'],
      [2, 'balance.low'],
      [3, 'order.success'],
      [4, 'order.failed'],
    ]);
    for (const event of events) expect(Object.keys(event)).toEqual(['event_id', 'type', 'timestamp', 'sequence', 'data']);
    expect(events[3].data).toEqual((await reseller.get('/api/order/status?ref_id=BAD')).body.data);
    expect(await feed('?after=2')).toEqual(events.slice(2));
    expect(await feed('?after=1&limit=2')).toEqual(events.slice(1, 3));
    expect(await feed('?after=4')).toEqual([]);
  });

  test("no route of the reseller interface shows anything of another reseller's", async () => {
    const owner = await topgate.reseller({ balance: 777_777, reseller: { name: 'Owner Only' } });
    const order = await settled(owner, { ref_id: 'OWNERS-REF', user_id: '313130001' });
    const other = await topgate.reseller({ balance: 0 });
    const { paths } = (await open('/openapi.json')).body;
    // The log of requests tells the other reseller's own questions, and those name the owner's order.
    const routes = Object.keys(paths).filter(
      (path) => path.startsWith('/api/') && paths[path].get && !path.startsWith('/api/reference/') && path !== '/api/request-log',
    );
    expect(routes).toEqual(
      expect.arrayContaining(['/api/account', '/api/account/transactions', '/api/order', '/api/order/status', '/api/events']),
    );
    const queries = ['', '?ref_id=OWNERS-REF', `?order_id=${order.order_id}`, '?limit=200', '?after=0', '?product_code=MLBB'];
    const secrets = [
      /OWNERS-REF/,
      /313130001/,
      /Owner Only/,
      /777777/,
      new RegExp(String(order.order_id)),
      new RegExp(owner.resellerId),
    ];
    for (const route of routes)
      for (const query of queries) {
        const { body } = await other.get(route.replace(/\{[^}]+\}/, String(order.order_id)) + query);
        for (const secret of secrets) expect(JSON.stringify(body), route + query).not.toMatch(secret);
      }
    for (const list of ['/api/order', '/api/account/transactions', '/api/events'])
      expect((await other.get(list)).body.data).toEqual([]);
  });
});
