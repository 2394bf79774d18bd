import { describe, expect, test } from 'vitest';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { tokovoucherDialect } from '../../../test/simulators/tokovoucher.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { answering, callTo, examplePurchase } from '../../../test/support/supplier-call.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import { meaningOf, meaningOfRefusal, REFUSALS, STATES } from './map.ts';
import { tokovoucherKind } from './tokovoucher.ts';
import { signAccount, signReference } from './wire.ts';

const ACCOUNT = { baseUrl: 'https://tokovoucher.example', memberCode: 'MEM20260101DEMO', secret: 's3cr3t' };
const PURCHASE = examplePurchase();

const adapter = tokovoucherKind.create({
  code: 'toko',
  config: { base_url: ACCOUNT.baseUrl, member_code: ACCOUNT.memberCode, secret: ACCOUNT.secret },
  clock: new FakeClock(),
});

test('the signatures are those of the worked examples', () => {
  expect(signReference(ACCOUNT, 'ORD-1001')).toBe('7ba2bf9bf431ef1a6e3db80b7b9ce188');
  expect(signAccount(ACCOUNT)).toBe('0825c9e146e9dfd72f087f0eb5e89624');
});

describe('the meaning of an answer', () => {
  test('the three documented states have one, and others are unknown', () => {
    expect(Object.keys(STATES)).toEqual(['pending', 'sukses', 'gagal']);
    for (const status of ['refund', '1', 'toString', '']) expect(meaningOf({ status, reason: '' })).toEqual({ is: 'unknown' });
  });

  test('a reason counts only beside a failure', () => {
    const reason = 'Nomor Tujuan Salah';
    expect(meaningOf({ status: 'gagal', reason })).toMatchObject({ is: 'rejected', code: 'player_rejected' });
    expect(meaningOf({ status: 'gagal', reason: '' })).toMatchObject({ is: 'elsewhere' });
    expect(meaningOf({ status: 'sukses', reason })).toMatchObject({ is: 'delivered' });
  });

  test.each(Object.keys(REFUSALS))('the refusal "%s" answers an order; a question it moves nothing', (words) => {
    expect(['misconfigured', 'elsewhere']).toContain(meaningOfRefusal(words.toUpperCase(), { asked: false }).is);
    expect(['misconfigured', 'unknown']).toContain(meaningOfRefusal(words, { asked: true }).is);
  });

  test('a refusal in words that nobody documented is unknown', () => {
    expect(meaningOfRefusal('Saldo Tidak Cukup', { asked: false })).toEqual({ is: 'unknown' });
  });
});

test('the state is a text or a number, and the number is a refusal', async () => {
  const refused = { status: 0, rc: 500, error_msg: 'Kode Produk Tidak Ditemukan' };
  expect(await adapter.placeOrder(PURCHASE, answering(refused))).toMatchObject({ kind: 'rejected', retryElsewhere: true });
  expect(await adapter.checkOrder(PURCHASE, answering(refused))).toMatchObject({ kind: 'unknown' });
  const told = { status: 'pending', ref_id: 'TG-1', trx_id: 'T1', price: '1600' };
  expect(await adapter.placeOrder(PURCHASE, answering(told))).toEqual({
    kind: 'pending',
    supplierReference: 'T1',
    charged: 1_600n,
  });
  await expect(adapter.placeOrder(PURCHASE, answering({ status: 1, message: 'ok' }))).rejects.toThrow();
});

test('an HTTP error is unknown, however definite its body is', async () => {
  for (const body of [
    { status: 'gagal', sn: 'Nomor Tujuan Salah' },
    { status: 0, error_msg: 'Ip Not Allow' },
  ])
    await expect(adapter.placeOrder(PURCHASE, answering(body, 500))).rejects.toThrow('HTTP 500');
});

test('a purchase is sent once: every look after that only asks', async () => {
  const simulator = new Simulator(tokovoucherDialect, {
    clock: new FakeClock(),
    fateOf: () => ({ is: 'delivered', afterMs: 0 }),
  });
  const call = callTo(simulator);
  simulator.faultOf = () => ({ is: 'lost_answer' });
  await expect(adapter.placeOrder(PURCHASE, call)).rejects.toThrow();
  simulator.faultOf = () => ({ is: 'none' });
  for (let look = 0; look < 3; look += 1) expect(await adapter.checkOrder(PURCHASE, call)).toMatchObject({ kind: 'delivered' });
  expect(simulator.shop.orders).toHaveLength(1);
  expect(tokovoucherKind.capabilities).toMatchObject({ safeResend: false, trustworthyNotFound: false, checkMayBuy: false });
});

test('it is asked every ten minutes at most', () => {
  expect(Math.min(...tokovoucherKind.limits.lookAgainAfterMs)).toBe(10 * MINUTE_MS);
});

test('an item of a game that is switched off cannot be had', async () => {
  const item = { kode_produk: 'x', nama: '86 Diamonds', price: 19_600, status: 1, operator_id: 7, jenis_id: 9 };
  const list = (operator: number, sort: number) => {
    const jenis = [{ id: 9, nama: 'Diamonds', status: sort }];
    return answering({ status: 1, data: { operator: [{ id: 7, nama: 'ML', status: operator }], jenis, produk: [item] } });
  };
  const expected = { sku: 'x', name: 'ML 86 Diamonds', cost: 19_600n };
  expect(await adapter.listServices?.(list(1, 1), [])).toEqual([{ ...expected, available: true }]);
  expect(await adapter.listServices?.(list(0, 1), [])).toEqual([{ ...expected, available: false }]);
  expect(await adapter.listServices?.(list(1, 0), [])).toEqual([{ ...expected, available: false }]);
});

test('the proof of a callback covers the reference alone: a changed state is still only a hint', () => {
  const headers = { 'x-tokovoucher-authorization': '7ba2bf9bf431ef1a6e3db80b7b9ce188' };
  const read = (body: object) =>
    adapter.readCallback?.({ method: 'POST', headers, query: {}, rawBody: Buffer.from(JSON.stringify(body)) });
  const hint = { kind: 'hint', reference: 'ORD-1001', supplierReference: 'T1' };
  expect(read({ ref_id: 'ORD-1001', trx_id: 'T1', status: 'gagal' })).toEqual({ ...hint, status: 'gagal' });
  expect(read({ ref_id: 'ORD-1001', trx_id: 'T1', status: 'sukses' })).toEqual({ ...hint, status: 'sukses' });
  expect(read({ ref_id: 'ORD-1002', trx_id: 'T1', status: 'sukses' })).toMatchObject({ kind: 'forged' });
});
