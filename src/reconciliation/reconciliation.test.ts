import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { scriptedSupplier } from '../../test/support/scripted-supplier.ts';
import { openTestService, type TestReseller, type TestService, until } from '../../test/support/service.ts';
import { after, DAY_MS, dateIn, dayOf, HOUR_MS, systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { PlaceOutcome } from '../suppliers/supplier.ts';
import { reconcileAtNight } from './night.ts';

describeOnBothEngines('reconciliation', (open) => {
  const supplier = scriptedSupplier();
  const today = dateIn(systemClock.now(), 'Asia/Jakarta');
  let topgate: TestService;
  let live: TestReseller;
  /** The orders of this test, by what their supplier answered. */
  const orders: Record<string, string> = {};

  const place = async (name: string, outcome: PlaceOutcome, status: string) => {
    supplier.onPlace = async () => outcome;
    const { order_id } = await live.buy({ user_id: '55550001' });
    await until(async () => (await detail(order_id)).attempts[0]?.status === status, `${name} is ${status}`);
    orders[name] = order_id;
  };
  const detail = async (orderId: string) => (await topgate.admin('GET', `/admin/api/order/${orderId}`)).body.data;
  const get = (path: string) => topgate.admin('GET', `/admin/api/reconciliation${path}`);
  const compare = (csv: string, fields: object = {}) =>
    topgate.admin('POST', '/admin/api/reconciliation/statement', {
      supplier: 'main',
      csv,
      date_from: today,
      date_to: today,
      ...fields,
    });

  beforeAll(async () => {
    topgate = await openTestService(open(), { supplierKinds: [supplier.kind] });
    const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
    for (const code of ['main', 'other']) await topgate.admin('POST', '/admin/api/supplier', { code, kind: 'scripted', config });
    await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', [{ supplier: 'main', sku: 'ML85', cost: 20_000 }]);
    live = await topgate.reseller({ mode: 'live', balance: 100_000_000 });
    await place('good', { kind: 'delivered', serialNumber: 'SN-1', charged: 20_000n, supplierReference: 'T-1' }, 'Delivered');
    await place('dear', { kind: 'delivered', serialNumber: 'SN-2', charged: 20_700n, supplierReference: 'T-2' }, 'Delivered');
    await place('silent', { kind: 'delivered', serialNumber: 'SN-3', supplierReference: 'T-3' }, 'Delivered');
    await place('rejected', { kind: 'rejected', code: 'out_of_stock', retryElsewhere: false }, 'Rejected');
    await place('open', { kind: 'pending' }, 'Pending');
    await place('given up', { kind: 'pending' }, 'Pending');
    const resolution = { outcome: 'Failed', reason: 'the customer cancelled' };
    await topgate.admin('POST', `/admin/api/order/${orders['given up']}/resolve`, resolution);
  });
  afterAll(() => topgate.stop());

  test('a day is told by state, with what was expected and what was charged', async () => {
    const { data } = (await get('?supplier=main')).body;
    expect(data).toMatchObject({ supplier: 'main', date: today, purchases: 6 });
    expect(data.states).toEqual([
      { status: 'Delivered', purchases: 3, expected: 60_000, charged: 40_700, told: 2 },
      { status: 'Pending', purchases: 2, expected: 40_000, charged: 0, told: 0 },
      { status: 'Rejected', purchases: 1, expected: 20_000, charged: 0, told: 0 },
    ]);
    expect(data.differences).toEqual({
      delivered_but_refunded: 0,
      open_but_refunded: 1,
      success_without_delivery: 0,
      price_differs: 1,
      open: 1,
    });
    expect((await get('?supplier=other')).body.data).toMatchObject({ purchases: 0, states: [] });
    expect((await get('?supplier=main&date=2020-01-01')).body.data.purchases).toBe(0);
  });

  test('the balance there is told as it was read, and what the deliveries do not explain', async () => {
    expect((await get('?supplier=main')).body.data.balance).toEqual({
      opening: null,
      closing: null,
      spent: 60_700,
      unexplained: null,
    });
    const day = dayOf(today, 'Asia/Jakarta');
    if (day === null) throw new Error('today is a day');
    const readings = [
      { supplier_code: 'main', read_at: after(day.from, -60_000), balance: 1_000_000n },
      { supplier_code: 'main', read_at: after(day.from, 1), balance: 990_000n },
      { supplier_code: 'main', read_at: after(day.to, -1), balance: 1_438_000n },
      { supplier_code: 'main', read_at: day.to, balance: 1n },
      { supplier_code: 'other', read_at: after(day.to, -1), balance: 7n },
    ];
    await open().database.db.insertInto('supplier_balances').values(readings).execute();
    const { balance } = (await get('?supplier=main')).body.data;
    expect(balance).toMatchObject({ opening: { balance: 1_000_000 }, closing: { balance: 1_438_000 }, unexplained: 498_700 });
  });

  test('the night leaves a day with differences, or with money missing, among the alerts of its supplier', async () => {
    const { db } = open().database;
    const day = dayOf(today, 'Asia/Jakarta');
    if (day === null) throw new Error('today is a day');
    let now = after(day.to, 4 * HOUR_MS);
    const clock = { ...systemClock, now: () => now };
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (details: object) => warnings.push(details) };
    const night = () => reconcileAtNight({ db, clock, log, timeZone: 'Asia/Jakarta' });
    expect(await night()).toEqual({ suppliers: 2, differing: 1 });
    expect(warnings).toMatchObject([{ supplier: 'main', date: today, price_differs: 1, open: 1, missing: '0' }]);
    const alertsOf = async (code: string) => (await topgate.admin('GET', `/admin/api/supplier/${code}`)).body.data.alerts;
    const message = expect.stringMatching(/open but refunded: 1, price differs: 1, open: 1\. Look with: topgate reconcile main/);
    expect(await alertsOf('main')).toEqual([{ kind: 'day_differs', message }]);

    const readings = [
      { supplier_code: 'other', read_at: after(day.from, -60_000), balance: 1_000_000n },
      { supplier_code: 'other', read_at: after(day.to, -2), balance: 700_000n },
    ];
    await db.insertInto('supplier_balances').values(readings).execute();
    await db.deleteFrom('supplier_balances').where('supplier_code', '=', 'other').where('balance', '=', 7n).execute();
    expect(await night()).toEqual({ suppliers: 2, differing: 2 });
    expect(await alertsOf('other')).toMatchObject([{ message: expect.stringContaining('fell by 300000 more than was bought') }]);
    now = after(now, 10 * DAY_MS);
    expect(await night()).toEqual({ suppliers: 2, differing: 0 });
    expect(await alertsOf('main')).toEqual([]);
  });

  test('its differences are listed by kind, page by page', async () => {
    const path = '/difference?supplier=main';
    const first = (await get(`${path}&limit=2`)).body;
    const second = (await get(`${path}&limit=2&cursor=${first.pagination.next_cursor}`)).body;
    const kinds = [...first.data, ...second.data].map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['price_differs', 'open', 'open_but_refunded']);
    expect((await get(`${path}&kind=price_differs`)).body.data).toMatchObject([
      { order_id: orders['dear'], expected: 20_000, charged: 20_700, status: 'Delivered', order_status: 'Success' },
    ]);
  });

  test('a statement is matched by our name or theirs, and what differs is kept, the gravest first', async () => {
    const csv = [
      'trx_id,ref_id,status,price',
      `T-1,${orders['good']?.toLowerCase()}-1,Sukses,20000`,
      'T-2,,Sukses,20.700',
      `T-9,${orders['rejected']}-1,Sukses,20000`,
      `T-8,${orders['given up']}-1,Sukses,20000`,
      `T-7,${orders['open']}-1,Pending,20000`,
      'T-6,MANUAL-1,Sukses,1000',
    ].join('\n');
    const compared = await compare(csv);
    expect(compared.body.data).toMatchObject({
      rows: 6,
      findings: { matched: 3, delivered_there_refunded_here: 2, missing_there: 1, unknown_here: 1, charged_twice: 0 },
      total_theirs: 81_700,
      total_ours: 60_700,
      created_by: 'admin',
    });
    const id = compared.body.data.statement_id;
    const path = `/statement/${id}/finding`;
    const first = (await get(`${path}?limit=3`)).body;
    const second = (await get(`${path}?limit=3&cursor=${first.pagination.next_cursor}`)).body;
    expect([...first.data, ...second.data]).toMatchObject([
      {
        finding: 'delivered_there_refunded_here',
        line: 4,
        order_id: orders['rejected'],
        status: 'Rejected',
        order_status: 'Failed',
      },
      { finding: 'delivered_there_refunded_here', line: 5, order_id: orders['given up'], status: 'Pending' },
      { finding: 'missing_there', line: null, order_id: orders['silent'], our_amount: 20_000 },
      { finding: 'unknown_here', line: 7, reference: 'MANUAL-1', their_amount: 1_000, order_id: null },
    ]);
    expect((await get(`/statement/${id}`)).body.data).toEqual(compared.body.data);
    expect((await get('/statement?supplier=main')).body.data).toEqual([compared.body.data]);
    expect((await get('/statement?supplier=other')).body.data).toEqual([]);
  });

  test('amounts that cannot be read, or are not there, never pass for amounts that agree', async () => {
    const rows = (amount: string) => `ref_id,status,price\n${orders['good']}-1,Sukses,${amount}\n`;
    for (const amount of ['99999.37', '1.26', '']) {
      const { data } = (await compare(rows(amount))).body;
      expect(data).toMatchObject({ amounts: 'compared', findings: { matched: 0, unreadable_amount: 1 }, total_theirs: 0 });
      const findings = (await get(`/statement/${data.statement_id}/finding?finding=unreadable_amount`)).body.data;
      expect(findings).toMatchObject([{ line: 2, their_amount: null, their_amount_text: amount === '' ? null : amount }]);
    }
    expect((await compare(`ref_id,status\n${orders['good']}-1,Sukses\n`)).body.data).toMatchObject({
      columns: { reference: 'ref_id', status: 'status' },
      amounts: 'no_column',
      findings: { matched: 1 },
      total_theirs: null,
    });
  });

  test('nothing is settled by it', async () => {
    expect(await detail(orders['rejected'] ?? '')).toMatchObject({ status: 'Failed', review: null });
    expect(await detail(orders['open'] ?? '')).toMatchObject({ status: 'Process', review: null });
    const { body } = await topgate.admin('GET', '/admin/api/ledger/audit');
    expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  });

  test("another supplier's statement finds none of these purchases", async () => {
    const csv = `ref_id,trx_id\n${orders['good']}-1,T-1\n,T-2\n`;
    expect((await compare(csv, { supplier: 'other' })).body.data.findings).toMatchObject({ unknown_here: 2, matched: 0 });
  });

  test.each([
    ['a supplier that is not there', { supplier: 'nobody' }, 404],
    ['a date that is none', { date_from: '2026-02-31' }, 400],
    ['an end before the beginning', { date_from: '2026-03-02', date_to: '2026-03-01' }, 400],
    ['more days than two months', { date_from: '2026-01-01', date_to: '2026-12-31' }, 400],
    ['a file without names', { csv: 'price\n1\n' }, 400],
    ['an unknown column', { columns: { price: 'harga' } }, 400],
  ])('%s is refused', async (_what, fields, status) => {
    expect((await compare('ref_id\nA-1\n', fields)).status).toBe(status);
  });

  test('what is asked for and is not there is told', async () => {
    expect((await get('?supplier=nobody')).status).toBe(404);
    expect((await get('?supplier=main&date=2026-02-30')).status).toBe(400);
    expect((await get('/statement/st_none')).status).toBe(404);
    expect((await get('/difference?supplier=main&cursor=eA')).status).toBe(400);
  });
});
