import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isTopgateError } from '../../sdk/src/index.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { type Clock, HOUR_MS, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { clientOf, orderOf } from '../support/client.ts';
import { openOnServer, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

/** Three Topgates on one PostgreSQL, as on three machines: two that answer and one that works. */
let first: TestService;
let second: TestService;
let worker: TestService;
let shared: TestDatabase;
const closings: (() => Promise<void>)[] = [];

async function openAnother(role: 'api' | 'worker', clock: Clock = systemClock, on = shared): Promise<TestService> {
  const database = await openPostgres({ url: on.url ?? '', clock: systemClock, log: silentLog, poolSize: 6 });
  const service = await openTestService({ database }, { clock, config: { role } });
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

test('an account suspended through one process is refused by the other, and let in again', async () => {
  const reseller = await first.reseller();
  const { account } = atSecond(reseller);
  const suspended = (error: unknown) => isTopgateError(error, 'account_suspended');
  await first.admin('PATCH', `/admin/api/reseller/${reseller.resellerId}`, { status: 'Suspended' });
  await until(() => account.get().then(() => false, suspended), 'the other process refuses the account');
  await first.admin('PATCH', `/admin/api/reseller/${reseller.resellerId}`, { status: 'Active' });
  await until(
    () =>
      account.get().then(
        () => true,
        () => false,
      ),
    'the other process lets it in',
  );
});

describe('a process whose clock the test owns', () => {
  test('sees a price, a token, a suspension and a closing made elsewhere at its next look, a quarter of a second later', async () => {
    const clock = new FakeClock();
    const third = await openAnother('api', clock);
    const [buyer, revoked, suspended] = [await first.reseller(), await first.reseller(), await first.reseller()];
    const known = async () => {
      const [service] =
        (await third.raw({ method: 'GET', url: '/api/service?product_code=MLBB', headers: bearer(buyer) })).body.data ?? [];
      return {
        price: service?.price,
        revoked: (await third.raw({ method: 'GET', url: '/api/account', headers: bearer(revoked) })).status,
        suspended: (await third.raw({ method: 'GET', url: '/api/account', headers: bearer(suspended) })).status,
      };
    };
    await clock.advance(250);
    const before = await until(async () => {
      const seen = await known();
      return seen.revoked === 200 && seen.suspended === 200 && seen;
    }, 'the third process knows the resellers');

    const [{ service_code }] = (await first.raw({ method: 'GET', url: '/api/service?product_code=MLBB', headers: bearer(buyer) }))
      .body.data;
    await first.admin('PATCH', `/admin/api/service/${service_code}`, { price: before.price + 111 });
    await first.admin('DELETE', `/admin/api/reseller/${revoked.resellerId}/credential/${revoked.credentialId}`);
    await first.admin('PATCH', `/admin/api/reseller/${suspended.resellerId}`, { status: 'Suspended' });
    // Its time stands still: it has not looked, and that it does not know shows that nothing else would tell it.
    expect(await known()).toEqual(before);
    await clock.advance(250);
    const now = { price: before.price + 111, revoked: 401, suspended: 403 };
    expect(await until(async () => ((await known()).suspended === 403 ? known() : null), 'it has looked')).toEqual(now);

    await first.admin('PUT', '/admin/api/maintenance', { enabled: true, message: 'Back soon.' });
    await clock.advance(250);
    await until(
      async () => (await third.raw({ method: 'GET', url: '/api/product', headers: bearer(buyer) })).status === 503,
      'it is closed',
    );
    await first.admin('PUT', '/admin/api/maintenance', { enabled: false });
  });

  test('a worker delivers an order it was only woken for: its own time stands still, so it never looks by itself', async () => {
    const apart = await openOnServer();
    closings.push(() => apart.drop());
    const api = await openAnother('api', systemClock, apart);
    const clock = new FakeClock();
    // An hour ahead, so that whatever the other process writes is due at once.
    await clock.jump(systemClock.now().getTime() + HOUR_MS - clock.now().getTime());
    await openAnother('worker', clock, apart);
    const reseller = await api.reseller();
    for (let count = 1; count <= 3; count++) {
      const { order_id } = await reseller.buy();
      await until(
        async () => (await reseller.topgate.orders.status({ order_id })).status === 'Success',
        'the worker was woken and delivered',
      );
    }
  });
});

const bearer = (reseller: TestReseller) => ({ authorization: `Bearer ${reseller.token}` });
