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

const refused = (reason: string, status = '0', isOurs = false) => ({ status, reason, isOurs });

describe('a refused order', () => {
  test.each([
    ['Insufficient balance', { is: 'low_balance' }],
    ['Out of stock', { is: 'elsewhere', code: 'out_of_stock' }],
    ['Invalid denomination', { is: 'elsewhere', code: 'not_deliverable' }],
    ['Game not available', { is: 'elsewhere', code: 'not_deliverable' }],
    ['Invalid User ID', { is: 'rejected', code: 'player_rejected' }],
    ['Validation token expired', { is: 'busy', retryAfterMs: 15_000 }],
    ['Invalid partner', { is: 'misconfigured' }],
  ])('was not made, for a reason that names why: %s', (reason, meaning) => {
    expect(meaningOfRefusedOrder(refused(reason))).toEqual(meaning);
  });

  test.each([
    'Something else',
    'Failed',
    'Failed to top up the user account',
    'Duplicate reference number',
    'Transaction is pending',
    'Request timed out',
    'Internal system error',
    'System is busy, please try again',
    'Connection to the game server failed',
    'The game is under maintenance',
  ])('may be there for any other reason: %s', (reason) => {
    expect(meaningOfRefusedOrder(refused(reason))).toEqual({ is: 'unknown' });
  });

  test('in a status that nobody documented may be there, and one because of our credentials is not about the order', () => {
    expect(meaningOfRefusedOrder(refused('Out of stock', '2'))).toEqual({ is: 'unknown' });
    expect(meaningOfRefusedOrder(refused('HTTP 401', '', true))).toEqual({ is: 'misconfigured' });
    expect(REASONS.every(({ text }) => text !== '')).toBe(true);
  });
});

describe('a refused validation', () => {
  test.each([
    ['Invalid User ID', { is: 'rejected', code: 'player_rejected' }],
    ['The zone does not fit', { is: 'rejected', code: 'player_rejected' }],
    ['User already registered in another server', { is: 'rejected', code: 'player_rejected' }],
    ['Invalid game code', { is: 'elsewhere', code: 'not_deliverable' }],
    ['Failed', { is: 'elsewhere', code: 'not_deliverable' }],
    ['Under maintenance', null],
    ['Internal server error', null],
    ['Please try again', null],
  ])('is the fault of the player only if it says so: %s', (reason, meaning) => {
    expect(meaningOfRefusedPlayer(refused(reason), '')).toEqual(meaning);
  });

  test.each(['insufficient', 'partner-1', 'busy', 'internal'])(
    'never holds or rests the supplier for words of its own account: %s',
    (userId) => {
      const meaning = meaningOfRefusedPlayer(refused(`Invalid user ${userId}`), userId);
      expect(['player_rejected', 'not_deliverable']).toContain(meaning && 'code' in meaning && meaning.code);
    },
  );

  test('in a status that nobody documented is a fault of UniPin, and one because of our credentials is ours', () => {
    expect(meaningOfRefusedPlayer(refused('Invalid User ID', '2'), '')).toBeNull();
    expect(meaningOfRefusedPlayer(refused('HTTP 403', '', true), '')).toEqual({ is: 'misconfigured' });
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
    expect(await placing).toMatchObject({ kind: 'not_sent' });
    expect(paths()).toEqual(['user/validate']);
  });

  test('leaves at least two thirds of its time for itself, however short that is', async () => {
    const { clock, simulator, adapter, call } = open();
    simulator.faultOf = () => ({ is: 'slow', delayMs: DAY_MS });
    const placing = adapter.placeOrder(purchase, { ...call, limitMs: 6_000 });
    await clock.advance(2_000);
    expect(await placing).toMatchObject({ kind: 'not_sent' });
  });

  test.each([
    ['a fault of the server', 502, '<html>', { kind: 'not_sent' }],
    ['bytes that mean nothing', 200, '<html>', { kind: 'not_sent' }],
    ['words of a failing system', 200, '{"status":0,"reason":"Under maintenance"}', { kind: 'not_sent' }],
    ['a page that refuses us', 403, '<html>Forbidden</html>', { kind: 'misconfigured', detail: 'HTTP 403' }],
  ])('whose validation is answered with %s was not sent', async (_what, status, text, outcome) => {
    const { adapter, call } = open();
    const send = async () => ({ status, text });
    expect(await adapter.placeOrder(purchase, { ...call, send })).toMatchObject(outcome);
  });

  test('that never left after its validation was never sent, and that is certain', async () => {
    const { simulator, adapter, call } = open();
    simulator.faultOf = ({ path }) => ({ is: path.endsWith('/create') ? 'refused' : 'none' });
    expect(await adapter.placeOrder(purchase, call)).toMatchObject({ kind: 'not_sent' });
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
    simulator.faultOf = () => ({ is: 'none' });
    simulator.shop.fateOf = () => ({ is: 'rejected', why: 'out_of_stock', afterMs: 0 });
    const outcome = await adapter.placeOrder({ ...purchase, reference: 'ORD-1002' }, call);
    expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true, detail: 'Out of stock' });
  });

  test.each([
    ['Internal system error', 200, '{"status":0,"reason":"Transaction not found"}'],
    ['Out of stock', 200, '{"status":0,"reason":"Transaction is being processed"}'],
    ['Out of stock', 200, '{"status":2,"reason":"Pending"}'],
    ['Out of stock', 200, '{"status":0,"reason":"Internal system error"}'],
    ['Out of stock', 200, '{"status":0,"error":{"code":"1","message":"Unauthorized partner"}}'],
    ['Out of stock', 401, '<html>'],
  ])('refused with "%s" may be there all the same if the question is answered with HTTP %i %s', async (reason, status, text) => {
    const { adapter, call } = open();
    const send = async (request: WireRequest) => {
      if (request.url.endsWith('/create')) return { status: 200, text: JSON.stringify({ status: 0, reason }) };
      return request.url.endsWith('/inquiry') ? { status, text } : call.send(request);
    };
    expect(await adapter.placeOrder(purchase, { ...call, send })).toMatchObject({ kind: 'unknown' });
  });

  test('that is under way there is never sent to anybody else, whatever the first answer said', async () => {
    const { simulator, adapter, call } = open();
    simulator.shop.fateOf = () => ({ is: 'strange' });
    const reason = 'Internal system error; asked about it: Transaction is being processed';
    expect(await adapter.placeOrder(purchase, call)).toEqual({ kind: 'unknown', reason });
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toMatchObject({ kind: 'unknown' });
    expect(simulator.shop.orders).toHaveLength(1);
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
    expect(await adapter.listServices?.(call, [purchase.sku])).toEqual([
      { sku: purchase.sku, unread: 'the price is in IDR, not in MYR' },
    ]);
  });

  test('is delivered whatever stands beside it in the answer', async () => {
    const { adapter, call } = open();
    const order = { status: 1, transaction_number: 'S1', amount: '58,696.00', currency: { code: 'IDR' } };
    const send = async (request: WireRequest) =>
      request.url.endsWith('/create') ? { status: 200, text: JSON.stringify(order) } : call.send(request);
    const outcome = { kind: 'delivered', serialNumber: 'S1', supplierReference: 'S1' };
    expect(await adapter.placeOrder(purchase, { ...call, send })).toEqual(outcome);
  });

  test('of an item without its game sends nothing', async () => {
    const { adapter, call, paths } = open();
    expect(await adapter.placeOrder({ ...purchase, sku: '324' }, call)).toMatchObject({ kind: 'rejected', retryElsewhere: true });
    expect(paths()).toEqual([]);
  });
});

test('a look-up that UniPin fails at says nothing of the player', async () => {
  const { adapter, call } = open();
  for (const reason of ['Under maintenance', 'Internal server error', 'Invalid game code']) {
    const send = async () => ({ status: 200, text: JSON.stringify({ status: 0, reason }) });
    const outcome = await adapter.lookupNickname?.({ productCode: 'MLBB', userId: '1', zone: '2' }, { ...call, send });
    expect(outcome).toEqual({ kind: 'unavailable', reason });
  }
});
