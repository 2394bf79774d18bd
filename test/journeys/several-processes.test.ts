import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTopgateError } from '../../sdk/src/index.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { clientOf, orderOf } from '../support/client.ts';
import { openOnServer, type TestDatabase } from '../support/engines.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

/** Three Topgates on one PostgreSQL, as on three machines: two that answer and one that works. */
let first: TestService;
let second: TestService;
let worker: TestService;
let shared: TestDatabase;
const closings: (() => Promise<void>)[] = [];

async function openAnother(role: 'api' | 'worker'): Promise<TestService> {
  const database = await openPostgres({ url: shared.url ?? '', clock: systemClock, log: silentLog, poolSize: 6 });
  const service = await openTestService({ database, url: shared.url, drop: async () => {} }, { config: { role } });
  closings.unshift(async () => {
    await service.stop();
    await database.close();
  });
  return service;
}

beforeAll(async () => {
  shared = await openOnServer();
  first = await openAnother('api');
  second = await openAnother('api');
  worker = await openAnother('worker');
});

afterAll(async () => {
  for (const close of closings) await close();
  await shared.drop();
});

/** The reseller's client, talking to the second process. */
const atSecond = (reseller: TestReseller) => clientOf(second.raw, reseller);

test('200 orders spread over two processes, on a balance that pays for 37: exactly 37 are accepted, and another process delivers them', async () => {
  const reseller = await first.reseller({ balance: 37 * 23_600 });
  const clients = [reseller.topgate, atSecond(reseller)];
  const calls = Array.from({ length: 100 }, () => clients.map(({ orders }) => orders.create(orderOf())));
  const results = await Promise.allSettled(calls.flat());
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(37);
  const refused = results.filter(
    (result) => result.status === 'rejected' && isTopgateError(result.reason, 'insufficient_balance'),
  );
  expect(refused).toHaveLength(163);
  await until(async () => {
    const { data } = await reseller.topgate.orders.list({ status: 'Success', limit: 200 }).page();
    return data.length === 37;
  }, 'all 37 are delivered');
});

test('one ref_id sent to both processes at once is one order', async () => {
  const reseller = await first.reseller();
  const clients = [reseller.topgate, atSecond(reseller)];
  const order = orderOf({ ref_id: 'BOTH' });
  const placed = await Promise.all(Array.from({ length: 20 }, () => clients.map(({ orders }) => orders.create(order))).flat());
  expect(new Set(placed.map(({ order_id }) => order_id)).size).toBe(1);
  expect(await reseller.balance()).toBe(1_000_000 - 23_600);
});

test('a token revoked through one process is refused by the other, which asks four times a second what has changed', async () => {
  const reseller = await first.reseller();
  const { account } = atSecond(reseller);
  expect(await account.get()).toMatchObject({ mode: 'test' });
  await first.admin('DELETE', `/admin/api/reseller/${reseller.resellerId}/credential/${reseller.credentialId}`);
  const isRefused = (error: unknown) => isTopgateError(error, 'unauthenticated');
  await until(() => account.get().then(() => false, isRefused), 'the other process refuses the token');
  await expect(account.get()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
});

test('a price changed through one process is the price in the other', async () => {
  const { services } = atSecond(await first.reseller());
  await first.admin('PATCH', '/admin/api/service/MLBB-12', { price: 4_321 });
  const service = await until(async () => {
    const known = await services.list({ product_code: 'MLBB' });
    return known.find(({ service_code, price }) => service_code === 'MLBB-12' && price === 4_321);
  }, 'the other process knows the price');
  expect(service.price).toBe(4_321);
});

test('a worker has no reseller interface, only its health', async () => {
  expect((await worker.raw({ method: 'GET', url: '/api/product' })).status).toBe(404);
  expect((await worker.raw({ method: 'GET', url: '/health/ready' })).status).toBe(200);
});
