import { describe, expect, test } from 'vitest';
import { moogoldDialect } from '../../../test/simulators/moogold.ts';
import { type Fault, Simulator } from '../../../test/simulators/simulator.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Purchase } from '../supplier.ts';
import type { WireRequest } from '../wire.ts';
import { ERROR_CODES, meaningOfAskedRefusal, meaningOfRefusal, meaningOfState, ORDER_STATES } from './map.ts';
import { moogoldKind } from './moogold.ts';
import { headersOf } from './wire.ts';

const CREDENTIALS = { partnerId: 'demo-partner', secretKey: 'demosecret', signsPartnerOrderId: true };
const ORDER = {
  path: 'order/create_order',
  data: { category: '1', 'product-id': '215570', quantity: '1', 'User ID': '12314123', Server: '3402' },
  partnerOrderId: 'ORD-1001',
};

describe('the signature', () => {
  test.each([
    [{ path: 'user/balance' }, '7c34769a7ad7a792b45c01f05b6bef99f2003a107cef4cf9ed7fcc7b2c87c065'],
    [ORDER, '2ff45a2f14b7b57addea001aaa3d5cedfbe56a73c28af78bd7ab8813c7374efc'],
  ])('of $path is that of the worked example', (payload, expected) => {
    expect(headersOf(CREDENTIALS, { payload, timestamp: '1700000000' })).toMatchObject({
      authorization: 'Basic ZGVtby1wYXJ0bmVyOmRlbW9zZWNyZXQ=',
      timestamp: '1700000000',
      auth: expected,
    });
  });

  test('can leave the partner order id out', () => {
    const { partnerOrderId: _left, ...rest } = ORDER;
    const without = headersOf({ ...CREDENTIALS, signsPartnerOrderId: false }, { payload: ORDER, timestamp: '1700000000' });
    expect(without['auth']).toBe(headersOf(CREDENTIALS, { payload: rest, timestamp: '1700000000' })['auth']);
    expect(without['auth']).not.toBe(headersOf(CREDENTIALS, { payload: ORDER, timestamp: '1700000000' })['auth']);
  });
});

describe('the meaning of an answer', () => {
  test('all 24 documented codes and all states have one', () => {
    expect(Object.keys(ERROR_CODES)).toHaveLength(24);
    expect(Object.keys(ORDER_STATES)).toEqual(['processing', 'sending', 'completed', 'refunded', 'incorrect-details']);
  });

  test('only "not found" answers a question; every other error leaves the purchase as it was', () => {
    for (const code of Object.keys(ERROR_CODES))
      expect(meaningOfAskedRefusal(code)).toEqual({ is: code === '421' ? 'not_found' : 'unknown' });
  });

  test('a code or a state that nobody documented is unknown', () => {
    expect(meaningOfRefusal('4711')).toEqual({ is: 'unknown' });
    expect(meaningOfRefusal('toString')).toEqual({ is: 'unknown' });
    expect(meaningOfState('cancelled')).toEqual({ is: 'unknown' });
  });
});

describe('an order', () => {
  const open = () => {
    const clock = new FakeClock();
    const simulator = new Simulator(moogoldDialect, { clock, fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
    const config = { base_url: 'https://moogold.example', ...moogoldDialect.config };
    const adapter = moogoldKind.create({ code: 'moo', config, clock });
    const wire = simulator.wire();
    const { signal } = new AbortController();
    const call = { signal, send: (request: WireRequest) => wire.send(request, signal) };
    return { clock, simulator, adapter, call };
  };
  const purchase: Purchase = {
    reference: 'TG-1',
    supplierReference: null,
    sku: '15145:215570',
    userId: '12345678',
    zone: '2001',
    accountText: 'User ID=12345678&Server=2001',
    cost: 20_160n,
    sends: 1,
    createdAt: new FakeClock().now(),
  };

  test('that is known already is under way, not failed; the next look tells what became of it', async () => {
    const { adapter, call, simulator } = open();
    await adapter.placeOrder(purchase, call);
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toEqual({ kind: 'pending', lookAgainInMs: 1_000 });
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'delivered', supplierReference: '952272' });
    expect(simulator.shop.orders).toHaveLength(1);
  });

  test('with wrong details is for a person to decide: only "refunded" gives the money back', async () => {
    const { adapter, call, simulator } = open();
    simulator.shop.fateOf = () => ({ is: 'partial', afterMs: 0 });
    await adapter.placeOrder(purchase, call);
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'unclear', reason: 'incorrect-details' });
    const [order] = simulator.shop.orders;
    if (order) order.fate = { is: 'rejected', why: 'wrong_player', afterMs: 0 };
    expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'reversed' });
  });

  test.each([
    [{ code: 'rest_no_route', message: 'No route was found', data: { status: 404 } }],
    [{ status: false, message: 'Something went wrong' }],
    [{ status: true, message: 'Order has been created successfully' }],
    [{ err_code: '110', err_message: 'Error occurred, please try again' }],
  ])('answered with %j may be there or not', async (answer) => {
    const { adapter, call, simulator } = open();
    const fault: Fault = { is: 'garbage', body: JSON.stringify(answer) };
    simulator.faultOf = () => fault;
    const outcome = adapter.placeOrder(purchase, call).catch(() => ({ kind: 'unknown' }));
    expect(await outcome).toMatchObject({ kind: 'unknown' });
  });

  test('refused with a fault of the server may be there all the same', async () => {
    const { adapter, call } = open();
    const broken = {
      ...call,
      send: async () => ({ status: 500, text: '{"err_code":"114","err_message":"Product Out of Stock"}' }),
    };
    await expect(adapter.placeOrder(purchase, broken)).rejects.toThrow('HTTP 500');
  });

  test('of a voucher names no player, and its codes are the serial number', async () => {
    const { adapter, call, simulator } = open();
    simulator.shop.items.push({ sku: '15145:900', name: 'Voucher', price: 160_000n, available: true });
    const voucher = { ...purchase, sku: '15145:900:voucher' };
    await adapter.placeOrder(voucher, call);
    expect(JSON.parse(simulator.requests.at(-1)?.body ?? '').data).toEqual({ category: '2', 'product-id': '900', quantity: '1' });
    const detail = { order_id: 1, order_status: 'completed', total: '10.00', item: [{ voucher_code: ['AAAA', 'BBBB'] }] };
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(detail) });
    expect(await adapter.checkOrder(voucher, call)).toMatchObject({ serialNumber: 'AAAA, BBBB', charged: 160_000n });
  });

  test('of a voucher is not delivered without its code: it is asked about again, and after an hour by a person', async () => {
    const { clock, adapter, call, simulator } = open();
    const voucher = { ...purchase, sku: '15145:900:voucher' };
    for (const item of [[{ voucher_code: '' }], [{ voucher_code: [] }], [{ voucher_code: [null, ''] }], {}, undefined]) {
      const detail = { order_id: 1, order_status: 'completed', item };
      simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(detail) });
      expect(await adapter.checkOrder(voucher, call)).toMatchObject({ kind: 'pending', lookAgainInMs: 60_000 });
      expect(await adapter.checkOrder(purchase, call)).toMatchObject({ kind: 'delivered', serialNumber: null });
    }
    await clock.advance(3_600_000);
    const reason = 'completed, without the voucher code';
    expect(await adapter.checkOrder(voucher, call)).toMatchObject({ kind: 'unclear', reason });
  });

  test.each([
    [[{ voucher_code: 'AAAA' }], 'AAAA'],
    [[{ voucher_code: [{ code: 'AAAA', pin: 1234 }, 'BBBB'] }], 'AAAA 1234, BBBB'],
    [{ 0: { voucher_code: ['AAAA'] }, 2: { voucher_code: { 1: 'BBBB' } } }, 'AAAA, BBBB'],
    [{ voucher_code: ['AAAA'] }, 'AAAA'],
  ])('of a voucher is read in whatever form its codes come: %j', async (item, serialNumber) => {
    const { adapter, call, simulator } = open();
    const detail = { order_id: 1, order_status: 'completed', item };
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(detail) });
    const voucher = { ...purchase, sku: '15145:900:voucher' };
    expect(await adapter.checkOrder(voucher, call)).toMatchObject({ kind: 'delivered', serialNumber });
  });

  test('is delivered whatever stands beside its state', async () => {
    const { adapter, call, simulator } = open();
    const detail = { order_id: 1, order_status: 'completed', total: '1,234.50', item: 'none' };
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(detail) });
    const outcome = await adapter.checkOrder(purchase, call);
    expect(outcome).toEqual({ kind: 'delivered', serialNumber: null, supplierReference: '1' });
  });

  test('of somebody else is no answer about ours', async () => {
    const { adapter, call, simulator } = open();
    const detail = { order_id: 1, order_status: 'completed', partner_order_id: 'TG-2', item: [] };
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(detail) });
    await expect(adapter.checkOrder(purchase, call)).rejects.toThrow();

    const unnamed = { ...detail, partner_order_id: undefined };
    simulator.faultOf = () => ({ is: 'garbage', body: JSON.stringify(unnamed) });
    await expect(adapter.checkOrder({ ...purchase, supplierReference: '952272' }, call)).rejects.toThrow();
    expect(await adapter.checkOrder({ ...purchase, supplierReference: '1' }, call)).toMatchObject({ kind: 'delivered' });
  });

  test('costs nothing that we could name without an exchange rate, and the balance is not told', async () => {
    const { exchange_rate: _none, ...config } = moogoldDialect.config;
    const { call } = open();
    const adapter = moogoldKind.create({
      code: 'moo',
      config: { base_url: 'https://moogold.example', ...config },
      clock: new FakeClock(),
    });
    await adapter.placeOrder(purchase, call);
    expect(await adapter.checkOrder(purchase, call)).not.toHaveProperty('charged');
    expect(await adapter.balance?.(call)).toBeNull();
    await expect(adapter.listServices?.(call, [purchase.sku])).rejects.toThrow('exchange_rate');
  });
});

test('a player whom MooGold may not validate for us, or just cannot, is not unknown to the game', async () => {
  const adapter = moogoldKind.create({
    code: 'moo',
    config: { base_url: 'https://moogold.example', ...moogoldDialect.config },
    clock: new FakeClock(),
  });
  const answering = (body: unknown) => ({
    signal: new AbortController().signal,
    send: async () => ({ status: 200, text: JSON.stringify(body) }),
  });
  const player = { productCode: 'MLBB', userId: '1', zone: '2' };
  const lookUp = (message: string) => adapter.lookupNickname?.(player, answering({ status: 'false', message }));
  for (const message of [
    'Validation is not available for your account. Kindly contact us.',
    'Internal server error',
    'Account validation is under maintenance',
    'Invalid product',
  ])
    expect(await lookUp(message)).toEqual({ kind: 'unavailable', reason: message });
  for (const message of ['Invalid account.', 'Invalid User ID', 'Wrong server'])
    expect(await lookUp(message)).toEqual({ kind: 'not_found' });
});
