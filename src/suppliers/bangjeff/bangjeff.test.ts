import { describe, expect, test } from 'vitest';
import { bangjeffDialect } from '../../../test/simulators/bangjeff.ts';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { md5 } from '../proof.ts';
import type { Purchase } from '../supplier.ts';
import type { WireRequest } from '../wire.ts';
import { bangjeffKind } from './bangjeff.ts';
import { MESSAGES, meaningOfAskedRefusal, meaningOfRefusal, meaningOfState, ORDER_STATES, RESPONSE_CODES } from './map.ts';
import { sign } from './wire.ts';

const API_KEY = '00000000-1111-2222-3333-444444444444';
const TIME = '2026-01-01T10:00:00+07:00';
const CHECKOUT =
  '{"region":"ID","variantCode":"MLBB_ID_5","referenceNumber":"ORD-1001","qty":1,"price":{"currency":"IDR","value":1423},"inputs":[{"name":"ID","value":"12345678"},{"name":"Server","value":"1234"}]}';

test.each([
  [
    'api/v4/balance',
    '{"region":"ID"}',
    'ca06c494d590574127263feeed50bae5',
    '11713d6d0bf375cdda4fdc79aa707fb2e6d8f2c85631d84856789c1ee7255c88',
  ],
  [
    'api/v4/checkout',
    CHECKOUT,
    'dbb22052483ae0f5946ebaa7235c4cc4',
    '3d73593c39b72e253409e230dd418273adae4ebc78f8f5153876db1b46bb3543',
  ],
])('the signature for %s is that of the worked example', (path, body, hash, expected) => {
  expect(md5(body)).toBe(hash);
  expect(sign(API_KEY, { path, body, time: TIME })).toBe(expected);
});

describe('the meaning of an answer', () => {
  test('all 17 documented codes, all words and all states have one', () => {
    expect(Object.keys(RESPONSE_CODES)).toHaveLength(17);
    expect(Object.keys(MESSAGES)).toHaveLength(9);
    expect(Object.keys(ORDER_STATES)).toEqual(['PROCESSING', 'SUCCESS', 'REFUNDED']);
  });

  test('the words count before the code, and a duplicate is an order that is there', () => {
    const refused = (rc: string, message: string) => meaningOfRefusal({ rc, message, repeated: false });
    const duplicate = 'This reference number already exists with Invoice Number BJO-1';
    expect(refused('02', duplicate)).toMatchObject({ is: 'pending' });
    expect(refused('', duplicate)).toMatchObject({ is: 'pending' });
    expect(refused('02', 'Insufficient funds')).toMatchObject({ is: 'low_balance' });
    expect(refused('02', 'The price does not match')).toMatchObject({ is: 'elsewhere' });
    expect(refused('02', 'Bad Request')).toMatchObject({ is: 'misconfigured' });
  });

  test('a bad request means nothing once the purchase was sent before: it could be about the first one', () => {
    expect(meaningOfRefusal({ rc: '02', message: 'Reference sudah dipakai', repeated: true })).toEqual({ is: 'unknown' });
  });

  test.each([
    'Reference sudah dipakai',
    'Duplicate order',
    'Order already created',
    'Invoice is being processed',
    'The reference number must be unique; price ignored',
  ])('a bad request that may be about an order that is there means nothing, also the first time: %s', (message) => {
    expect(meaningOfRefusal({ rc: '02', message, repeated: false })).toEqual({ is: 'unknown' });
  });

  test('only "not found" answers a question; every other code leaves the purchase as it was', () => {
    for (const rc of Object.keys(RESPONSE_CODES))
      expect(meaningOfAskedRefusal(rc)).toEqual({ is: rc === '04' ? 'not_found' : 'unknown' });
  });

  test('a code or a state that nobody documented is unknown', () => {
    expect(meaningOfRefusal({ rc: '4711', message: '', repeated: false })).toEqual({ is: 'unknown' });
    expect(meaningOfRefusal({ rc: 'toString', message: '', repeated: false })).toEqual({ is: 'unknown' });
    expect(meaningOfState('FAILED')).toEqual({ is: 'unknown' });
  });
});

const purchase: Purchase = {
  reference: 'ORD-1001',
  supplierReference: null,
  sku: 'MLBB_ID_5',
  userId: '12345678',
  zone: '1234',
  accountText: 'ID=12345678&Server=1234',
  cost: 1_423n,
  sends: 1,
  createdAt: new FakeClock().now(),
};

function open() {
  const clock = new FakeClock();
  const simulator = new Simulator(bangjeffDialect, { clock, fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
  const config = { base_url: 'https://bangjeff.example', region: 'ID', currency: 'IDR', ...bangjeffDialect.config };
  const adapter = bangjeffKind.create({ code: 'jeff', config, clock });
  const { signal } = new AbortController();
  const call = { signal, send: (request: WireRequest) => simulator.wire().send(request, signal) };
  const answer = (data: unknown) => {
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify({ rc: '00', message: 'Success', data }) });
  };
  return { simulator, adapter, call, answer };
}

describe('an order', () => {
  test('is sent as the documents have it, to the byte', async () => {
    const { simulator, adapter, call } = open();
    await adapter.placeOrder(purchase, call);
    expect(simulator.requests[0]?.body).toBe(CHECKOUT);
    expect(simulator.requests[0]?.headers['x-request-time']).toBe('2026-03-01T09:40:15+07:00');
  });

  test('that is known already is under way, by the name that the refusal tells; the next look finds it', async () => {
    const { simulator, adapter, call } = open();
    await adapter.placeOrder(purchase, call);
    const [order] = simulator.shop.orders;
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toEqual({
      kind: 'pending',
      lookAgainInMs: 1_000,
      supplierReference: order?.id,
    });
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'delivered', charged: 1_423n });
    expect(simulator.shop.orders).toHaveLength(1);
  });

  test.each([1_422n, 1_424n])('at %s instead of the price there is refused, and may be had elsewhere', async (cost) => {
    const { simulator, adapter, call } = open();
    expect(await adapter.placeOrder({ ...purchase, cost }, call)).toMatchObject({ kind: 'rejected', retryElsewhere: true });
    expect(simulator.shop.orders).toEqual([]);
  });

  test('refused as a bad request is so for certain only the first time', async () => {
    const { adapter, call } = open();
    const refusing = { ...call, send: async () => ({ status: 400, text: '{"rc":"02","message":"Bad Request"}' }) };
    expect(await adapter.placeOrder(purchase, refusing)).toMatchObject({ kind: 'misconfigured' });
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, refusing)).toMatchObject({ kind: 'unknown' });
  });

  test('refused with a fault of the server may be there all the same', async () => {
    const { adapter, call } = open();
    const broken = { ...call, send: async () => ({ status: 503, text: '{"rc":"43","message":"Out of stock"}' }) };
    await expect(adapter.placeOrder(purchase, broken)).rejects.toThrow('HTTP 503');
  });

  test('is delivered whatever stands beside its state', async () => {
    const { adapter, call, answer } = open();
    const order = { invoiceNumber: 'BJO-1', referenceNumber: 'ORD-1001', statusCode: 'SUCCESS', statusDesc: { id: 'Berhasil' } };
    for (const totalAmount of ['1,423', { currency: 'IDR', value: '1,423.00' }, { value: 1_423 }, []]) {
      answer({ ...order, totalAmount });
      const outcome = await adapter.checkOrder(purchase, call);
      expect(outcome).toEqual({ kind: 'delivered', serialNumber: null, supplierReference: 'BJO-1' });
    }
  });

  test('of a voucher has its code for a serial number, and an amount in another currency is not compared', async () => {
    const { adapter, call, answer } = open();
    const order = { invoiceNumber: 'BJO-1', referenceNumber: 'ORD-1001', statusCode: 'SUCCESS', voucher: 'AAAA-BBBB' };
    answer({ ...order, totalAmount: { currency: 'USD', value: 1 } });
    const outcome = await adapter.checkOrder(purchase, call);
    expect(outcome).toMatchObject({ kind: 'delivered', serialNumber: 'AAAA-BBBB' });
    expect(outcome).not.toHaveProperty('charged');
    answer({ ...order, referenceNumber: 'ORD-1002' });
    await expect(adapter.checkOrder(purchase, call)).rejects.toThrow();
  });
});

test.each([
  [12_500, 12_500n],
  ['12500.75', 12_500n],
  [{ currency: 'IDR', value: 12_500 }, 12_500n],
  [{ balance: { currency: 'IDR', value: '12500' } }, 12_500n],
  [{ balance: 12_500 }, 12_500n],
  [{ currency: 'USD', value: 3 }, null],
])('a balance told as %j is %s', async (data, expected) => {
  const { adapter, call, answer } = open();
  answer(data);
  expect(await adapter.balance?.(call)).toBe(expected);
});

test('the test of our address is taken in whatever form it comes', () => {
  const { adapter } = open();
  const read = (body: string) =>
    adapter.readCallback?.({ method: 'POST', headers: {}, query: {}, rawBody: Buffer.from(body) })?.kind;
  const fixed = '{"invoiceNumber":"BJO-RAPI-EC488CBEEAF0F413880659","referenceNumber":"TESTINGREF-1452","statusCode":"SUCCESS"}';
  expect(['', '{}', '{"test":true}', fixed].map(read)).toEqual(['ping', 'ping', 'ping', 'ping']);
  expect(['[]', 'null', '<html>'].map(read)).toEqual(['unreadable', 'unreadable', 'unreadable']);
});
