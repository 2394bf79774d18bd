import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import type { SupplierKind } from '../../src/suppliers/index.ts';
import { scriptedSupplier } from '../support/scripted-supplier.ts';
import type { TestReseller } from '../support/service.ts';
import { virtualService } from '../support/virtual-service.ts';

/** What operators see of orders whose outcome nobody tells, and what they may do about them. */
const supplier = scriptedSupplier();
/** The same supplier, over a wire whose exchanges can be looked at. */
const kind: SupplierKind = {
  ...supplier.kind,
  create(setup) {
    const inner = supplier.kind.create(setup);
    const post = (path: string, reference: string) => ({
      method: 'POST' as const,
      url: `https://supplier.example/${path}`,
      body: JSON.stringify({ reference, key: setup.config['api_key'] }),
    });
    return {
      ...inner,
      async placeOrder(purchase, call) {
        await call.send(post('order', purchase.reference));
        return inner.placeOrder(purchase, call);
      },
      async checkOrder(purchase, call) {
        await call.send(post('status', purchase.reference));
        return inner.checkOrder(purchase, call);
      },
    };
  },
};
const openWire = () => ({ send: async () => ({ status: 200, text: '{"message":"in progress"}' }), close() {} });
const warnings: object[] = [];
const log: Log = { ...silentLog, warn: (details) => warnings.push(details) };
const { topgate, pass, settle, db } = virtualService({ supplierKinds: [kind], openWire, log });
let live: TestReseller;

beforeAll(async () => {
  for (const code of ['first', 'second', 'third']) {
    const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
    await topgate().admin('POST', '/admin/api/supplier', { code, kind: 'scripted', config });
  }
  const routes = ['first', 'second', 'third'].map((code) => ({ supplier: code, sku: 'ML85', cost: 20_000 }));
  await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', routes);
  live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
  await pass(1_000);
});

beforeEach(() => {
  supplier.placed.length = 0;
  supplier.onPlace = async () => ({ kind: 'pending' });
  supplier.onCheck = async () => ({ kind: 'pending' });
});

const detail = async (orderId: string) => (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data;
const act = (orderId: string, verb: string, body?: object) =>
  topgate().admin('POST', `/admin/api/order/${orderId}/${verb}`, body);
const reviews = async (query = '') => (await topgate().admin('GET', `/admin/api/review${query}`)).body;
const actionsOf = (review: { actions: { action: string; possible: boolean }[] }) =>
  review.actions.filter(({ possible }) => possible).map(({ action }) => action);

/** An order that its supplier confirms and then says no more about. */
async function stuck(): Promise<string> {
  const { order_id } = await live.buy({ user_id: '55550001' });
  await pass(95_000);
  return order_id;
}

test('an order that goes to review is told of in the log, and counted in the measurements', async () => {
  const metrics = async () => {
    await pass(6_000);
    return (await topgate().raw({ method: 'GET', url: '/metrics' })).body as string;
  };
  expect(await metrics()).toContain('topgate_orders_in_review{mode="live"} 0');
  const orderId = await stuck();
  const told = { order: orderId, mode: 'live', supplier: 'first', reason: expect.stringContaining('no final answer') };
  expect(warnings.filter((details) => 'order' in details)).toEqual([told]);
  const text = await metrics();
  expect(text).toContain('topgate_orders_in_review{mode="live"} 1');
  expect(text).toContain('topgate_orders_in_review{mode="test"} 0');
  const oldest = Number(/topgate_orders_in_review_oldest_seconds\{mode="live"\} (\S+)/.exec(text)?.[1]);
  expect(oldest).toBeGreaterThan(0);
  expect(oldest).toBeLessThan(60);
  expect(text).toMatch(/topgate_orders_due\{mode="live"\} \d/);
  await act(orderId, 'resolve', { outcome: 'Failed', reason: 'given back by hand' });
});

test('an order that nobody tells about is listed with its last exchange and what can be done', async () => {
  const orderId = await stuck();
  const { data } = await reviews();
  expect(data).toMatchObject([
    {
      order: { order_id: orderId, status: 'Process', review: { reason: expect.stringContaining('no final answer') } },
      last_attempt: { number: 1, supplier: 'first', status: 'Pending' },
      last_exchange: { call: 'check', outcome: 'pending', status: 200, response_body: '{"message":"in progress"}' },
      attempts: 1,
    },
  ]);
  expect(data[0].waiting_seconds).toBeGreaterThan(0);
  expect(actionsOf(data[0])).toEqual(['recheck', 'success', 'failed', 'not_delivered']);
  const [attempt] = (await detail(orderId)).attempts;
  expect(attempt.exchanges.map(({ call }: { call: string }) => call)).toEqual(['place', 'check', 'check', 'check']);
  expect(JSON.stringify([data, attempt])).not.toContain('very-secret-key');
});

test('it cannot be sent another way before somebody has verified that nothing was delivered; then it goes on by itself', async () => {
  const { data } = await reviews();
  const orderId = data[0].order.order_id;
  const refused = await act(orderId, 'reroute', { reason: 'impatient' });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('not-delivered')]);
  supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-2' });
  const closed = await act(orderId, 'not-delivered', { reason: 'they wrote: not found' });
  expect(closed.body.data).toMatchObject({ status: 'Process', review: null, attempts: [{ status: 'Rejected' }] });
  await pass(1_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Success',
    attempts: [
      { supplier: 'first', status: 'Rejected', code: 'operator_decision', message: 'admin: they wrote: not found' },
      { supplier: 'second', status: 'Delivered', sends: 1 },
    ],
  });
  expect((await reviews()).data).toEqual([]);
});

test('a callback about a purchase that was closed by hand brings the order back to the operators', async () => {
  const orderId = await stuck();
  supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-3' });
  await act(orderId, 'not-delivered', { reason: 'told by phone' });
  await pass(1_000);
  const shown = await topgate().admin('GET', '/admin/api/supplier/first');
  supplier.onCallback = () => ({ kind: 'hint', reference: `${orderId}-1`, supplierReference: null, status: 'Sukses' });
  await topgate().raw({ method: 'POST', url: new URL(shown.body.data.callback_url).pathname, payload: '' });
  await pass(2_000);
  const found = await detail(orderId);
  expect(found).toMatchObject({ status: 'Success', review: { reason: expect.stringContaining('"Sukses"') } });
  const [late] = (await topgate().admin('GET', '/admin/api/callback?state=Late')).body.data;
  expect(late).toMatchObject({ order_id: orderId });
  const seen = await act(orderId, 'resolve', { outcome: 'Success', reason: 'claimed back from the supplier' });
  expect(seen.body.data.review).toBeNull();
});

test('an order known not to be anywhere is sent by the route that the operator names, once', async () => {
  const verb = async (name: string) => {
    for (const code of ['first', 'second', 'third']) await topgate().admin('POST', `/admin/api/supplier/${code}/${name}`);
  };
  await verb('pause');
  const { order_id: orderId } = await live.buy({ user_id: '55550002' });
  await settle();
  const unknown = await act(orderId, 'reroute', { reason: 'x', route: { supplier: 'fourth', sku: 'ML85' } });
  expect(unknown.status).toBe(409);
  const sent = await act(orderId, 'reroute', { reason: 'cheapest', route: { supplier: 'third', sku: 'ML85' } });
  expect(sent.body.data).toMatchObject({ supplier: 'third', attempts: [{ supplier: 'third', status: 'Queued', sends: 0 }] });
  supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-4' });
  await verb('resume');
  await pass(20_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Success',
    attempts: [{ supplier: 'third', status: 'Delivered', sends: 1 }],
  });
  expect(supplier.placed.map(({ reference }) => reference)).toEqual([`${orderId}-1`]);
});

test('the last route closed by hand ends with the money back, once', async () => {
  const before = await live.balance();
  const orderId = await stuck();
  for (let route = 0; route < 3; route++) {
    await act(orderId, 'not-delivered', { reason: 'verified' });
    await pass(1_000);
  }
  expect(await detail(orderId)).toMatchObject({ status: 'Failed', failure: { code: 'operator_decision' } });
  expect(await live.balance()).toBe(before);
  expect((await act(orderId, 'not-delivered', { reason: 'again' })).status).toBe(409);
});

test('the list is paged, longest waiting first, and every action is in the audit log', async () => {
  const orderIds = [];
  for (let index = 0; index < 3; index++) orderIds.push((await live.buy({ user_id: `5556000${index}` })).order_id);
  await pass(95_000);
  const first = await reviews('?limit=2');
  const second = await reviews(`?limit=2&cursor=${first.pagination.next_cursor}`);
  const listed = [...first.data, ...second.data].map(({ order }: { order: { order_id: string } }) => order.order_id);
  expect(listed.toSorted()).toEqual(orderIds.toSorted());
  expect(second.pagination.has_more).toBe(false);
  const actions = await db().selectFrom('audit_log').select(['action', 'details']).where('action', 'like', 'order.%').execute();
  const rerouted = actions.find(({ action }) => action === 'order.reroute');
  expect(rerouted?.details).toMatchObject({ reason: 'cheapest', attempts: [{ number: 1, supplier: 'third', to: 'Queued' }] });
  expect(actions.filter(({ action }) => action === 'order.not_delivered')).toHaveLength(5);
});

test('after all of it every invariant of the ledger holds', async () => {
  const { body } = await topgate().admin('GET', '/admin/api/ledger/audit');
  expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
});
