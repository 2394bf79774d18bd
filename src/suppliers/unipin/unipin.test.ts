import { describe, expect, test } from 'vitest';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { unipinDialect } from '../../../test/simulators/unipin.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { Purchase } from '../supplier.ts';
import type { WireRequest } from '../wire.ts';
import { meaningOfRefusedOrder, meaningOfRefusedPlayer, REASONS } from './map.ts';
import { unipinKind } from './unipin.ts';
import { sign } from './wire.ts';

const ACCOUNT = { partnerId: '11111111-2222-3333-4444-555555555555', secretKey: 'demosecretkey' };

test.each([
  ['in-game-topup/list', '65c50092bd2abe26de0ecb7dbfaa9776a5721147e3e40c3f187e2137d8239906'],
  ['in-game-topup/user/validate', '6406bd02b0862fbc686f67556815489408755f00412113534d65ce97921e480c'],
  ['in-game-topup/order/create', '556128fd76301d0d059e4f35da2a15eb91c6b208525f09f14834f087df6b2a35'],
  ['in-game-topup/order/inquiry', 'b007d35aa620e31300b21ff8bf51e17695c6352b3826997afc54c5e27b813890'],
])('the signature for %s is that of the worked example', (path, expected) => {
  expect(sign(ACCOUNT, '1700000000', path)).toBe(expected);
});

describe('the meaning of a refusal', () => {
  const refused = (status: string, reason: string, isOurs = false) => ({ status, reason, isOurs });

  test('of an order is that it was not made, unless the words leave that open', () => {
    expect(meaningOfRefusedOrder(refused('0', 'Something else'))).toEqual({ is: 'elsewhere', code: 'not_deliverable' });
    expect(meaningOfRefusedOrder(refused('0', 'Insufficient balance'))).toEqual({ is: 'low_balance' });
    for (const reason of ['Duplicate reference number', 'Transaction is pending', 'Request timed out'])
      expect(meaningOfRefusedOrder(refused('0', reason))).toEqual({ is: 'unknown' });
    expect(REASONS.every(({ text }) => text !== '')).toBe(true);
  });

  test('in a status that nobody documented is unknown for an order, and nothing but a delay for a player', () => {
    expect(meaningOfRefusedOrder(refused('2', 'Failed'))).toEqual({ is: 'unknown' });
    expect(meaningOfRefusedPlayer(refused('2', 'Failed'))).toMatchObject({ is: 'busy' });
  });

  test('because of our credentials is not about the order', () => {
    expect(meaningOfRefusedOrder(refused('0', 'Unauthorized', true))).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusedPlayer(refused('0', 'Unauthorized', true))).toEqual({ is: 'misconfigured' });
  });
});

const purchase: Purchase = {
  reference: 'ORD-1001',
  supplierReference: null,
  sku: 'MLBBD_ID:324',
  userId: '12345678',
  zone: '2001',
  accountText: 'userid=12345678&zoneid=2001',
  cost: 58_696n,
  sends: 1,
  createdAt: new FakeClock().now(),
};

function open(changes: Record<string, string> = {}) {
  const clock = new FakeClock();
  const simulator = new Simulator(unipinDialect, { clock, fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
  const config = { base_url: 'https://unipin.example', currency: 'IDR', ...unipinDialect.config, ...changes };
  const adapter = unipinKind.create({ code: 'uni', config, clock });
  const { signal } = new AbortController();
  const call = { signal, send: (request: WireRequest) => simulator.wire().send(request, signal) };
  const paths = () => simulator.requests.map(({ path }) => path.replace('/in-game-topup/', ''));
  return { clock, simulator, adapter, call, paths };
}

describe('an order', () => {
  test('is bound to the player by the validation before it, and final at once', async () => {
    const { simulator, adapter, call, paths } = open();
    expect(await adapter.placeOrder(purchase, call)).toEqual({
      kind: 'delivered',
      serialNumber: 'S2603010000001',
      supplierReference: 'S2603010000001',
      charged: 58_696n,
    });
    expect(paths()).toEqual(['user/validate', 'order/create']);
    expect(JSON.parse(simulator.requests[1]?.body ?? '')).toMatchObject({ reference_no: 'ORD-1001', denomination_id: 324 });
  });

  test('whose validation hangs was never sent, and that is certain', async () => {
    const { clock, simulator, adapter, call, paths } = open();
    simulator.faultOf = () => ({ is: 'slow', delayMs: DAY_MS });
    const placing = adapter.placeOrder(purchase, call);
    await clock.advance(15_000);
    expect(await placing).toMatchObject({ kind: 'rejected', retryElsewhere: true, retryAfterMs: 15_000 });
    expect(paths()).toEqual(['user/validate']);
  });

  test('that never left after its validation was never sent, and that is certain', async () => {
    const { simulator, adapter, call } = open();
    simulator.faultOf = ({ path }) => ({ is: path.endsWith('/create') ? 'refused' : 'none' });
    expect(await adapter.placeOrder(purchase, call)).toMatchObject({
      kind: 'rejected',
      retryElsewhere: true,
      retryAfterMs: 15_000,
    });
  });

  test('that is refused counts as not made only after it was not found either', async () => {
    const { simulator, adapter, call, paths } = open();
    simulator.faultOf = ({ path }) =>
      path.endsWith('/create')
        ? { is: 'garbage', body: '{"status":0,"error":{"code":"701","message":"Failed"}}' }
        : { is: 'none' };
    // The garbage is what UniPin answers after it has done what it was asked.
    expect(await adapter.placeOrder(purchase, call)).toMatchObject({ kind: 'delivered' });
    expect(paths()).toEqual(['user/validate', 'order/create', 'order/inquiry']);
    simulator.shop.fateOf = () => ({ is: 'rejected', why: 'out_of_stock', afterMs: 0 });
    const outcome = await adapter.placeOrder({ ...purchase, reference: 'ORD-1002' }, call);
    expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true, detail: '701 Failed' });
  });

  test('refused with a fault of the server may be there all the same', async () => {
    const { adapter, call } = open();
    const send = async (request: WireRequest) =>
      request.url.endsWith('/create') ? { status: 500, text: '{"status":0,"reason":"Failed"}' } : call.send(request);
    await expect(adapter.placeOrder(purchase, { ...call, send })).rejects.toThrow('HTTP 500');
  });

  test('that is not found is asked about again, never sent again by itself', async () => {
    const { adapter, call } = open();
    expect(await adapter.checkOrder(purchase, call)).toEqual({ kind: 'not_found' });
    expect(unipinKind.capabilities).toMatchObject({ safeResend: false, trustworthyNotFound: false });
  });

  test('that is sent again is asked about first', async () => {
    const { simulator, adapter, call, paths } = open();
    await adapter.placeOrder(purchase, call);
    simulator.requests.length = 0;
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toMatchObject({ kind: 'delivered' });
    expect(paths()).toEqual(['order/inquiry']);
    expect(simulator.shop.orders).toHaveLength(1);
  });

  test('in another currency is not compared with our cost', async () => {
    const { adapter, call } = open({ currency: 'MYR' });
    expect(await adapter.placeOrder(purchase, call)).not.toHaveProperty('charged');
    await expect(adapter.listServices?.(call, [purchase.sku])).rejects.toThrow('The prices are in IDR');
  });

  test('of an item without its game sends nothing', async () => {
    const { adapter, call, paths } = open();
    expect(await adapter.placeOrder({ ...purchase, sku: '324' }, call)).toMatchObject({ kind: 'rejected', retryElsewhere: true });
    expect(paths()).toEqual([]);
  });
});
