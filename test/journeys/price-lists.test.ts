import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { listScheduled } from '../../src/price-lists/store.ts';
import type { SupplierService } from '../../src/suppliers/supplier.ts';
import type { TestReseller } from '../support/service.ts';
import { askInVain, stockedSupplier } from '../support/stocked-supplier.ts';
import { virtualService } from '../support/virtual-service.ts';

/** A supplier whose price list moves, and what that does to routes, prices and services. */
const supplier = stockedSupplier();
const { topgate, leap, db } = virtualService({
  supplierKinds: [supplier.kind],
  openWire: () => ({ send: () => Promise.reject(new Error('ECONNRESET')), close: () => undefined }),
});
let live: TestReseller;

const SUPPLIER = '/admin/api/supplier/stocked';
const SERVICES = ['MLBB-85', 'HOK-80'] as const;
const listed = (sku: string, cost: bigint, fields: Partial<SupplierService> = {}): SupplierService => ({
  sku,
  name: `Item ${sku}`,
  cost,
  available: true,
  ...fields,
});
const USUAL = [listed('S-MLBB-85', 22_000n), listed('S-HOK-80', 13_000n)];

beforeAll(async () => {
  const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
  await topgate().admin('POST', '/admin/api/supplier', { code: 'stocked', kind: 'stocked', config });
  for (const service of SERVICES) {
    const cost = service === 'MLBB-85' ? 22_000 : 13_000;
    await topgate().admin('PUT', `/admin/api/service/${service}/route`, [{ supplier: 'stocked', sku: `S-${service}`, cost }]);
  }
  live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
});

beforeEach(async () => {
  supplier.onList = async () => USUAL;
  // The list may be asked for once a minute.
  await leap(MINUTE_MS, 15_000);
});

async function sync(body?: Record<string, unknown>) {
  const answer = await topgate().admin('POST', `${SUPPLIER}/sync`, body);
  return answer.status === 200 ? answer.body.data : answer;
}

const routeOf = async (service: string) => (await topgate().admin('GET', `/admin/api/service/${service}/route`)).body.data[0];
const serviceOf = async (code: string) =>
  (await topgate().admin('GET', '/admin/api/service')).body.data.find(
    (service: { service_code: string }) => service.service_code === code,
  );

describe('a price list', () => {
  test('is compared without changing anything, and asks for the items in use', async () => {
    let asked: readonly string[] = [];
    supplier.onList = async (wanted) => {
      asked = wanted;
      return [listed('S-MLBB-85', 22_500n), listed('S-HOK-80', 13_000n), listed('S-NEW', 1n)];
    };
    const report = await sync();
    expect(report).toMatchObject({
      outcome: 'compared',
      services: [{ sku: 'S-MLBB-85' }, { sku: 'S-HOK-80' }, { sku: 'S-NEW' }],
      cost_changes: [{ service_code: 'MLBB-85', sku: 'S-MLBB-85', cost_before: 22_000, cost: 22_500 }],
    });
    expect(asked.toSorted()).toEqual(['S-HOK-80', 'S-MLBB-85']);
    expect((await routeOf('MLBB-85')).cost).toBe(22_000);
  });

  test('is not asked for again too soon, but what a dry run read can be applied', async () => {
    supplier.onList = async () => [listed('S-MLBB-85', 22_700n), listed('S-HOK-80', 13_000n)];
    await sync();
    const readings = supplier.listReadings;
    expect(await sync()).toMatchObject({ status: 409, body: { message: expect.stringMatching(/Try again after 2026-03-01T/) } });
    expect(await sync({ dry_run: false })).toMatchObject({ outcome: 'applied', cost_changes: [{ cost: 22_700 }] });
    expect(supplier.listReadings).toBe(readings);
    expect((await routeOf('MLBB-85')).cost).toBe(22_700);
    const shown = (await topgate().admin('GET', `${SUPPLIER}/sync`)).body.data;
    expect(shown).toMatchObject({ rule: 'off', applied_at: expect.any(String), result: { outcome: 'applied' } });
  });

  test('keeps the history of prices', async () => {
    supplier.onList = async () => [listed('S-MLBB-85', 22_900n), listed('S-HOK-80', 13_000n)];
    await sync({ dry_run: false });
    const prices = (await topgate().admin('GET', `${SUPPLIER}/price?sku=S-MLBB-85`)).body.data;
    expect(prices.map(({ cost }: { cost: number }) => cost)).toEqual([22_900, 22_700, 22_500]);
    expect((await topgate().admin('GET', `${SUPPLIER}/price?sku=S-HOK-80`)).body.data).toHaveLength(1);
  });

  test('ends what it no longer says: a cut-off, and a limit of once a day', async () => {
    const cutOff = { start: '23:45', end: '00:15' };
    const terms = async (fields: Partial<SupplierService>) => {
      supplier.onList = async () => [listed('S-MLBB-85', 22_900n, fields), listed('S-HOK-80', 13_000n)];
      await leap(MINUTE_MS, 15_000);
      await sync({ dry_run: false });
      const { cut_off, once_per_day } = await routeOf('MLBB-85');
      return { cut_off, once_per_day };
    };
    expect(await terms({ cutOff, oncePerDay: true })).toEqual({ cut_off: cutOff, once_per_day: true });
    expect(await terms({})).toEqual({ cut_off: cutOff, once_per_day: true });
    expect(await terms({ cutOff: null, oncePerDay: false })).toEqual({ cut_off: null, once_per_day: false });
  });

  test('with an odd item is applied without it, and says so', async () => {
    supplier.onList = async () => [
      listed('S-MLBB-85', 22_900n, { cutOff: { start: '23:45', end: '24:00' } }),
      listed('S-HOK-80', 13_000n),
      listed('S'.repeat(3_000), 1n),
      { sku: null, unread: 'price cannot be read' },
    ];
    const report = await sync({ dry_run: false });
    expect(report).toMatchObject({ outcome: 'applied', services: [{ sku: 'S-MLBB-85' }, { sku: 'S-HOK-80' }] });
    expect(report.unread).toEqual([
      { sku: 'S-MLBB-85', what: 'cut-off: 23:45-24:00' },
      { sku: 'S'.repeat(128), what: 'its name is empty or longer than 128 characters' },
      { sku: null, what: 'price cannot be read' },
    ]);
  });

  test('that is suddenly empty is not believed, unless an operator says so', async () => {
    supplier.onList = async () => [];
    expect(await sync({ dry_run: false })).toMatchObject({ outcome: 'refused', message: 'The list is empty.' });
    expect((await routeOf('MLBB-85')).available).toBe(true);
    await leap(MINUTE_MS, 15_000);
    expect(await sync({ dry_run: false, force: true })).toMatchObject({
      outcome: 'applied',
      unavailable: [
        { service_code: 'HOK-80', reason: 'gone' },
        { service_code: 'MLBB-85', reason: 'gone' },
      ],
    });
    expect(await live.order()).toMatchObject({ status: 422, body: { error: { code: 'service_unavailable' } } });
    // Setting the same route again does not make the item available.
    const again = [{ supplier: 'stocked', sku: 'S-MLBB-85', cost: 22_000 }];
    await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', again);
    expect((await routeOf('MLBB-85')).available).toBe(false);
    await leap(MINUTE_MS, 15_000);
    let asked: readonly string[] = [];
    supplier.onList = async (wanted) => {
      asked = wanted;
      return USUAL;
    };
    expect(await sync({ dry_run: false })).toMatchObject({ available_again: [{}, {}] });
    expect(asked).toContain('S-MLBB-85');
    expect((await live.order()).status).toBe(200);
  });

  test('of a supplier that does not answer changes nothing and says so', async () => {
    supplier.onList = askInVain;
    expect(await sync({ dry_run: false })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('did not answer: ECONNRESET') },
    });
    expect((await topgate().admin('GET', `${SUPPLIER}/sync`)).body.data.result).toMatchObject({ outcome: 'failed' });
    // What was read before is too old to be applied in its place.
    expect((await sync({ dry_run: false })).status).toBe(409);
  });

  test('of a kind without one is refused', async () => {
    for (const [method, body] of [
      ['POST', undefined],
      ['PUT', { rule: 'costs' }],
    ] as const)
      expect((await topgate().admin(method, '/admin/api/supplier/sandbox/sync', body)).status).toBe(409);
    expect((await topgate().admin('GET', '/admin/api/supplier/no-such/sync')).status).toBe(404);
  });
});

test('a comparison tells of everything that applying would change, and how much there is beyond what it lists', async () => {
  const cutOff = { start: '23:30', end: '00:30' };
  const many = Array.from({ length: 300 }, (_, index) => listed(`N-${index}`, 1_000n));
  supplier.onList = async () => [...USUAL.map((item) => ({ ...item, cutOff, oncePerDay: true })), ...many];
  const report = await sync();
  expect(report).toMatchObject({ outcome: 'compared', services_total: 302, new_items_total: 300 });
  expect(report.new_items).toHaveLength(200);
  const terms = { before: { cut_off: null, once_per_day: false }, after: { cut_off: cutOff, once_per_day: true } };
  expect(report.terms_changes).toMatchObject([{ service_code: 'HOK-80', sku: 'S-HOK-80', ...terms }, { ...terms }]);
  expect(await routeOf('HOK-80')).toMatchObject({ cut_off: null, once_per_day: false });
  await sync({ dry_run: false });
  expect(await routeOf('HOK-80')).toMatchObject({ cut_off: cutOff, once_per_day: true });
  for (const [service, cost] of [
    ['MLBB-85', 22_000],
    ['HOK-80', 13_000],
  ])
    await topgate().admin('PUT', `/admin/api/service/${service}/route`, [{ supplier: 'stocked', sku: `S-${service}`, cost }]);
});

test('items of a list are found by words, page by page, with what they deliver', async () => {
  await leap(MINUTE_MS, 15_000);
  supplier.onList = async () => [...USUAL, listed('X 1', 5n, { name: 'Crystals of X', available: false }), listed('X 2', 6n)];
  await sync();
  const find = async (query: string) => (await topgate().admin('GET', `${SUPPLIER}/item?${query}`)).body;
  expect((await find('search=x%20crystals')).data).toMatchObject([{ sku: 'X 1', available: false, services: [] }]);
  expect((await find('search=S-')).data).toMatchObject([
    { sku: 'S-HOK-80', cost: 13_000, services: ['HOK-80'], gone_at: null },
    { sku: 'S-MLBB-85', available: true, read_at: expect.any(String) },
    { sku: 'S-NEW', available: false, gone_at: expect.any(String) },
  ]);
  const first = await find('search=item&limit=2');
  const second = await find(`search=item&limit=2&cursor=${first.pagination.next_cursor}`);
  expect(first.data[1].sku < second.data[0].sku).toBe(true);
  expect((await find('search=%25')).data).toEqual([]);
  expect((await topgate().admin('GET', '/admin/api/supplier/nobody/item')).status).toBe(404);
});

describe('a cost that cannot be', () => {
  const held = [{ service_code: 'HOK-80', sku: 'S-HOK-80', cost_before: 13_000, cost: 0 }];
  const alerts = async () => (await topgate().admin('GET', SUPPLIER)).body.data.alerts;

  test('is not applied by the schedule, is shown until it is gone, and is applied when an operator says so', async () => {
    supplier.onList = async () => [listed('S-MLBB-85', 22_000n), listed('S-HOK-80', 0n)];
    const { price } = await serviceOf('HOK-80');
    expect(await sync({ dry_run: false, rule: 'catalogue' })).toMatchObject({ outcome: 'applied', held_back: held });
    expect(await routeOf('HOK-80')).toMatchObject({ cost: 13_000, available: true });
    expect((await serviceOf('HOK-80')).price).toBe(price);
    expect(await alerts()).toMatchObject([{ kind: 'costs_held_back', message: expect.stringContaining('S-HOK-80') }]);
    // From what was read for it, without asking again.
    expect(await sync({ dry_run: false, force: true })).toMatchObject({ held_back: [], cost_changes: held });
    expect((await routeOf('HOK-80')).cost).toBe(0);
    expect(await alerts()).toEqual([]);
    await leap(MINUTE_MS, 15_000);
    supplier.onList = async () => USUAL;
    await sync({ dry_run: false });
    expect((await routeOf('HOK-80')).cost).toBe(13_000);
  });

  test('of a whole list that is not believed stands among the alerts too', async () => {
    supplier.onList = async () => [];
    await sync({ dry_run: false });
    expect(await alerts()).toMatchObject([{ kind: 'price_list_refused', message: expect.stringContaining('The list is empty') }]);
    await leap(MINUTE_MS, 15_000);
    supplier.onList = async () => USUAL;
    await sync({ dry_run: false });
    expect(await alerts()).toEqual([]);
  });
});

describe('the rules', () => {
  test('for prices raise a price, never lower it, and tell resellers', async () => {
    const before = await serviceOf('HOK-80');
    supplier.onList = async () => [listed('S-MLBB-85', 22_000n), listed('S-HOK-80', 25_000n)];
    expect(await sync({ dry_run: false, rule: 'prices' })).toMatchObject({
      price_changes: [{ service_code: 'HOK-80', price_before: before.price, price: 25_000 }],
      below_floor: [],
    });
    expect(await serviceOf('HOK-80')).toMatchObject({ price: 25_000, cost: 25_000 });
    const events = (await live.get('/api/events?after=0&limit=200')).body.data;
    expect(events.at(-1)).toMatchObject({ type: 'service.updated', data: { service_code: 'HOK-80', price: 25_000 } });
    await leap(MINUTE_MS, 15_000);
    supplier.onList = async () => USUAL;
    expect(await sync({ dry_run: false, rule: 'prices' })).toMatchObject({ cost_changes: [{}], price_changes: [] });
    expect((await serviceOf('HOK-80')).price).toBe(25_000);
  });

  test('for the catalogue close what nobody can deliver, and open it again', async () => {
    supplier.onList = async () => [listed('S-MLBB-85', 22_000n), listed('S-HOK-80', 13_000n, { available: false })];
    expect(await sync({ dry_run: false, rule: 'catalogue' })).toMatchObject({ closed_services: ['HOK-80'] });
    expect((await serviceOf('HOK-80')).status).toBe('Unavailable');
    await leap(MINUTE_MS, 15_000);
    supplier.onList = async () => USUAL;
    expect(await sync({ dry_run: false, rule: 'catalogue' })).toMatchObject({ opened_services: ['HOK-80'] });
    expect((await serviceOf('HOK-80')).status).toBe('Available');
  });

  test.each([
    ['by hand', (status: string) => topgate().admin('PATCH', '/admin/api/service/HOK-80', { status })],
    [
      'by an import',
      async (status: string) => {
        const csv: string = (await topgate().admin('GET', '/admin/api/catalog/export')).body;
        const row = csv.split('\n').find((line) => line.includes(',HOK-80,')) ?? '';
        const [header] = csv.split('\n');
        const file = `${header}\n${row.replace(/[A-Za-z]+$/, status)}\n`;
        return topgate().admin('POST', '/admin/api/catalog/import', { csv: file });
      },
    ],
  ])('leave closed what an operator has closed %s since the list closed it', async (_how, set) => {
    supplier.onList = async () => [listed('S-MLBB-85', 22_000n), listed('S-HOK-80', 13_000n, { available: false })];
    expect(await sync({ dry_run: false, rule: 'catalogue' })).toMatchObject({ closed_services: ['HOK-80'] });
    expect((await set('Available')).status).toBe(200);
    expect((await set('Unavailable')).status).toBe(200);
    await leap(MINUTE_MS, 15_000);
    supplier.onList = async () => USUAL;
    expect(await sync({ dry_run: false, rule: 'catalogue' })).toMatchObject({ available_again: [{}], opened_services: [] });
    expect((await serviceOf('HOK-80')).status).toBe('Unavailable');
    await topgate().admin('PATCH', '/admin/api/service/HOK-80', { status: 'Available' });
  });

  test('of the schedule are set and shown, and only active suppliers are asked', async () => {
    expect((await topgate().admin('PUT', `${SUPPLIER}/sync`, { rule: 'prices' })).body.data.rule).toBe('prices');
    expect(await listScheduled(db())).toEqual([{ supplierCode: 'stocked', rule: 'prices' }]);
    expect(await sync()).toMatchObject({ outcome: 'compared', rule: 'prices' });
    await topgate().admin('POST', `${SUPPLIER}/pause`);
    expect(await listScheduled(db())).toEqual([]);
    await topgate().admin('POST', `${SUPPLIER}/resume`);
  });
});
