import { describe, expect, test } from 'vitest';
import { iakDialect } from '../../../test/simulators/iak.ts';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { answering, callTo, examplePurchase } from '../../../test/support/supplier-call.ts';
import { iakKind } from './iak.ts';
import { meaningOf, RESPONSE_CODES, toCustomerId } from './map.ts';
import { sign } from './wire.ts';

const ACCOUNT = { baseUrl: 'https://iak.example', username: '081200000001', apiKey: 'abcdef0123456789' };
const PURCHASE = examplePurchase({ sku: 'hmobilelegend86', cost: 19_000n });

const adapter = iakKind.create({
  code: 'iak',
  config: { base_url: ACCOUNT.baseUrl, username: ACCOUNT.username, api_key: ACCOUNT.apiKey },
  clock: new FakeClock(),
});

test.each([
  ['bl', '365e9317e830a1daf51ce9b9dbaba4f6'],
  ['pl', 'a0df8339b557bf5a41d895e598121788'],
  ['103', '2e47167ebb210e14bb68268acadcb1f3'],
  ['ORD-1001', 'aa2a0c96a0758a36d2b6860f514f613d'],
])('the signature for %s is that of the worked example', (what, expected) => {
  expect(sign(ACCOUNT, what)).toBe(expected);
});

describe('the meaning of an answer', () => {
  test('all 29 documented codes have one', () => {
    expect(Object.keys(RESPONSE_CODES)).toHaveLength(29);
  });

  test('only state and code together deliver or wait', () => {
    expect(meaningOf({ status: '1', rc: '00', asked: true }).is).toBe('delivered');
    for (const rc of ['39', '201']) expect(meaningOf({ status: '0', rc, asked: true }).is).toBe('pending');
    for (const [status, rc] of [
      ['2', '00'],
      ['0', '00'],
      [null, '00'],
      ['1', '39'],
      ['2', '201'],
      ['1', '07'],
      ['0', '14'],
      ['3', '07'],
      ['1', '06'],
    ] as const)
      for (const asked of [false, true]) expect(meaningOf({ status, rc, asked })).toEqual({ is: 'unknown' });
  });

  test('a failure without a state answers an order, and no question', () => {
    expect(meaningOf({ status: null, rc: '14', asked: false })).toMatchObject({ is: 'rejected' });
    expect(meaningOf({ status: null, rc: '14', asked: true })).toEqual({ is: 'unknown' });
    expect(meaningOf({ status: '2', rc: '14', asked: true })).toMatchObject({ is: 'rejected' });
  });

  test.each(Object.entries(RESPONSE_CODES).filter(([, { request }]) => request))(
    'code %s answers a question about an earlier purchase with nothing that moves money',
    (rc) => {
      expect(['unknown', 'misconfigured']).toContain(meaningOf({ status: '2', rc, asked: true }).is);
    },
  );

  test('a code that nobody documented is unknown', () => {
    for (const rc of ['999', '7', 'toString', ''])
      expect(meaningOf({ status: '2', rc, asked: false })).toEqual({ is: 'unknown' });
  });
});

test('numbers that come as text mean the same', async () => {
  const data = {
    ref_id: 'TG-1',
    status: '1',
    price: '16500',
    sn: '123456',
    pin: '9876',
    balance: '983500',
    tr_id: '9',
    rc: '00',
  };
  expect(await adapter.checkOrder(PURCHASE, answering({ data }))).toEqual({
    kind: 'delivered',
    serialNumber: '123456 / 9876',
    supplierReference: '9',
    charged: 16_500n,
  });
});

test('a failed purchase was not paid', async () => {
  const data = { ref_id: 'TG-1', status: 2, price: 16_500, message: 'FAILED', tr_id: 9, rc: '07' };
  const outcome = await adapter.checkOrder(PURCHASE, answering({ data }));
  expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true });
  expect(outcome).not.toHaveProperty('charged');
});

test('an order that never arrived is told by code 06, and sent again it is made once, however often', async () => {
  const simulator = new Simulator(iakDialect, { clock: new FakeClock(), fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
  const call = callTo(simulator);
  simulator.faultOf = () => ({ is: 'lost_request' });
  await expect(adapter.placeOrder(PURCHASE, call)).rejects.toThrow();
  simulator.faultOf = () => ({ is: 'none' });
  expect(await adapter.checkOrder(PURCHASE, call)).toEqual({ kind: 'not_found' });
  expect(await adapter.placeOrder({ ...PURCHASE, sends: 2 }, call)).toMatchObject({ kind: 'pending' });
  expect(await adapter.placeOrder({ ...PURCHASE, sends: 3 }, call)).toMatchObject({ kind: 'delivered' });
  expect(simulator.shop.orders).toHaveLength(1);
});

test('code 06 in answer to an order means nothing', async () => {
  const outcome = await adapter.placeOrder(
    PURCHASE,
    answering({ data: { rc: '06', status: 2, message: 'TRANSACTION NOT FOUND' } }),
  );
  expect(outcome).toMatchObject({ kind: 'unknown' });
});

test.each([
  [{ userId: '12345678', zone: '2001' }, '12345678|2001'],
  [{ userId: '900000001', zone: '' }, '900000001'],
  [{ userId: 'Késar#ID1', zone: '' }, 'Késar|ID1'],
  [{ userId: '#2PP', zone: '' }, '#2PP'],
])('%j is written as %s', (player, expected) => {
  expect(toCustomerId(player)).toBe(expected);
});

test('the price list is read bare and nested, and a refusal is no empty list', async () => {
  const item = { product_code: 'x', product_nominal: '86 Diamonds', product_price: '19000', status: 'active' };
  const expected = [{ sku: 'x', name: '86 Diamonds', cost: 19_000n, available: true }];
  expect(await adapter.listServices?.(answering({ data: [item] }), [])).toEqual(expected);
  expect(await adapter.listServices?.(answering({ data: { pricelist: [item] } }), [])).toEqual(expected);
  await expect(adapter.listServices?.(answering({ data: { rc: '204', message: 'WRONG AUTHENTICATION' } }), [])).rejects.toThrow(
    '204',
  );
});

test('a voucher without a player to look up is unavailable, not unknown', async () => {
  const call = answering({ data: { rc: '143', message: 'INQUIRY NOT NEEDED', status: 2 } });
  expect(await adapter.lookupNickname?.({ productCode: 'MLBB', userId: '1', zone: '2' }, call)).toMatchObject({
    kind: 'unavailable',
  });
});

test('the sign of a callback covers the reference alone: a changed state is still only a hint', () => {
  const read = (data: Record<string, string>) =>
    adapter.readCallback?.({ method: 'POST', headers: {}, query: {}, rawBody: Buffer.from(JSON.stringify({ data })) });
  const sent = { ref_id: 'ORD-1001', status: '2', tr_id: '9', rc: '07', sign: 'aa2a0c96a0758a36d2b6860f514f613d' };
  expect(read(sent)).toEqual({ kind: 'hint', reference: 'ORD-1001', supplierReference: '9', status: '2' });
  expect(read({ ...sent, status: '1' })).toMatchObject({ kind: 'hint' });
  expect(read({ ...sent, ref_id: 'ORD-1002' })).toMatchObject({ kind: 'forged' });
});
