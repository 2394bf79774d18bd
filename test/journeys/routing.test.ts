import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import type { TestReseller } from '../support/service.ts';
import { stockedSupplier } from '../support/stocked-supplier.ts';
import { virtualService } from '../support/virtual-service.ts';

/** Which supplier an order goes to, and when none is asked at all. MLBB-85 is sold for 23,600. */
const supplier = stockedSupplier();
const { topgate, pass, settle, leap, db } = virtualService({ supplierKinds: [supplier.kind] });
let live: TestReseller;

const SERVICE = '/admin/api/service/MLBB-85';
const near = { supplier: 'near', sku: 'N85', cost: 22_000 };
const far = { supplier: 'far', sku: 'F85', cost: 21_000 };

beforeAll(async () => {
  for (const code of ['near', 'far']) {
    const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
    await topgate().admin('POST', '/admin/api/supplier', { code, kind: 'stocked', config });
  }
  live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
  await pass(1_000);
});

beforeEach(async () => {
  await setRoutes(near, far);
  await setRouting({});
  await topgate().admin('PUT', '/admin/api/routing', { preference: 'fixed', margin_floor: 0, sells_below_cost: false });
  supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
  supplier.placed.length = 0;
});

async function setRoutes(...routes: Record<string, unknown>[]) {
  const answer = await topgate().admin('PUT', `${SERVICE}/route`, routes);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function setRouting(routing: Record<string, unknown>) {
  const answer = await topgate().admin('PUT', `${SERVICE}/routing`, routing);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function buy() {
  const { order_id } = await live.buy();
  await settle();
  return (await topgate().admin('GET', `/admin/api/order/${order_id}`)).body.data;
}

const skus = () => supplier.placed.map(({ sku }) => sku);

describe('preference', () => {
  test('is the order of the list, or the cost, for one service or for all', async () => {
    await buy();
    await setRouting({ preference: 'cheapest' });
    await buy();
    await setRouting({});
    await topgate().admin('PUT', '/admin/api/routing', { preference: 'cheapest', margin_floor: 0, sells_below_cost: false });
    await buy();
    expect(skus()).toEqual(['N85', 'F85', 'F85']);
  });

  test('tells in which order routes would be tried now, and what keeps one from it', async () => {
    await topgate().admin('POST', '/admin/api/supplier/near/pause');
    const routing = await setRouting({ preference: 'best', margin_floor: 2_600 });
    expect(routing).toMatchObject({
      preference: 'best',
      sells_below_cost: null,
      in_force: { preference: 'best', margin_floor: 2_600, sells_below_cost: false },
      price: 23_600,
      choice: [
        { supplier: 'far', state: 'open', score: expect.any(Number) },
        { supplier: 'near', state: 'below_floor' },
      ],
    });
    const free = await setRouting({ sells_below_cost: true });
    expect(free.choice).toMatchObject([{ supplier: 'near', state: 'paused' }, { supplier: 'far' }]);
    await topgate().admin('POST', '/admin/api/supplier/near/resume');
  });

  test('of a service that does not exist cannot be set', async () => {
    expect((await topgate().admin('PUT', '/admin/api/service/NO-SUCH/routing', {})).status).toBe(404);
    expect((await topgate().admin('GET', '/admin/api/service/NO-SUCH/routing')).status).toBe(404);
  });
});

describe('an order that nobody may deliver', () => {
  const refused = { status: 422, body: { error: { code: 'service_unavailable' } } };

  test('at a loss is refused and debits nothing, unless selling below cost was told', async () => {
    await setRoutes({ ...near, cost: 23_601 });
    const before = await live.balance();
    expect(await live.order()).toMatchObject(refused);
    expect(await live.balance()).toBe(before);
    await setRouting({ sells_below_cost: true });
    expect(await buy()).toMatchObject({ status: 'Success' });
  });

  test('within the cut-off of its only route is refused; outside it is delivered', async () => {
    await setRoutes({ ...near, cut_off: { start: '00:00', end: '23:59' } });
    expect(await live.order()).toMatchObject(refused);
    await setRoutes({ ...near, cut_off: { start: '12:00', end: '12:00' } });
    expect(await buy()).toMatchObject({ status: 'Success' });
  });

  test('is seen beforehand: its service is listed as Unavailable, to live tokens alone, and Available again afterwards', async () => {
    const tester = await topgate().reseller();
    const listed = async (reseller: TestReseller, etag?: string) => {
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      const { status, body, headers: answered } = await reseller.get('/api/service?product_code=MLBB', headers);
      const service = body.data?.find((one: { service_code: string }) => one.service_code === 'MLBB-85');
      return { status, listed: service?.status, etag: String(answered['etag']) };
    };
    const open = await listed(live);
    expect(open.listed).toBe('Available');
    await setRoutes({ ...near, cut_off: { start: '00:00', end: '23:59' } });
    await pass(1_000);
    expect(await listed(live, open.etag)).toMatchObject({ status: 200, listed: 'Unavailable' });
    expect(await listed(tester)).toMatchObject({ listed: 'Available' });
    await setRoutes(near);
    await pass(1_000);
    expect((await listed(live, open.etag)).status).toBe(304);
  });

  test('because every supplier is on hold is refused, and waits for one that is paused', async () => {
    await setRoutes(near);
    supplier.onPlace = async () => ({ kind: 'misconfigured', detail: 'wrong key' });
    supplier.onBalance = () => Promise.reject(new Error('wrong key'));
    await buy();
    expect(await live.order()).toMatchObject(refused);
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
    supplier.onBalance = async () => 1_000_000n;
    await topgate().admin('POST', '/admin/api/supplier/near/resume');
    await topgate().admin('POST', '/admin/api/supplier/near/pause');
    expect(await buy()).toMatchObject({ status: 'Process' });
    await topgate().admin('POST', '/admin/api/supplier/near/resume');
    await pass(MINUTE_MS);
  });

  test('is answered as it is now when it was sent before', async () => {
    const first = await live.order({ ref_id: 'AGAIN-1' });
    await setRoutes({ ...near, cost: 30_000 });
    const again = await live.order({ ref_id: 'AGAIN-1' });
    expect(again).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    expect(again.body.data.order_id).toBe(first.body.data.order_id);
  });

  test('of a test token goes to the sandbox whatever the routes say', async () => {
    await setRoutes({ ...near, cost: 30_000 });
    const tester = await topgate().reseller({ mode: 'test' });
    expect((await tester.order()).status).toBe(200);
  });
});

test('an order that was sold before its route became too dear fails with its money back, and does not wait for ever', async () => {
  await setRoutes(near);
  await topgate().admin('POST', '/admin/api/supplier/near/pause');
  const before = await live.balance();
  const order = await buy();
  await setRoutes({ ...near, cost: 30_000 });
  await topgate().admin('POST', '/admin/api/supplier/near/resume');
  await pass(20_000);
  const after = (await topgate().admin('GET', `/admin/api/order/${order.order_id}`)).body.data;
  expect(after).toMatchObject({ status: 'Failed', attempts: [] });
  expect(supplier.placed).toEqual([]);
  expect(await live.balance()).toBe(before);
});

test('an item that a player may have once a day is not bought twice', async () => {
  expect(await setRoutes({ ...near, once_per_day: true })).toMatchObject([
    { once_per_day: true, cut_off: null, available: true },
  ]);
  expect(await buy()).toMatchObject({ status: 'Success' });
  await pass(1_000);
  const again = await buy();
  await pass(1_000);
  expect((await topgate().admin('GET', `/admin/api/order/${again.order_id}`)).body.data).toMatchObject({ status: 'Failed' });
  await leap(24 * HOUR_MS, HOUR_MS);
  expect(await buy()).toMatchObject({ status: 'Success' });
});

test.each([
  [{ cut_off: { start: '24:00', end: '01:00' } }],
  [{ cut_off: { start: '1:00', end: '02:00' } }],
  [{ cut_off: { start: '01:00' } }],
])('a malformed cut-off is refused %#', async (fields) => {
  expect((await topgate().admin('PUT', `${SERVICE}/route`, [{ ...near, ...fields }])).status).toBe(400);
});

test('who set what is in the audit log', async () => {
  await setRouting({ preference: 'best' });
  const entries = await db().selectFrom('audit_log').selectAll().where('action', '=', 'routing.set').execute();
  expect(entries.at(-1)).toMatchObject({ actor: 'admin', subject: 'MLBB-85', details: { preference: 'best' } });
});
