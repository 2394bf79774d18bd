import { beforeAll, expect, test } from 'vitest';
import { after } from '../../src/lib/clock.ts';
import type { Purchase } from '../../src/suppliers/supplier.ts';
import { topgateKind } from '../../src/suppliers/topgate/index.ts';
import { type Wire, type WireAnswer, WireError, type WireRequest } from '../../src/suppliers/wire.ts';
import type { WebhookSender } from '../../src/webhooks/send.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { inTurns } from '../support/pass-time.ts';
import type { TestReseller } from '../support/service.ts';
import { virtualService } from '../support/virtual-service.ts';

/**
 * One installation sells what another one delivers: two whole services on one clock, the first of them the supplier of the
 * second. Live orders at the first go to its sandbox, so the player's id still chooses the scene.
 */
const clock = new FakeClock();
const upstream = virtualService({ clock, webhookSender: { send: sendWebhook, close: async () => undefined } });
const downstream = virtualService({ clock, openWire: () => wire });

const PRICE = 23_600;
const STEP_MS = 250;
/** Calls to the supplier begin so far apart. */
const TURN_MS = 25;

/** What happens on the way to the supplier: to the next order, and once. */
let fault: 'none' | 'answer_lost' | 'request_lost' = 'none';
let account: TestReseller;
let player: TestReseller;
let callbackUrl: string;

const wire: Wire = {
  send: (request) => (request.method === 'POST' ? sendOrder(request) : deliver(request)),
  close() {},
};

async function sendOrder(request: WireRequest): Promise<WireAnswer> {
  const now = fault;
  fault = 'none';
  const broken = () => new WireError('No answer: ECONNRESET', { neverLeft: false });
  if (now === 'request_lost') throw broken();
  const answer = await deliver(request);
  if (now === 'answer_lost') throw broken();
  return answer;
}

async function deliver({ method, url, headers, body }: WireRequest): Promise<WireAnswer> {
  const { pathname, search } = new URL(url);
  const answer = await upstream.topgate().raw({
    method,
    url: pathname + search,
    ...(headers && { headers }),
    ...(body !== undefined && { payload: body }),
  });
  return { status: answer.status, text: JSON.stringify(answer.body) };
}

/** The supplier's webhooks arrive at our callback address. */
async function sendWebhook({ url, headers, body }: Parameters<WebhookSender['send']>[0]): ReturnType<WebhookSender['send']> {
  const { status } = await postToCallback(new URL(url).pathname, headers, body);
  return { at: clock.now(), durationMs: 0, status, error: null, response: null, retryAfterMs: null };
}

function postToCallback(address: string, headers: Record<string, string>, payload: string) {
  const typed = { 'content-type': 'application/json', ...headers };
  return downstream.topgate().raw({ method: 'POST', url: address, headers: typed, payload });
}

async function settle() {
  // What one of them has done may be work for the other.
  for (let round = 0; round < 3; round += 1) {
    await downstream.settle();
    await upstream.settle();
  }
}

async function pass(durationMs: number) {
  await settle();
  for (let passedMs = 0; passedMs < durationMs; passedMs += STEP_MS) {
    await clock.advance(STEP_MS);
    await settle();
  }
}

/** Calls to the supplier wait for their turns. */
const inTurn = <Value>(work: Promise<Value>) => inTurns(clock, settle, work);

beforeAll(async () => {
  account = await upstream.topgate().reseller({ mode: 'live', balance: 1_000_000 });
  player = await downstream.topgate().reseller({ mode: 'live', balance: 1_000_000 });
  const config = { base_url: 'https://upstream.example', access_token: account.token, signing_secret: account.secret };
  const added = await downstream.topgate().admin('POST', '/admin/api/supplier', { code: 'upstream', kind: 'topgate', config });
  expect(added.status).toBe(200);
  callbackUrl = added.body.data.callback_url;
  const types = ['order.success', 'order.failed', 'order.refunded'] as const;
  const { secret } = await account.topgate.webhooks.create({ url: callbackUrl, types: [...types] });
  const changed = { config: { webhook_secret: secret } };
  expect((await downstream.topgate().admin('PATCH', '/admin/api/supplier/upstream', changed)).status).toBe(200);
  await setRoutes('MLBB-85', [{ supplier: 'upstream', sku: 'MLBB-85', cost: PRICE }]);
  await pass(1_000);
});

async function setRoutes(serviceCode: string, routes: object[]) {
  expect((await downstream.topgate().admin('PUT', `/admin/api/service/${serviceCode}/route`, routes)).status).toBe(200);
}

async function place(userId: string) {
  const { order_id } = await inTurn(player.buy({ user_id: userId }));
  await settle();
  // The order has its turn after the look-up of the nickname.
  await clock.advance(TURN_MS);
  await settle();
  return order_id;
}

const detail = async (orderId: string) => (await downstream.topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data;
const soldBy = async (orderId: string) => account.topgate.orders.status({ ref_id: `${orderId}-1` });
const balances = async () => [await account.balance(), await player.balance()] as const;

/** How many orders there are at the supplier. */
async function countSold() {
  return (await account.get('/api/order?limit=200')).body.data.length;
}

test('an order is delivered through both, with one serial number and one debit on each side', async () => {
  const [there, here] = await balances();
  const orderId = await place('70000001');
  const sold = await soldBy(orderId);
  expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [{ supplier: 'upstream', status: 'Pending' }] });
  await pass(3_000);
  expect(await soldBy(orderId)).toMatchObject({ status: 'Success', serial_number: `SBX-${sold.order_id}-1` });
  expect(await detail(orderId)).toMatchObject({ status: 'Success', serial_number: `SBX-${sold.order_id}-1` });
  expect(await balances()).toEqual([there - PRICE, here - PRICE]);
});

test('the nickname comes from the supplier, and a player whom it does not know is refused here', async () => {
  const known = { product_code: 'MLBB', user_id: '70020001', zone: '2001' };
  const { nickname } = await inTurn(player.topgate.nicknames.lookup(known));
  expect(nickname).toBe('Sandbox 70020001');
  const sold = await countSold();
  await expect(inTurn(player.buy({ user_id: '70000004' }))).rejects.toMatchObject({ code: 'player_not_found' });
  expect(await countSold()).toBe(sold);
});

test('an order that fails there fails here for the same reason, and the money is back on both sides', async () => {
  const before = await balances();
  const orderId = await place('70000003');
  await pass(10_000);
  expect(await soldBy(orderId)).toMatchObject({ status: 'Failed', failure: { code: 'player_rejected' } });
  expect(await detail(orderId)).toMatchObject({ status: 'Failed', failure: { code: 'player_rejected' } });
  expect(await balances()).toEqual(before);
});

test('an order whose answer is lost is found by asking: delivered once, paid once', async () => {
  const [there, here] = await balances();
  const sold = await countSold();
  fault = 'answer_lost';
  const orderId = await place('70010001');
  expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [{ status: 'Unknown', sends: 1 }] });
  await pass(10_000);
  expect(await detail(orderId)).toMatchObject({ status: 'Success', attempts: [{ status: 'Delivered', sends: 1 }] });
  expect(await countSold()).toBe(sold + 1);
  expect(await balances()).toEqual([there - PRICE, here - PRICE]);
});

test('an order that never arrived there is known not to be there, and sent again', async () => {
  const sold = await countSold();
  fault = 'request_lost';
  const orderId = await place('70020001');
  await pass(10_000);
  expect(await detail(orderId)).toMatchObject({ status: 'Success', attempts: [{ status: 'Delivered', sends: 2 }] });
  expect(await countSold()).toBe(sold + 1);
});

test('the same purchase sent twice is one order and one debit, and both answers tell of it', async () => {
  const there = await account.balance();
  const config = { base_url: 'https://upstream.example', access_token: account.token, signing_secret: account.secret };
  const adapter = topgateKind.create({ code: 'upstream', config: { ...config, currency: 'IDR' }, clock });
  const call = { signal: new AbortController().signal, send: deliver };
  const purchase: Purchase = {
    reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
    supplierReference: null,
    sku: 'MLBB-85',
    userId: '70030001',
    zone: '2001',
    accountText: null,
    cost: BigInt(PRICE),
    sends: 1,
    createdAt: clock.now(),
  };
  const first = await adapter.placeOrder(purchase, call);
  expect(first).toMatchObject({ kind: 'pending', charged: BigInt(PRICE) });
  await pass(2_000);
  const again = await adapter.placeOrder({ ...purchase, sends: 2, createdAt: after(purchase.createdAt, 2_000) }, call);
  expect(again).toMatchObject({
    kind: 'delivered',
    supplierReference: (first as { supplierReference?: string }).supplierReference,
  });
  expect(await account.balance()).toBe(there - PRICE);
});

test('a price that has risen above our cost there is refused, and another supplier delivers', async () => {
  const sold = await countSold();
  await setRoutes('MLBB-85', [
    { supplier: 'upstream', sku: 'MLBB-85', cost: PRICE - 1 },
    { supplier: 'sandbox', sku: 'sandbox', cost: 0 },
  ]);
  await pass(1_000);
  const orderId = await place('70040001');
  await pass(1_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Success',
    attempts: [
      { supplier: 'upstream', status: 'Rejected' },
      { supplier: 'sandbox', status: 'Delivered' },
    ],
  });
  expect(await countSold()).toBe(sold);
  await setRoutes('MLBB-85', [{ supplier: 'upstream', sku: 'MLBB-85', cost: PRICE }]);
  await pass(1_000);
});

test('a delivery that is taken back there is refunded here, as its webhook has the supplier asked', async () => {
  const before = await balances();
  const orderId = await place('70000010');
  await pass(4_000);
  expect((await detail(orderId)).status).toBe('Success');
  await pass(6_000);
  expect((await soldBy(orderId)).status).toBe('Refunded');
  expect(await detail(orderId)).toMatchObject({ status: 'Refunded', failure: { code: 'reversed' } });
  expect(await balances()).toEqual(before);
});

test('a webhook that nobody there has signed is refused, and nothing is asked', async () => {
  const orderId = await place('70050009');
  await pass(1_000);
  const before = (await detail(orderId)).attempts[0].checks;
  const data = { ref_id: `${orderId}-1`, order_id: 'TG01', status: 'Failed' };
  const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' };
  const body = JSON.stringify({ type: 'order.failed', timestamp: '2026-03-01T09:40:15+07:00', sequence: 1, data });
  expect((await postToCallback(new URL(callbackUrl).pathname, headers, body)).status).toBe(401);
  await settle();
  expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [{ checks: before }] });
});

test('our balance there and its prices are told in our currency', async () => {
  const balance = await account.balance();
  const { body } = await inTurn(downstream.topgate().admin('POST', '/admin/api/supplier/upstream/test'));
  expect(body.data).toMatchObject({ ok: true, balance });
  const synced = await inTurn(downstream.topgate().admin('POST', '/admin/api/supplier/upstream/sync'));
  const { services } = synced.body.data;
  expect(services.find(({ sku }: { sku: string }) => sku === 'MLBB-85')).toMatchObject({ cost: PRICE, available: true });
});

test('after all of it every invariant of both ledgers holds', async () => {
  for (const { topgate } of [upstream, downstream]) {
    const { body } = await topgate().admin('GET', '/admin/api/ledger/audit');
    expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  }
});
