import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openOnServer, type TestDatabase } from '../support/engines.ts';
import { openTestService, signedOrder, type TestService, until } from '../support/service.ts';

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

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

test('200 orders spread over two processes, on a balance that pays for 37: exactly 37 are accepted, and another process delivers them', async () => {
  const reseller = await first.reseller({ balance: 37 * 23_600 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const payload = JSON.stringify(signedOrder(reseller.secret));
      return (index % 2 === 0 ? first : second).raw({
        method: 'POST',
        url: '/api/order',
        headers: bearer(reseller.token),
        payload,
      });
    }),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(37);
  expect(answers.filter(({ body }) => body.error?.code === 'insufficient_balance')).toHaveLength(163);
  await until(
    async () => (await reseller.get('/api/order?status=Success&limit=200')).body.data.length === 37,
    'all 37 are delivered',
  );
});

test('one ref_id sent to both processes at once is one order', async () => {
  const reseller = await first.reseller();
  const payload = JSON.stringify(signedOrder(reseller.secret, { ref_id: 'BOTH' }));
  const send = (service: TestService) =>
    service.raw({ method: 'POST', url: '/api/order', headers: bearer(reseller.token), payload });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? first : second)));
  expect(new Set(answers.map(({ body }) => body.data.order_id)).size).toBe(1);
  expect(await reseller.balance()).toBe(1_000_000 - 23_600);
});

test('a token revoked through one process is refused by the other, which asks four times a second what has changed', async () => {
  const reseller = await first.reseller();
  const ask = async () => (await second.raw({ method: 'GET', url: '/api/account', headers: bearer(reseller.token) })).status;
  expect(await ask()).toBe(200);
  await first.admin('DELETE', `/admin/api/reseller/${reseller.resellerId}/credential/${reseller.credentialId}`);
  await until(async () => (await ask()) === 401, 'the other process refuses the token');
});

test('a price changed through one process is the price in the other', async () => {
  const reseller = await first.reseller();
  await first.admin('PATCH', '/admin/api/service/MLBB-12', { price: 4_321 });
  const price = await until(async () => {
    const { body } = await second.raw({ method: 'GET', url: '/api/service?product_code=MLBB', headers: bearer(reseller.token) });
    return body.data.find(
      (service: { service_code: string; price: number }) => service.service_code === 'MLBB-12' && service.price === 4_321,
    );
  }, 'the other process knows the price');
  expect(price.price).toBe(4_321);
});

test('a worker has no reseller interface, only its health', async () => {
  expect((await worker.raw({ method: 'GET', url: '/api/product' })).status).toBe(404);
  expect((await worker.raw({ method: 'GET', url: '/health/ready' })).status).toBe(200);
});
