import { describe, expect, test } from 'vitest';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { vipResellerDialect } from '../../../test/simulators/vip-reseller.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { answering, callTo, examplePurchase } from '../../../test/support/supplier-call.ts';
import { meaningOf, meaningOfRefusal, PLAYER_REASONS, REFUSALS, STATES } from './map.ts';
import { vipResellerKind } from './vip-reseller.ts';
import { sign } from './wire.ts';

const ACCOUNT = { baseUrl: 'https://vip.example', apiId: 'APIID123', apiKey: 'APIKEY456' };
const PURCHASE = examplePurchase({ sku: 'ML14-S14', cost: 3_310n });
const LOST = { is: 'lost_answer' } as const;

const open = (clock: FakeClock, changes: Record<string, string> = {}) =>
  vipResellerKind.create({
    code: 'vip',
    config: { base_url: ACCOUNT.baseUrl, api_id: ACCOUNT.apiId, api_key: ACCOUNT.apiKey, ...changes },
    clock,
  });
const adapter = open(new FakeClock());

test('the signature is that of the worked example, and the body a form', async () => {
  expect(sign(ACCOUNT)).toBe('7001b3a1c7c69e3d198daf27a69f477a');
  const call = answering({ result: true, data: { trxid: 'VP1', status: 'waiting', note: '', price: 3_310 } });
  expect(await adapter.placeOrder(PURCHASE, call)).toEqual({ kind: 'pending', supplierReference: 'VP1', charged: 3_310n });
  expect(call.sent).toMatchObject([
    {
      url: 'https://vip.example/game-feature',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'key=APIKEY456&sign=7001b3a1c7c69e3d198daf27a69f477a&type=order&service=ML14-S14&data_no=12345678&data_zone=2001',
    },
  ]);
});

describe('the meaning of an answer', () => {
  test('the four documented states have one, and others are unknown', () => {
    expect(Object.keys(STATES)).toEqual(['waiting', 'processing', 'success', 'error']);
    for (const status of ['refund', 'partial', 'toString', ''])
      expect(meaningOf({ status, note: '' })).toEqual({ is: 'unknown' });
  });

  test.each(Object.keys(PLAYER_REASONS))('the note "%s" counts only beside an error', (note) => {
    expect(meaningOf({ status: 'error', note: `Maaf, ${note}.` })).toMatchObject({ is: 'rejected', code: 'player_rejected' });
    expect(meaningOf({ status: 'success', note })).toMatchObject({ is: 'delivered' });
  });

  test.each(Object.keys(REFUSALS))('the refusal "%s" answers an order; a question it moves nothing', (words) => {
    expect(meaningOfRefusal(words.toUpperCase(), { asked: false }).is).not.toBe('unknown');
    expect(['misconfigured', 'unknown']).toContain(meaningOfRefusal(words, { asked: true }).is);
  });

  test('a sentence about the address or the signature is about the configuration; another one is unknown', () => {
    expect(meaningOfRefusal('IP 203.0.113.9 tidak diizinkan', { asked: false })).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusal('Signature salah', { asked: false })).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusal('API key not valid', { asked: false })).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusal('IP server Anda belum terdaftar.', { asked: false })).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusal('Permintaan tidak dapat diproses: IP ditolak', { asked: false })).toEqual({ is: 'misconfigured' });
    expect(meaningOfRefusal('VIP tipe baru', { asked: false })).toEqual({ is: 'unknown' });
  });

  test.each([
    'Koneksi ke IP server provider timeout',
    'IP provider tidak merespon',
    'IP provider tidak tersedia',
    'Sign in to the provider',
    'Transaksi sedang diproses dari IP lain, tidak dapat diulang',
    'Gagal terhubung ke IP 203.0.113.9: connection not established',
  ])('a sentence that names an address and leaves open what was bought is unknown: %s', (message) => {
    for (const asked of [false, true]) expect(meaningOfRefusal(message, { asked })).toEqual({ is: 'unknown' });
  });
});

describe('an order whose answer was lost', () => {
  const lose = async () => {
    const simulator = new Simulator(vipResellerDialect, {
      clock: new FakeClock(),
      fateOf: () => ({ is: 'delivered', afterMs: 0 }),
    });
    simulator.faultOf = () => LOST;
    await expect(adapter.placeOrder(PURCHASE, callTo(simulator))).rejects.toThrow();
    simulator.faultOf = () => ({ is: 'none' });
    return simulator;
  };

  test('is never settled by what looks like it: an operator gets the candidates', async () => {
    const simulator = await lose();
    await adapter.placeOrder({ ...PURCHASE, userId: '555' }, callTo(simulator));
    const outcome = await adapter.checkOrder(PURCHASE, callTo(simulator));
    expect(outcome).toMatchObject({ kind: 'unclear' });
    const [made, other] = simulator.shop.orders.map(({ id }) => id);
    expect(outcome).toHaveProperty(
      'reason',
      expect.stringContaining(`1 for this player: ${made} (Mobile Legends A - 14 Diamonds`),
    );
    expect(outcome).toHaveProperty('reason', expect.not.stringContaining(`${other}`));
  });

  test('that is not among the latest is not taken for never made', async () => {
    const simulator = await lose();
    const outcome = await adapter.checkOrder({ ...PURCHASE, zone: '2002' }, callTo(simulator));
    expect(outcome).toMatchObject({ kind: 'unclear', reason: expect.stringContaining('none of the last 50 orders') });
  });

  test('is not sent again by any question', async () => {
    const simulator = await lose();
    for (let look = 0; look < 3; look += 1) await adapter.checkOrder(PURCHASE, callTo(simulator));
    expect(simulator.shop.orders).toHaveLength(1);
    expect(vipResellerKind.capabilities).toMatchObject({ lookup: false, safeResend: false, trustworthyNotFound: false });
    expect(vipResellerKind.limits.oneAtATimePerPlayer).toBe(true);
  });
});

test('a question by name is answered with a list, and only by the order of that name', async () => {
  const entry = (trxid: string, status: string) => ({ trxid, status, note: 'SN', price: '3310' });
  const known = { ...PURCHASE, supplierReference: 'VP2' };
  const list = answering({ result: true, data: [entry('VP1', 'error'), entry('VP2', 'success')] });
  expect(await adapter.checkOrder(known, list)).toMatchObject({ kind: 'delivered', serialNumber: 'SN', charged: 3_310n });
  const others = answering({ result: true, data: [entry('VP1', 'error')] });
  expect(await adapter.checkOrder(known, others)).toMatchObject({ kind: 'unknown' });
});

test('an answer whose price and note cannot be read still tells the name of the order, without which it would be lost', async () => {
  const data = { trxid: 'VP1', status: 'waiting', note: ['?'], price: 'Rp 3.310' };
  expect(await adapter.placeOrder(PURCHASE, answering({ result: true, data }))).toEqual({
    kind: 'pending',
    supplierReference: 'VP1',
  });
});

test('an order that waits for its turn longer than its time limit is not sent any more', async () => {
  const clock = new FakeClock();
  const slowed = open(clock);
  const busy = answering({ result: false, data: null, message: 'Transaksi dibatasi, coba lagi dalam 6 detik.' });
  expect(await slowed.placeOrder(PURCHASE, busy)).toMatchObject({ kind: 'rejected', retryAfterMs: 6_000 });
  const call = { ...busy, sent: [], signal: AbortSignal.abort() };
  await expect(slowed.placeOrder(PURCHASE, call)).rejects.toThrow();
  expect(busy.sent).toHaveLength(1);
});

test.each([
  ['basic', 3_310n],
  ['premium', 3_260n],
  ['special', 3_235n],
])('a price is that of the level %s', async (level, cost) => {
  const item = { code: 'ML14-S14', game: 'Mobile Legends A', name: '14 Diamonds', status: 'empty' };
  const list = answering({ result: true, data: [{ ...item, price: { basic: 3_310, premium: 3_260, special: '3235' } }] });
  expect(await open(new FakeClock(), { price_level: level }).listServices?.(list, [])).toEqual([
    { sku: 'ML14-S14', name: 'Mobile Legends A - 14 Diamonds', cost, available: false },
  ]);
});

test('a lookup that was refused for another reason than the player is unavailable', async () => {
  const player = { productCode: 'MLBB', userId: '1', zone: '2' };
  const refused = (message: string) => answering({ result: false, data: null, message });
  expect(await adapter.lookupNickname?.(player, refused('ID tidak ditemukan.'))).toEqual({ kind: 'not_found' });
  expect(await adapter.lookupNickname?.(player, refused(`${Object.keys(REFUSALS)[1]}`))).toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['JSON', '{"data":{"trxid":"VP123","data":"123456789","zone":"2001","status":"success","note":"","price":195695}}'],
  ['a form', 'trxid=VP123&status=success&note='],
  ['a form with data around the names', 'data%5Btrxid%5D=VP123&data[status]=success'],
])('a callback in %s names the order as VIP Reseller does', (_form, body) => {
  const read = (signature: string) =>
    adapter.readCallback?.({
      method: 'POST',
      headers: { 'x-client-signature': signature },
      query: {},
      rawBody: Buffer.from(body),
    });
  expect(read('7001b3a1c7c69e3d198daf27a69f477a')).toEqual({
    kind: 'hint',
    reference: null,
    supplierReference: 'VP123',
    status: 'success',
  });
  expect(read('')).toMatchObject({ kind: 'forged' });
});
