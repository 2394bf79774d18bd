import { describe, expect, test } from 'vitest';
import { apigamesDialect } from '../../../test/simulators/apigames.ts';
import { Simulator } from '../../../test/simulators/simulator.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { answering, callTo, examplePurchase } from '../../../test/support/supplier-call.ts';
import { apigamesKind } from './apigames.ts';
import { FAILURE_REASONS, meaningOf, meaningOfRefusal, STATES } from './map.ts';
import { signAccount, signReference } from './wire.ts';

const ACCOUNT = { baseUrl: 'https://apigames.example', merchantId: 'M220101DEMO0001XY', secretKey: 's3cr3tk3y' };
const PURCHASE = examplePurchase();

const adapter = apigamesKind.create({
  code: 'api',
  config: { base_url: ACCOUNT.baseUrl, merchant_id: ACCOUNT.merchantId, secret_key: ACCOUNT.secretKey },
  clock: new FakeClock(),
});

test('the signatures are those of the worked examples', () => {
  expect(signAccount(ACCOUNT)).toBe('eba41b48a610b269defd3be0791658ce');
  expect(signReference(ACCOUNT, 'ORD-1001')).toBe('25b02e495aadde041f93a54c9a7d72da');
});

describe('the meaning of an answer', () => {
  test('all six documented states have one, and others are unknown', () => {
    expect(Object.keys(STATES)).toHaveLength(6);
    expect(meaningOf({ status: 'Proses', reason: '' }).is).toBe('pending');
    expect(meaningOf({ status: 'Sukses Sebagian', reason: '' }).is).toBe('unclear');
    expect(meaningOf({ status: 'Validasi Provider', reason: '' }).is).toBe('unclear');
    for (const status of ['Refund', 'SUKSES', 'toString', ''])
      expect(meaningOf({ status, reason: '' })).toEqual({ is: 'unknown' });
  });

  test('a reason counts only beside a failure', () => {
    for (const reason of Object.keys(FAILURE_REASONS)) {
      expect(meaningOf({ status: 'Pending', reason }).is).toBe('pending');
      expect(meaningOf({ status: 'Sukses', reason }).is).toBe('delivered');
    }
  });

  test('a refusal in words that nobody documented is unknown', () => {
    expect(meaningOfRefusal('Signature not valid')).toMatchObject({ is: 'misconfigured' });
    expect(meaningOfRefusal('Saldo tidak cukup')).toEqual({ is: 'unknown' });
  });
});

test.each(['error_require_login', 'Expirated Login - Session Key Expirated'])(
  'a failure for %s closes the attempt and raises an alarm, whether it answers the order or a question',
  async (sn) => {
    const call = () => answering({ status: 1, data: { ref_id: 'TG-1', trx_id: 'T1', status: 'Gagal', sn } });
    const no = { kind: 'rejected', retryElsewhere: true, misconfigured: 'for_operator' };
    expect(await adapter.placeOrder(PURCHASE, call())).toMatchObject(no);
    expect(await adapter.checkOrder(PURCHASE, call())).toMatchObject(no);
  },
);

test('the words for a lost login put the supplier on hold only where no reseller can have written them', async () => {
  const failed = (message: string) => answering({ status: 1, data: { ref_id: 'TG-1', status: 'Gagal', sn: '', message } });
  const told = failed('R#TG-1 ml86.123456782001, status GAGAL. error_require_login');
  expect(await adapter.checkOrder(PURCHASE, told)).toMatchObject({ kind: 'rejected', misconfigured: 'for_operator' });
  const trap = { ...PURCHASE, userId: 'error_require', zone: '_login' };
  const echo = failed('R#TG-1 ml86.error_require_login, status GAGAL. Stok kosong');
  expect(await adapter.checkOrder(trap, echo)).toMatchObject({ kind: 'rejected', retryElsewhere: true });
  expect(await adapter.checkOrder(trap, echo)).not.toHaveProperty('misconfigured');
});

test('an HTTP error is unknown, however definite its body is', async () => {
  const failed = { status: 1, data: { ref_id: 'TG-1', status: 'Gagal', sn: 'Wrong player id' } };
  for (const status of [400, 404, 500, 503]) {
    await expect(adapter.placeOrder(PURCHASE, answering(failed, status))).rejects.toThrow(`HTTP ${status}`);
    await expect(adapter.checkOrder(PURCHASE, answering(failed, status))).rejects.toThrow(`HTTP ${status}`);
  }
});

test('an answer about another purchase says nothing about this one', async () => {
  const call = answering({ status: 1, data: { ref_id: 'TG-2', status: 'Sukses', sn: 'x' } });
  await expect(adapter.checkOrder(PURCHASE, call)).rejects.toThrow('about TG-2');
});

test('the same order sent twice would be bought twice: no question ever is an order, and none may be repeated', async () => {
  const simulator = new Simulator(apigamesDialect, { clock: new FakeClock(), fateOf: () => ({ is: 'delivered', afterMs: 0 }) });
  const call = callTo(simulator);
  await adapter.placeOrder(PURCHASE, call);
  for (let look = 0; look < 3; look += 1) await adapter.checkOrder(PURCHASE, call);
  expect(simulator.shop.deliveredFor('TG-1')).toBe(1);
  expect(simulator.requests.map(({ path }) => path)).toEqual(['/v2/transaksi', ...Array(3).fill('/v2/transaksi/status')]);

  await adapter.placeOrder({ ...PURCHASE, sends: 2 }, call);
  expect(simulator.shop.deliveredFor('TG-1')).toBe(2);
  expect(apigamesKind.capabilities).toMatchObject({ safeResend: false, trustworthyNotFound: false, checkMayBuy: false });
});

test('the server of the player is sent on its own, unless the route writes the account whole', async () => {
  const call = answering({ status: 1, data: { status: 'Pending' } });
  await adapter.placeOrder(PURCHASE, call);
  await adapter.placeOrder({ ...PURCHASE, accountText: '12345678.2001' }, call);
  expect(call.sent.map(({ body }) => JSON.parse(body ?? ''))).toMatchObject([
    { tujuan: '12345678', server_id: '2001' },
    { tujuan: '12345678.2001', server_id: '' },
  ]);
});

test('the price of a failed order was not paid', async () => {
  const told = (status: string) => ({ status: 1, data: { status, sn: '', product_detail: { price_rp: 750 } } });
  expect(await adapter.checkOrder(PURCHASE, answering(told('Sukses')))).toMatchObject({ charged: 750n });
  expect(await adapter.checkOrder(PURCHASE, answering(told('Gagal')))).not.toHaveProperty('charged');
});
