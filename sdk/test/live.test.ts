import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/http/problems.ts';
import { until } from '../../test/support/service.ts';
import { type Clock, isTopgateError } from '../src/index.ts';
import { liveService } from './support/live-service.ts';

const live = liveService();

/** Real time, but nobody waits for it: what is waited for is a few turns away. */
const IMPATIENT: Clock = { now: () => new Date(), sleep: () => nextTurn() };
const ORDER = { service_code: 'MLBB-85', ref_id: 'INV-1', account_identifier: { user_id: '123450001', zone: '2001' } };

describe('against the real service', () => {
  test('an order is placed, delivered, found, listed, paid once, and told on the feed', async () => {
    const { topgate } = await live.join({ clock: IMPATIENT });
    const placed = await topgate.orders.create({ ...ORDER, max_price: 23_600 });
    expect(placed).toMatchObject({ ref_id: 'INV-1', price: 23_600, mode: 'test' });
    const finished = await topgate.waitForOrder({ ref_id: 'INV-1' });
    expect(finished.status).toBe('Success');
    expect(await topgate.orders.status({ order_id: placed.order_id })).toEqual(finished);
    expect((await topgate.orders.list({ status: 'Success', product_code: 'MLBB' }).page()).data).toEqual([finished]);
    expect((await topgate.account.get()).balance).toBe(1_000_000 - 23_600);
    const kinds = [];
    for await (const { kind } of topgate.account.transactions({ limit: 1 })) kinds.push(kind);
    expect(kinds).toEqual(['order', 'deposit']);

    const told = [];
    for await (const event of topgate.events.follow()) {
      told.push(event);
      if (event.type === 'order.success') break;
    }
    expect(told.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'balance.credited'],
      [2, 'order.success'],
    ]);
    expect(told[1]?.data).toEqual(finished);
    expect(await topgate.events.lastSequence()).toBe(2);
  });

  test('an order whose answers get lost on the way is bought once', async () => {
    let losses = 3;
    const { topgate } = await live.join({
      clock: IMPATIENT,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        losses -= 1;
        if (losses >= 0) throw new TypeError('fetch failed');
        return response;
      },
    });
    await topgate.orders.create(ORDER);
    expect((await topgate.orders.list().page()).data).toHaveLength(1);
    expect((await topgate.account.get()).balance).toBe(1_000_000 - 23_600);
  });

  test('an order without zone or with letters of any script is signed as the service signs it', async () => {
    const { topgate } = await live.join();
    const products = new Map((await topgate.products.list()).map((product) => [product.product_code, product]));
    const services = await topgate.services.list();
    const zoneless = services.find(({ product_code }) => products.get(product_code)?.fields.length === 1);
    const order = { service_code: zoneless?.service_code ?? '', ref_id: 'INV-2', account_identifier: { user_id: '900000001' } };
    expect((await topgate.orders.create(order)).account_identifier.zone).toBe('');
    const check = await topgate.reference.checkSignature({
      ...ORDER,
      account_identifier: { user_id: 'Késar#ID影1', zone: '' },
      max_price: 0,
    });
    expect(check).toMatchObject({ matches: true });
    expect(await topgate.reference.checkSignature({ ...ORDER, signature: 'ab' })).toMatchObject({
      matches: false,
      received: 'ab',
    });
  });

  test('refusals carry their code, details and request id', async () => {
    const { topgate } = await live.join({ balance: 30_000 });
    await topgate.orders.create(ORDER);
    const conflict = await topgate.orders.create({ ...ORDER, max_price: 99_000 }).catch((error: unknown) => error);
    if (!isTopgateError(conflict, 'ref_id_conflict')) throw conflict;
    expect(conflict.details).toMatchObject({ order_id: expect.stringMatching(/^TG/), differs: ['max_price'] });
    expect(conflict).toMatchObject({ status: 409, retryable: false, requestId: expect.stringMatching(/^sdk-[0-9a-f]{24}-1$/) });
    await expect(topgate.orders.create({ ...ORDER, ref_id: 'INV-2' })).rejects.toMatchObject({
      code: 'insufficient_balance',
      retryable: true,
      details: { balance: 6_400, price: 23_600 },
    });
    const misfit = { ...ORDER, ref_id: 'INV-3', account_identifier: { user_id: 'abc', zone: '2001' } };
    await expect(topgate.orders.create(misfit)).rejects.toMatchObject({
      code: 'invalid_account_identifier',
      issues: [{ path: 'account_identifier.user_id' }],
    });
    await expect(topgate.orders.status({ ref_id: 'NONE' })).rejects.toMatchObject({ code: 'order_not_found', status: 404 });
  });

  test('a test balance is refilled in one call, a live one never', async () => {
    const { topgate } = await live.join({ balance: 1 });
    expect(await topgate.account.refill()).toMatchObject({ kind: 'deposit', amount: 10_000_000, balance_after: 10_000_001 });
    const { token } = await live.service().reseller({ mode: 'live' });
    const { topgate: paid } = await live.join({ token });
    await expect(paid.account.refill()).rejects.toMatchObject({ code: 'insufficient_scope' });
  });

  test('a refused request is found in the log by the id of its error', async () => {
    const { topgate } = await live.join();
    const error = await topgate.orders.status({ ref_id: 'NONE' }).catch((reason: unknown) => reason);
    if (!isTopgateError(error, 'order_not_found')) throw error;
    const found = await until(
      async () => (await topgate.requestLog.list({ errors: 'true' }).page()).data[0],
      'the request is in the log',
    );
    expect(found).toMatchObject({ request_id: error.requestId, path: '/api/order/status', code: 'order_not_found', status: 404 });
  });

  test('a wrong signing secret is told with what the service signed', async () => {
    const { topgate } = await live.join({ signingSecret: 'tgs_wrong' });
    const error = await topgate.orders.create(ORDER).catch((reason: unknown) => reason);
    if (!isTopgateError(error, 'invalid_signature')) throw error;
    expect(error.details.string_to_sign).toBe('MLBB-85\nINV-1\n123450001\n2001');
  });

  test('the catalogue is read twice and travels once', async () => {
    const statuses: number[] = [];
    const { topgate } = await live.join({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        statuses.push(response.status);
        return response;
      },
    });
    expect(await topgate.services.list({ product_code: 'MLBB' })).toEqual(await topgate.services.list({ product_code: 'MLBB' }));
    expect(statuses).toEqual([200, 304]);
  });

  test('a nickname is looked up', async () => {
    const { topgate } = await live.join();
    const player = { product_code: 'MLBB', user_id: '123450001', zone: '2001' };
    expect(await topgate.nicknames.lookup(player)).toEqual({ ...player, nickname: 'Sandbox 123450001' });
  });

  test('the reference lists are public and know every code of the library', async () => {
    const { topgate } = await live.join({ token: 'tg_test_unknown' });
    expect((await topgate.reference.games()).length).toBeGreaterThan(0);
    expect((await topgate.reference.signatureGuide()).vectors).toHaveLength(4);
    const { error, event } = await topgate.reference.statusCodes();
    expect(error.find(({ code }) => code === 'overloaded')?.meaning).toBe(PROBLEMS.overloaded.meaning);
    expect(event.map(({ type }) => type)).toContain('webhook.test');
    await expect(topgate.account.get()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});
