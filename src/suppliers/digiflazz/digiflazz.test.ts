import { describe, expect, test } from 'vitest';
import { digiflazzDialect } from '../../../test/simulators/digiflazz.ts';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { FakeClock, TEST_START } from '../../../test/support/fake-clock.ts';
import { answering, callTo, examplePurchase } from '../../../test/support/supplier-call.ts';
import { after, DAY_MS } from '../../lib/clock.ts';
import type { Purchase } from '../supplier.ts';
import { digiflazzKind } from './digiflazz.ts';
import { meaningOf, RESPONSE_CODES } from './map.ts';
import { sign } from './wire.ts';

const ACCOUNT = {
  baseUrl: 'https://digiflazz.example/v1',
  username: 'resellerdemo',
  apiKey: 'dev-00000000-aaaa-bbbb-cccc-111111111111',
};

test.each([
  ['depo', 'f0f5c2c498d48b633dbdc8c9db7e2114'],
  ['pricelist', '43fa3fa69b16cc8795de1e9b9c5e9ad6'],
  ['ORD-1001', 'acbc47f7d9483b5ddd53420f5e4a1f23'],
])('the signature for %s is that of the worked example', (what, expected) => {
  expect(sign(ACCOUNT, what)).toBe(expected);
});

test('a callback signed with the secret is taken for theirs, and one byte more is not', () => {
  const adapter = digiflazzKind.create({
    code: 'digi',
    config: { base_url: ACCOUNT.baseUrl, username: ACCOUNT.username, api_key: ACCOUNT.apiKey, webhook_secret: 'whsec-demo' },
    clock: new FakeClock(),
  });
  const body =
    '{"data":{"ref_id":"ORD-1001","customer_no":"123456781234","buyer_sku_code":"ML86","message":"Transaksi Sukses","status":"Sukses","rc":"00","sn":"NICK/123","buyer_last_saldo":990000,"price":19000,"tele":"@s","wa":"0812"}}';
  const headers = { 'x-hub-signature': 'sha1=3dd1395f4f559c807a1273dd00f0baad31a756e2' };
  const read = (text: string) => adapter.readCallback?.({ method: 'POST', headers, query: {}, rawBody: Buffer.from(text) });
  expect(read(body)).toEqual({ kind: 'hint', reference: 'ORD-1001', supplierReference: null, status: 'Sukses' });
  expect(read(`${body} `)).toMatchObject({ kind: 'forged' });
});

describe('the meaning of an answer', () => {
  test('all 47 documented codes have one', () => {
    expect(Object.keys(RESPONSE_CODES)).toHaveLength(47);
  });

  test('the state counts before the code', () => {
    expect(meaningOf({ status: 'Sukses', rc: '99', asked: false })).toEqual({ is: 'delivered' });
    expect(meaningOf({ status: 'Pending', rc: '02', asked: false })).toEqual({ is: 'pending' });
    expect(meaningOf({ status: 'Gagal', rc: '00', asked: false })).toEqual({ is: 'unknown' });
    expect(meaningOf({ status: 'Gagal', rc: '03', asked: false })).toEqual({ is: 'unknown' });
  });

  test.each(Object.entries(RESPONSE_CODES).filter(([, { created }]) => !created))(
    'code %s answers a question about an earlier purchase with nothing: only the repetition was refused',
    (rc, { is }) => {
      const meaning = meaningOf({ status: 'Gagal', rc, asked: true });
      expect(meaning.is).toBe(is === 'unclear' ? 'unclear' : 'unknown');
    },
  );

  test('a code or a state that nobody documented is unknown', () => {
    expect(meaningOf({ status: 'Gagal', rc: '4711', asked: false })).toEqual({ is: 'unknown' });
    expect(meaningOf({ status: 'Batal', rc: '02', asked: false })).toEqual({ is: 'unknown' });
    expect(meaningOf({ status: 'Gagal', rc: 'toString', asked: false })).toEqual({ is: 'unknown' });
  });
});

test('a purchase of 89 days is not asked about, as Digiflazz would buy it again: nothing is sent at all', async () => {
  const clock = new FakeClock();
  const adapter = digiflazzKind.create({
    code: 'digi',
    config: { base_url: ACCOUNT.baseUrl, username: ACCOUNT.username, api_key: ACCOUNT.apiKey },
    clock,
  });
  const call = { signal: new AbortController().signal, send: () => Promise.reject(new Error('something was sent')) };
  const purchase: Purchase = {
    reference: 'TG-1',
    supplierReference: null,
    sku: 'ML86',
    userId: '12345678',
    zone: '1234',
    accountText: '123456781234',
    cost: 19_500n,
    sends: 1,
    createdAt: after(TEST_START, -90 * DAY_MS),
  };
  expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'unclear' });
  expect(await adapter.placeOrder(purchase, call)).toMatchObject({ kind: 'unclear' });
});

test('nothing that stands beside the state of a delivery costs the answer', async () => {
  const adapter = digiflazzKind.create({
    code: 'digi',
    config: { base_url: ACCOUNT.baseUrl, username: ACCOUNT.username, api_key: ACCOUNT.apiKey },
    clock: new FakeClock(),
  });
  const bare = { status: 'Sukses', rc: null, message: null, sn: null, price: '', ref_id: null };
  const odd = { status: 'Sukses', rc: ['00'], message: {}, sn: {}, price: 'Rp 19.500', ref_id: 'TG-1' };
  for (const data of [bare, odd, { status: 'Sukses' }])
    expect(await adapter.checkOrder(examplePurchase(), answering({ data }))).toEqual({ kind: 'delivered', serialNumber: null });
  const refused = { status: 'Gagal', message: null, price: null };
  expect(await adapter.placeOrder(examplePurchase(), answering({ data: { ...refused, rc: '02' } }))).toMatchObject({
    kind: 'rejected',
    detail: '02',
  });
  expect(await adapter.balance?.(answering({ data: { deposit: '980500.30000000005' } }))).toBe(980_500n);
});

describe('before its simulator', () => {
  const open = () => {
    const clock = new FakeClock();
    const simulator = new Simulator(digiflazzDialect, { clock, fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
    const adapter = digiflazzKind.create({
      code: 'digi',
      config: { base_url: 'https://digiflazz.example', ...digiflazzDialect.config },
      clock,
    });
    return { clock, simulator, adapter, call: callTo(simulator) };
  };

  test('a purchase that would be bought again by asking is not asked about, and one that is younger is found', async () => {
    const { clock, simulator, adapter, call } = open();
    const purchase = examplePurchase({ sku: 'ML86', accountText: '123456782001' });
    await adapter.placeOrder(purchase, call);
    await clock.jump(89 * DAY_MS);
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'delivered' });
    await clock.jump(2 * DAY_MS);
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'unclear' });
    expect(simulator.shop.orders).toHaveLength(1);
    // What it would have done.
    await adapter.placeOrder({ ...purchase, createdAt: clock.now() }, call);
    expect(simulator.shop.deliveredFor(purchase.reference)).toBe(2);
  });

  test('the price list is not told twice in five minutes, which is no empty list', async () => {
    const { clock, adapter, call } = open();
    expect(await adapter.listServices?.(call, [])).toHaveLength(2);
    await expect(adapter.listServices?.(call, [])).rejects.toThrow('83');
    await clock.jump(digiflazzKind.limits.priceListEveryMs);
    expect(await adapter.listServices?.(call, [])).toHaveLength(2);
  });
});

describe('the price list', () => {
  const adapter = digiflazzKind.create({
    code: 'digi',
    config: { base_url: ACCOUNT.baseUrl, username: ACCOUNT.username, api_key: ACCOUNT.apiKey },
    clock: new FakeClock(),
  });
  const ITEM = {
    buyer_sku_code: 'ML86',
    product_name: '86 Diamond',
    price: 19_500,
    buyer_product_status: true,
    seller_product_status: true,
    unlimited_stock: true,
    stock: 0,
    multi: true,
    start_cut_off: '0:0',
    end_cut_off: '00:00',
  };
  const list = (changes: Record<string, unknown>) => adapter.listServices?.(answering({ data: [{ ...ITEM, ...changes }] }), []);

  test('says that there is no cut-off and no limit a day, as it says what they are', async () => {
    const service = { sku: 'ML86', name: '86 Diamond', cost: 19_500n, available: true };
    expect(await list({})).toEqual([{ ...service, cutOff: null, oncePerDay: false }]);
    expect(await list({ start_cut_off: '23:0', end_cut_off: '0:15', multi: false })).toEqual([
      { ...service, cutOff: { start: '23:00', end: '00:15' }, oncePerDay: true },
    ]);
    expect(await list({ start_cut_off: undefined, multi: null })).toEqual([service]);
  });

  test.each([
    ['start_cut_off', '24:00', 'cutOff'],
    ['end_cut_off', '12:60', 'cutOff'],
    ['multi', 'maybe', 'oncePerDay'],
    ['stock', 'plenty', 'nothing of it'],
  ])('takes an odd %s (%s) for not told, and says so', async (field, value, told) => {
    const [service, odd, ...rest] = (await list({ [field]: value })) ?? [];
    expect(service).toMatchObject({ sku: 'ML86', cost: 19_500n, available: true });
    expect(service).not.toHaveProperty(told);
    expect(odd).toEqual({ sku: 'ML86', unread: `${field}: "${value}"` });
    expect(rest).toEqual([]);
  });

  test('has nothing of what is out of stock', async () => {
    expect(await list({ unlimited_stock: false, stock: '0' })).toMatchObject([{ available: false }]);
    expect(await list({ unlimited_stock: false, stock: '3' })).toMatchObject([{ available: true }]);
  });
});
