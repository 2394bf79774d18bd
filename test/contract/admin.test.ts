import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

const PRICE = 23_600;
/** The sandbox never answers about this player, so the order stays in Process for as long as time stands still. */
const SILENT = '123450009';

const clock = new FakeClock();
let opened: TestDatabase;
let topgate: TestService;
beforeAll(async () => {
  opened = await openInMemory();
  topgate = await openTestService(opened, { clock });
});
afterAll(async () => {
  // The calls that never answer end by their limit, for which time must pass.
  await clock.passUntil(topgate.stop());
  await opened.drop();
});

const admin: TestService['admin'] = (...request) => topgate.admin(...request);
const outcomeOf = ({ status, body }: Answer): unknown[] => [status, body.error?.code];

async function placed(reseller: TestReseller, user_id = SILENT): Promise<string> {
  const { status, body } = await reseller.order({ user_id });
  expect([status, body.data?.status]).toEqual([200, 'Process']);
  return body.data.order_id;
}

const stateOf = async (reseller: TestReseller, orderId: string) =>
  (await reseller.get(`/api/order/status?order_id=${orderId}`)).body.data.status;

test('every route of the admin interface is closed without the admin token, and to resellers', async () => {
  const reseller = await topgate.reseller();
  const { paths } = (await topgate.raw({ method: 'GET', url: '/openapi.json' })).body;
  const routes = Object.entries(paths as Record<string, Record<string, { summary?: string }>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary }]) =>
      path.startsWith('/admin/') && summary !== undefined
        ? [{ method: method.toUpperCase(), url: path.replace(/\{[^}]+\}/g, 'x') }]
        : [],
    ),
  );
  expect(routes.length).toBeGreaterThan(30);
  for (const route of routes)
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${reseller.token}`, 'Basic dGVzdC1hZG1pbi10b2tlbg==']) {
      const answer = await topgate.raw({ ...route, ...(authorization && { headers: { authorization } }) });
      expect(outcomeOf(answer), `${route.method} ${route.url} with ${authorization}`).toEqual([401, 'unauthenticated']);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
});

describe('resellers', () => {
  test('are registered once per username, found, paged and changed', async () => {
    const created = await admin('POST', '/admin/api/reseller', { name: 'Zebra Store', username: 'zebra' });
    expect(created.body.data).toMatchObject({ name: 'Zebra Store', username: 'zebra', tier: 'standard', status: 'Active' });
    expect(created.body.data).toMatchObject({ reseller_id: expect.stringMatching(/^rs_/), balances: { live: 0, test: 0 } });
    const url = `/admin/api/reseller/${created.body.data.reseller_id}`;
    expect(outcomeOf(await admin('POST', '/admin/api/reseller', { name: 'Other', username: 'zebra' }))).toEqual([
      409,
      'conflict',
    ]);
    const lost = await admin('POST', '/admin/api/reseller', { name: 'Other', username: 'other', tier: 'none' });
    expect(outcomeOf(lost)).toEqual([400, 'invalid_request']);
    expect((await admin('GET', url)).body.data).toEqual(created.body.data);
    expect((await admin('GET', '/admin/api/reseller?search=zebra')).body.data).toEqual([created.body.data]);
    expect((await admin('GET', '/admin/api/reseller?search=nobody-at-all')).body.data).toEqual([]);
    const first = (await admin('GET', '/admin/api/reseller?limit=1')).body;
    expect(first.pagination.has_more).toBe(true);
    const second = (await admin('GET', `/admin/api/reseller?limit=1&cursor=${first.pagination.next_cursor}`)).body;
    expect([first.data.length, second.data.length, first.data[0].reseller_id === second.data[0].reseller_id]).toEqual([
      1,
      1,
      false,
    ]);
    await admin('POST', '/admin/api/tier', { code: 'silver', name: 'Silver', pricing: 'list' });
    expect((await admin('PATCH', url, { name: 'Zebra', tier: 'silver' })).body.data).toMatchObject({
      name: 'Zebra',
      tier: 'silver',
    });
    const another = url.endsWith('0') ? '1' : '0';
    expect(outcomeOf(await admin('GET', url.slice(0, -1) + another))).toEqual([404, 'not_found']);
  });

  test('suspended, are refused at once; reinstated, are served at once', async () => {
    const reseller = await topgate.reseller();
    const url = `/admin/api/reseller/${reseller.resellerId}`;
    expect((await admin('PATCH', url, { status: 'Suspended' })).body.data.status).toBe('Suspended');
    expect(outcomeOf(await reseller.order())).toEqual([403, 'account_suspended']);
    expect((await admin('PATCH', url, { status: 'Active' })).body.data.status).toBe('Active');
    expect(outcomeOf(await reseller.order())).toEqual([200, undefined]);
  });

  test('get a token and a secret once; no list shows them again; a revoked one is refused at once', async () => {
    const { resellerId } = await topgate.reseller();
    const url = `/admin/api/reseller/${resellerId}/credential`;
    const request = { mode: 'live', scopes: ['read'], expires_at: '2030-01-01T00:00:00+07:00', allowed_ips: ['127.0.0.1'] };
    const { data: issued } = (await admin('POST', url, request)).body;
    expect(issued).toMatchObject({ mode: 'live', scopes: ['read'], allowed_ips: ['127.0.0.1'], status: 'Active' });
    expect(issued).toMatchObject({ expires_at: '2030-01-01T00:00:00+07:00', credential_id: expect.stringMatching(/^cr_/) });
    expect(issued.access_token).toMatch(/^tg_live_/);
    expect(issued.signing_secret).toMatch(/^tgs_/);
    const listed = (await admin('GET', url)).body;
    expect(listed.data).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toMatch(/access_token|signing_secret|tg_live_|tg_test_|tgs_/);
    const use = () =>
      topgate.raw({ method: 'GET', url: '/api/account', headers: { authorization: `Bearer ${issued.access_token}` } });
    expect((await use()).status).toBe(200);
    expect((await admin('DELETE', `${url}/${issued.credential_id}`)).body.data.status).toBe('Revoked');
    expect(outcomeOf(await use())).toEqual([401, 'unauthenticated']);
    const other = await topgate.reseller();
    const foreign = `/admin/api/reseller/${other.resellerId}/credential/${issued.credential_id}`;
    expect(outcomeOf(await admin('DELETE', foreign))).toEqual([404, 'not_found']);
  });
});

describe('money', () => {
  test('a deposit is credited once per reference, also at the same moment, and never with another amount', async () => {
    const reseller = await topgate.reseller({ balance: 0 });
    const url = `/admin/api/reseller/${reseller.resellerId}/deposit`;
    const payment = { amount: 70_000, mode: 'test', reference: 'BANK-1' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin('POST', url, payment)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.data.transfer_id)).size).toBe(1);
    expect(answers[0]?.body.data).toMatchObject({ kind: 'deposit', amount: 70_000, balance_after: 70_000, reference: 'BANK-1' });
    expect(outcomeOf(await admin('POST', url, { ...payment, amount: 70_001 }))).toEqual([409, 'conflict']);
    for (const amount of [0, -1, 1.5, '1', 1_000_000_000_000_000])
      expect(outcomeOf(await admin('POST', url, { ...payment, amount, reference: 'BANK-2' }))).toEqual([400, 'invalid_request']);
    expect(await reseller.balance()).toBe(70_000);
    expect((await admin('POST', url, { ...payment, mode: 'live' })).body.data.balance_after).toBe(70_000);
    const { balances } = (await admin('GET', `/admin/api/reseller/${reseller.resellerId}`)).body.data;
    expect(balances).toEqual({ live: 70_000, test: 70_000 });
  });

  test('an adjustment goes either way, with its reason, and never below zero', async () => {
    const reseller = await topgate.reseller({ balance: 1_000 });
    const adjust = (amount: number) =>
      admin('POST', `/admin/api/reseller/${reseller.resellerId}/adjustment`, { amount, mode: 'test', reason: 'a correction' });
    expect((await adjust(-400)).body.data).toMatchObject({
      kind: 'adjustment',
      amount: -400,
      balance_after: 600,
      reference: 'a correction',
    });
    expect((await adjust(50)).body.data).toMatchObject({ amount: 50, balance_after: 650 });
    expect(outcomeOf(await adjust(-651))).toEqual([402, 'insufficient_balance']);
    expect(outcomeOf(await adjust(0))).toEqual([400, 'invalid_request']);
    expect((await adjust(-650)).body.data.balance_after).toBe(0);
  });
});

describe('orders', () => {
  const resolve = (orderId: string, outcome: string, more: object = {}) =>
    admin('POST', `/admin/api/order/${orderId}/resolve`, { outcome, reason: 'asked the supplier by phone', ...more });

  test('are listed by filter, and shown with attempts, transfers and events', async () => {
    const reseller = await topgate.reseller();
    const orderId = await placed(reseller);
    const list = async (query: string) =>
      (await admin('GET', `/admin/api/order?reseller_id=${reseller.resellerId}&${query}`)).body.data.map(
        (order: { order_id: string }) => order.order_id,
      );
    expect(await list('status=Process&mode=test&product_code=MLBB')).toEqual([orderId]);
    for (const none of ['mode=live', 'status=Failed', 'product_code=HOK', 'review=true']) expect(await list(none)).toEqual([]);
    const shown = await until(async () => {
      const { data } = (await admin('GET', `/admin/api/order/${orderId}`)).body;
      return data.attempts.length > 0 && data;
    }, 'the order is sent');
    expect(shown).toMatchObject({
      order_id: orderId,
      status: 'Process',
      review: null,
      resolved_by: null,
      events: [],
      deliveries: [],
    });
    expect(shown.attempts).toMatchObject([{ number: 1, supplier: 'sandbox', reference: `${orderId}-1`, serial_number: null }]);
    expect(shown.transfers).toMatchObject([{ kind: 'order', amount: -PRICE, order_id: orderId }]);
    expect(outcomeOf(await admin('GET', '/admin/api/order/TG00000000000000000000000000'))).toEqual([404, 'order_not_found']);
  });

  test('in Process, become Success with the serial number the operator found', async () => {
    const reseller = await topgate.reseller();
    const orderId = await placed(reseller);
    const { status, body } = await resolve(orderId, 'Success', { serial_number: 'SN-77' });
    expect([status, body.data.status, body.data.serial_number, body.data.resolved_by]).toEqual([
      200,
      'Success',
      'SN-77',
      'admin',
    ]);
    expect(body.data.events).toMatchObject([{ type: 'order.success', data: { order_id: orderId, serial_number: 'SN-77' } }]);
    expect(await reseller.balance()).toBe(1_000_000 - PRICE);
    for (const outcome of ['Success', 'Failed']) expect(outcomeOf(await resolve(orderId, outcome))).toEqual([409, 'conflict']);
  });

  test('in Process, become Failed and give the money back, once', async () => {
    const reseller = await topgate.reseller();
    const orderId = await placed(reseller);
    expect(outcomeOf(await resolve(orderId, 'Refunded'))).toEqual([409, 'conflict']);
    const { body } = await resolve(orderId, 'Failed');
    expect(body.data).toMatchObject({ status: 'Failed', failure: { code: 'operator_decision', fixable_by_player: false } });
    expect(body.data.transfers).toMatchObject([{ amount: -PRICE }, { kind: 'refund', amount: PRICE }]);
    for (const outcome of ['Success', 'Failed', 'Refunded'])
      expect(outcomeOf(await resolve(orderId, outcome))).toEqual([409, 'conflict']);
    expect([await stateOf(reseller, orderId), await reseller.balance()]).toEqual(['Failed', 1_000_000]);
  });

  test('that were delivered, can be reversed, once', async () => {
    const reseller = await topgate.reseller();
    const orderId = await placed(reseller, '123450001');
    await until(async () => (await stateOf(reseller, orderId)) === 'Success', 'the order is delivered');
    const answers = await Promise.all([resolve(orderId, 'Refunded'), resolve(orderId, 'Refunded')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { data } = (await admin('GET', `/admin/api/order/${orderId}`)).body;
    expect(data).toMatchObject({ status: 'Refunded', failure: { code: 'reversed' } });
    expect(data.transfers.map(({ kind }: { kind: string }) => kind)).toEqual(['order', 'reversal']);
    expect(data.events.map(({ type }: { type: string }) => type)).toEqual(['order.success', 'order.refunded']);
    expect(await reseller.balance()).toBe(1_000_000);
    for (const outcome of ['Success', 'Failed']) expect(outcomeOf(await resolve(orderId, outcome))).toEqual([409, 'conflict']);
  });

  test('are asked about again on demand, as long as there is something to ask', async () => {
    const reseller = await topgate.reseller();
    const orderId = await placed(reseller, '123450002');
    const attempt = async () => (await admin('GET', `/admin/api/order/${orderId}`)).body.data.attempts[0];
    await until(async () => (await attempt())?.status === 'Pending', 'the supplier has taken the order');
    expect((await attempt()).checks).toBe(0);
    expect((await admin('POST', `/admin/api/order/${orderId}/recheck`)).status).toBe(200);
    await until(async () => (await attempt()).checks === 1, 'the supplier is asked');

    const refused = await placed(reseller, '123450006');
    await until(async () => (await stateOf(reseller, refused)) === 'Failed', 'every supplier has refused the order');
    expect(outcomeOf(await admin('POST', `/admin/api/order/${refused}/recheck`))).toEqual([409, 'conflict']);
    const unknown = '/admin/api/order/TG00000000000000000000000000/recheck';
    expect(outcomeOf(await admin('POST', unknown))).toEqual([404, 'order_not_found']);
  });

  test('are resolved only with a known outcome and a reason', async () => {
    const orderId = await placed(await topgate.reseller());
    for (const more of [{ outcome: 'Process' }, { outcome: 'success' }, { reason: '' }, { reason: undefined }, { note: 'x' }])
      expect(outcomeOf(await resolve(orderId, 'Success', more))).toEqual([400, 'invalid_request']);
    expect(outcomeOf(await resolve('TG00000000000000000000000000', 'Failed'))).toEqual([404, 'order_not_found']);
  });

  test('are counted by the statistics, and the books are whole after all of the above', async () => {
    const { data } = (await admin('GET', '/admin/api/stats?hours=1')).body;
    for (const [group, key] of [
      ['by_state', 'Process'],
      ['by_product', 'MLBB'],
      ['by_supplier', 'sandbox'],
    ] as const) {
      const row = data[group].find((one: { mode: string; key: string }) => one.mode === 'test' && one.key === key);
      expect([row.orders > 0, row.amount >= row.orders * PRICE]).toEqual([true, true]);
    }
    expect(data.by_hour).toHaveLength(1);
    expect(data.delivery_ms).toMatchObject({ p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) });
    expect(data.queue.in_process).toBeGreaterThan(0);
    const audit = (await admin('GET', '/admin/api/ledger/audit')).body.data;
    expect(audit.checks.length).toBeGreaterThan(5);
    expect(
      audit.checks.filter(({ ok, violations }: { ok: boolean; violations: string[] }) => !ok || violations.length > 0),
    ).toEqual([]);
    expect([audit.ok, audit.checks.some(({ checked }: { checked: number }) => checked > 10)]).toEqual([true, true]);
  });
});
