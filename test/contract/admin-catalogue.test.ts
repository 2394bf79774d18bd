import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SupplierKind } from '../../src/suppliers/index.ts';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ADMIN_TOKEN, type Answer, openTestService, type TestService } from '../support/service.ts';

const HEADER =
  'product_code,product_name,category,account_identifier,user_id_label,user_id_pattern,zone_label,zone_pattern,zone_options,nickname_lookup,service_code,service_name,cost,price';
const SECRET = 'very-secret-key';

/** A supplier with a secret, which remembers how it was set up. */
const setUps: Record<string, string>[] = [];
const SHELF: SupplierKind = {
  kind: 'shelf',
  label: 'Shelf',
  capabilities: {
    nickname: false,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    safeResend: false,
    trustworthyNotFound: false,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    { key: 'base_url', label: 'Base URL', secret: false, required: true },
    { key: 'api_key', label: 'Key', secret: true, required: true },
  ],
  limits: {
    concurrency: 1,
    perSecond: null,
    placeLimitMs: 1_000,
    checkLimitMs: 1_000,
    lookupLimitMs: 1_000,
    lookAgainAfterMs: [1_000],
    reviewAfterMs: 1_000,
    circuit: null,
    priceListEveryMs: 1_000,
    oneAtATimePerPlayer: false,
  },
  accountTemplate: null,
  create({ config }) {
    setUps.push(config);
    return {
      placeOrder: async () => ({ kind: 'delivered', serialNumber: 'SHELF-1' }),
      checkOrder: async () => ({ kind: 'delivered', serialNumber: 'SHELF-1' }),
      listServices: async () => [{ sku: 'S-1', name: 'One', cost: 900n, available: true }],
      balance: async () => 123_456n,
    };
  },
};

const clock = new FakeClock();
let opened: TestDatabase;
let topgate: TestService;
beforeAll(async () => {
  opened = await openInMemory();
  topgate = await openTestService(opened, { clock, supplierKinds: [SHELF] });
});
afterAll(async () => {
  await topgate.stop();
  await opened.drop();
});

const admin: TestService['admin'] = (...request) => topgate.admin(...request);
const outcomeOf = ({ status, body }: Answer): unknown[] => [status, body.error?.code];

describe('the catalogue', () => {
  const row = (code: string, price: number, product = 'NEW') =>
    `${product},New Game,Other,Name,Name,,,,,false,${code},Item ${code},500,${price}`;
  const catalogue = async () => [
    (await admin('GET', '/admin/api/product')).body.data,
    (await admin('GET', '/admin/api/service')).body.data,
  ];

  test('an import tells what it would do and does it only without dry_run', async () => {
    const csv = `${HEADER}\n${row('NEW-1', 600)}\n${row('NEW-2', 400)}`;
    const before = await catalogue();
    const plan = {
      new_products: ['NEW'],
      changed_products: [],
      new_services: ['NEW-1', 'NEW-2'],
      changed_services: [],
      below_cost: ['NEW-2'],
    };
    for (const dry of [
      await admin('POST', '/admin/api/catalog/import', { csv, dry_run: true }),
      await admin('POST', '/admin/api/catalog/import?dry_run=true', { csv }),
    ])
      expect(dry.body.data).toEqual({ dry_run: true, ...plan, unchanged_services: 0 });
    expect(await catalogue()).toEqual(before);

    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' };
    const done = await topgate.raw({ method: 'POST', url: '/admin/api/catalog/import', headers, payload: csv });
    expect(done.body.data).toEqual({ dry_run: false, ...plan, unchanged_services: 0 });
    const [products, services] = await catalogue();
    expect([products.length, services.length]).toEqual([before[0].length + 1, before[1].length + 2]);

    const again = await admin('POST', '/admin/api/catalog/import', {
      csv: `${HEADER}\n${row('NEW-1', 650)}\n${row('NEW-2', 400)}`,
    });
    const changed_services = [{ service_code: 'NEW-1', price_before: 600, price: 650 }];
    expect(again.body.data).toMatchObject({ new_products: [], new_services: [], changed_services, unchanged_services: 1 });
  });

  test('are exported as CSV to whoever asks for it, and to nobody who takes neither it nor JSON', async () => {
    const ask = (accept: string, url = '/admin/api/catalog/export') =>
      topgate.raw({ method: 'GET', url, headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept } });
    for (const accept of ['text/csv', 'text/*', 'application/json', '*/*']) {
      const { status, headers } = await ask(accept);
      expect([status, headers['content-type']], accept).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    }
    expect((await ask('image/png')).status).toBe(406);
    expect((await ask('text/csv', '/admin/api/product')).status).toBe(406);
  });

  test('a file with a single bad line is refused whole, and the line is named', async () => {
    const before = await catalogue();
    const csv = `${HEADER}\n${row('NEW-3', 600)}\n${row('WRONG-1', 600)}`;
    const answer = await admin('POST', '/admin/api/catalog/import', { csv });
    expect(outcomeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.issues).toEqual([{ path: 'line 3', message: expect.stringMatching(/\S/) }]);
    for (const bad of ['', 'nonsense', HEADER, `${HEADER}\n"open`])
      expect((await admin('POST', '/admin/api/catalog/import', { csv: bad })).status).toBe(400);
    expect(await catalogue()).toEqual(before);
  });

  test('products and services are added once and changed', async () => {
    const fields = [{ key: 'user_id', label: 'Name', type: 'text', required: true }];
    const product = { product_code: 'OWN', product_name: 'Own', account_identifier: 'Name', category: 'Other', fields };
    expect((await admin('POST', '/admin/api/product', product)).body.data).toMatchObject({ ...product, status: 'Available' });
    expect(outcomeOf(await admin('POST', '/admin/api/product', product))).toEqual([409, 'conflict']);
    expect((await admin('PATCH', '/admin/api/product/OWN', { status: 'Maintenance' })).body.data.status).toBe('Maintenance');
    expect(outcomeOf(await admin('PATCH', '/admin/api/product/NONE', { status: 'Maintenance' }))).toEqual([404, 'not_found']);
    const service = { service_code: 'OWN-1', product_code: 'OWN', service_name: 'One', cost: 10, price: 20 };
    expect((await admin('POST', '/admin/api/service', service)).body.data).toMatchObject(service);
    expect(outcomeOf(await admin('POST', '/admin/api/service', service))).toEqual([409, 'conflict']);
    expect(outcomeOf(await admin('POST', '/admin/api/service', { ...service, service_code: 'X-1' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect((await admin('PATCH', '/admin/api/service/OWN-1', { price: 30 })).body.data).toMatchObject({ ...service, price: 30 });
    expect(outcomeOf(await admin('PATCH', '/admin/api/service/OWN-1', { price: -1 }))).toEqual([400, 'invalid_request']);
  });

  test('tiers are added once, changed, and may name prices', async () => {
    const tier = { code: 'gold', name: 'Gold', pricing: 'percent', markup: 2.25, round_to: 100, floor_margin: 50 };
    expect((await admin('POST', '/admin/api/tier', tier)).body.data).toEqual({ ...tier, prices: {} });
    expect(outcomeOf(await admin('POST', '/admin/api/tier', tier))).toEqual([409, 'conflict']);
    const priced = await admin('PATCH', '/admin/api/tier/gold', { markup: 3, prices: { 'MLBB-5': 1_450 } });
    expect(priced.body.data).toEqual({ ...tier, markup: 3, prices: { 'MLBB-5': 1_450 } });
    expect((await admin('PATCH', '/admin/api/tier/gold', { prices: { 'MLBB-5': null } })).body.data.prices).toEqual({});
    expect(outcomeOf(await admin('PATCH', '/admin/api/tier/gold', { prices: { 'NONE-1': 5 } }))).toEqual([
      404,
      'service_not_found',
    ]);
    const { data } = (await admin('GET', '/admin/api/tier')).body;
    expect(data.map(({ code }: { code: string }) => code).sort()).toEqual(['gold', 'standard']);
  });
});

describe('suppliers', () => {
  const MASK = expect.stringMatching(/^[•*]+$/);

  test('every kind says what it can do and which settings it has, base_url among them', async () => {
    const { data } = (await admin('GET', '/admin/api/supplier-kind')).body;
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['sandbox', 'shelf']));
    for (const kind of data) {
      expect(Object.keys(kind)).toEqual(['kind', 'label', 'capabilities', 'fields']);
      expect(kind.fields).toContainEqual({
        key: 'base_url',
        label: expect.any(String),
        secret: false,
        required: expect.any(Boolean),
        identity: expect.any(Boolean),
        help: kind.fields[0].help,
        default: kind.fields[0].default,
      });
    }
  });

  test('a supplier is added, changed, asked, paused and resumed, and never shows its secret', async () => {
    const config = { base_url: 'https://shelf.example', api_key: SECRET };
    const answers = [await admin('POST', '/admin/api/supplier', { code: 'shelf-1', kind: 'shelf', config })];
    expect(answers[0]?.body.data).toMatchObject({ code: 'shelf-1', kind: 'shelf', status: 'Active', balance: null });
    expect(answers[0]?.body.data).toMatchObject({
      callback_url: expect.stringMatching(/^http.*\/callback\/shelf-1\/.{16,}$/),
      config: { ...config, api_key: MASK },
    });
    expect(outcomeOf(await admin('POST', '/admin/api/supplier', { code: 'shelf-1', kind: 'shelf', config }))).toEqual([
      409,
      'conflict',
    ]);
    expect(setUps.at(-1)).toEqual(config);

    answers.push(await admin('PATCH', '/admin/api/supplier/shelf-1', { config: { base_url: 'https://other.example' } }));
    expect(answers[1]?.body.data.config).toEqual({ base_url: 'https://other.example', api_key: MASK });
    for (const [verb, status] of [
      ['pause', 'Paused'],
      ['resume', 'Active'],
    ]) {
      answers.push(await admin('POST', `/admin/api/supplier/shelf-1/${verb}`));
      expect(answers.at(-1)?.body.data.status).toBe(status);
      expect((await admin('GET', '/admin/api/supplier/shelf-1')).body.data.status).toBe(status);
    }
    const asked = await admin('POST', '/admin/api/supplier/shelf-1/test');
    expect(asked.body.data).toMatchObject({ ok: true, balance: 123_456 });
    const synced = await admin('POST', '/admin/api/supplier/shelf-1/sync');
    expect(synced.body.data.services).toEqual([{ sku: 'S-1', name: 'One', cost: 900, available: true }]);
    const listed = await admin('GET', '/admin/api/supplier');
    expect(listed.body.data.map(({ code }: { code: string }) => code)).toEqual(expect.arrayContaining(['sandbox', 'shelf-1']));
    expect(JSON.stringify([...answers, asked, synced, listed].map(({ body }) => body))).not.toContain(SECRET);
  });

  test('a changed secret is used, and one that was not sent stays', async () => {
    const at = (part: object) => ({
      code: 'shelf-2',
      kind: 'shelf',
      config: { base_url: 'https://a.example', api_key: 'first', ...part },
    });
    await admin('POST', '/admin/api/supplier', at({}));
    for (const config of [{ base_url: 'https://b.example' }, { api_key: 'second' }]) {
      await clock.advance(1);
      await admin('PATCH', '/admin/api/supplier/shelf-2', { config });
    }
    expect(setUps.slice(-3).map(({ base_url, api_key }) => [base_url, api_key])).toEqual([
      ['https://a.example', 'first'],
      ['https://b.example', 'first'],
      ['https://b.example', 'second'],
    ]);
  });

  test('a supplier of an unknown kind, or with settings that do not fit, is refused', async () => {
    const config = { base_url: 'https://a.example', api_key: 'x' };
    for (const body of [
      { code: 'no', kind: 'none', config },
      { code: 'no', kind: 'shelf', config: { base_url: 'https://a.example' } },
      { code: 'no', kind: 'shelf', config: { ...config, other: 'x' } },
      { code: 'NO', kind: 'shelf', config },
    ])
      expect(outcomeOf(await admin('POST', '/admin/api/supplier', body))).toEqual([400, 'invalid_request']);
    expect(outcomeOf(await admin('PATCH', '/admin/api/supplier/none', { config: {} }))).toEqual([404, 'not_found']);
    expect(outcomeOf(await admin('POST', '/admin/api/supplier/none/pause'))).toEqual([404, 'not_found']);
  });

  test('the routes of a service are the whole list, in order of preference', async () => {
    const url = '/admin/api/service/MLBB-85/route';
    expect((await admin('GET', url)).body.data).toEqual([]);
    const routes = [
      {
        supplier: 'sandbox-2',
        sku: 'B',
        cost: 22_000,
        account_template: '{user_id}|{zone}',
        once_per_day: true,
        cut_off: { start: '23:30', end: '00:30' },
      },
      { supplier: 'sandbox', sku: 'A', cost: 21_000, account_template: null },
    ];
    const shown = [
      { ...routes[0], available: true, warning: null },
      { ...routes[1], once_per_day: false, cut_off: null, available: true, warning: null },
    ];
    expect((await admin('PUT', url, routes)).body.data).toEqual(shown);
    expect((await admin('GET', url)).body.data).toEqual(shown);
    expect(outcomeOf(await admin('PUT', url, [{ supplier: 'none', sku: 'A', cost: 1 }]))).toEqual([400, 'invalid_request']);
    expect(outcomeOf(await admin('PUT', url, [routes[0], routes[0]]))).toEqual([400, 'invalid_request']);
    const unfit = await admin('PUT', url, [{ ...routes[0], account_template: '{zone}' }]);
    expect([outcomeOf(unfit), unfit.body.error.issues]).toEqual([
      [400, 'invalid_request'],
      [{ path: '0.account_template', message: 'The template must contain {user_id}.' }],
    ]);
    expect(outcomeOf(await admin('PUT', '/admin/api/service/NONE-1/route', routes))).toEqual([404, 'service_not_found']);
    expect((await admin('GET', url)).body.data).toEqual(shown);
    expect((await admin('PUT', url, [routes[1]])).body.data).toEqual([shown[1]]);
    expect((await admin('PUT', url, [])).body.data).toEqual([]);
    expect((await admin('GET', url)).body.data).toEqual([]);
  });

  test('the routes of a service that is not there are service_not_found, whether read or written', async () => {
    const url = '/admin/api/service/NONE-1/route';
    expect(outcomeOf(await admin('PUT', url, []))).toEqual([404, 'service_not_found']);
    expect(outcomeOf(await admin('GET', url))).toEqual([404, 'service_not_found']);
  });
});
