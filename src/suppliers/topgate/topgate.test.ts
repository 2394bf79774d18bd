import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { ADMIN_PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../../http/problems.ts';
import { after } from '../../lib/clock.ts';
import { FAILURES } from '../failures.ts';
import type { Purchase } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { ERROR_CODES, FAILURE_CODES, meaningOfError, meaningOfOrder } from './map.ts';
import { topgateKind } from './topgate.ts';
import { sign } from './wire.ts';

interface SignatureVector {
  secret: string;
  order: { service_code: string; ref_id: string; user_id: string; zone: string; max_price?: number };
  signature: string;
}

interface WebhookVector {
  name: string;
  secret: string;
  id: string;
  timestamp: string;
  body: string;
  signature: string;
  now: number;
  valid: boolean;
}

test.each(readVectors<SignatureVector>('signature-vectors.json'))(
  'the signature of $order.ref_id is that of the worked example',
  ({ secret, order: { user_id, zone, ...order }, signature }) => {
    expect(sign(secret, { ...order, account_identifier: { user_id, zone } })).toBe(signature);
  },
);

test.each(readVectors<WebhookVector>('webhook-vectors.json'))(
  'a webhook is taken for theirs as the published vectors have it: $name',
  async ({ secret, id, timestamp, body, signature, now, valid }) => {
    const clock = new FakeClock();
    await clock.jump(now * 1_000 - clock.now().getTime());
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const reading = readCallback({ method: 'POST', headers, query: {}, rawBody: Buffer.from(body) }, secret, clock);
    expect(reading.kind === 'hint' || reading.kind === 'ping').toBe(valid);
    if (body.includes('INV-1001')) expect(reading).toMatchObject({ kind: 'hint', reference: 'INV-1001', status: 'Success' });
  },
);

describe('the meaning of an answer', () => {
  test('every error code and every reason of failure has one', () => {
    const codes = Object.keys(PROBLEMS).filter((code) => !ADMIN_PROBLEM_CODES.has(code as ProblemCode));
    expect(Object.keys(ERROR_CODES).sort()).toEqual(codes.sort());
    expect(Object.keys(FAILURE_CODES).sort()).toEqual(Object.keys(FAILURES).sort());
  });

  test('an error that comes before the reference is looked at says nothing about an earlier request', () => {
    for (const [code, { early, is }] of Object.entries(ERROR_CODES)) {
      expect(meaningOfError(code, { repeated: false }).is).toBe(is);
      expect(meaningOfError(code, { repeated: true }).is).toBe(early ? 'unknown' : is);
    }
  });

  test('an error or a state that nobody documented is unknown, and the state of a failure counts whatever its reason', () => {
    expect(meaningOfError('brand_new', { repeated: false })).toEqual({ is: 'unknown' });
    expect(meaningOfError('toString', { repeated: false })).toEqual({ is: 'unknown' });
    expect(meaningOfOrder({ status: 'Paused' })).toEqual({ is: 'unknown' });
    expect(meaningOfOrder({ status: 'Failed', failure: { code: 'brand_new' } })).toEqual({
      is: 'rejected',
      code: 'not_deliverable',
    });
  });
});

describe('an order', () => {
  const purchase: Purchase = {
    reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
    supplierReference: null,
    sku: 'MLBB-85',
    userId: '12345678',
    zone: '2001',
    accountText: null,
    cost: 25_000n,
    sends: 1,
    createdAt: new FakeClock().now(),
  };
  const adapter = topgateKind.create({
    code: 'upstream',
    config: { base_url: 'https://topgate.example', access_token: 'tg_live_x', signing_secret: 'tgs_x', currency: 'IDR' },
    clock: new FakeClock(),
  });
  const sent: string[] = [];
  const answering = (data: unknown) => ({
    signal: new AbortController().signal,
    send: async ({ body }: { body?: string }) => {
      sent.push(body ?? '');
      return { status: 200, text: JSON.stringify({ success: true, data }) };
    },
  });
  const answer = {
    order_id: 'TG01',
    status: 'Success',
    mode: 'live',
    price: 22_500,
    currency: 'IDR',
    serial_number: 'SN-1',
    failure: null,
  };

  test('is sent again to the byte, with our cost as the most it may be', async () => {
    const call = answering({ ...answer, ref_id: purchase.reference });
    await adapter.placeOrder(purchase, call);
    await adapter.placeOrder({ ...purchase, sends: 2, createdAt: after(purchase.createdAt, 1_000) }, call);
    expect(sent[0]).toBe(sent[1]);
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({
      max_price: 25_000,
      account_identifier: { user_id: '12345678', zone: '2001' },
    });
  });

  test('of a route without a cost is not bought at any price', async () => {
    await adapter.placeOrder({ ...purchase, cost: 0n }, answering({ ...answer, ref_id: purchase.reference }));
    expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({ max_price: 0 });
  });

  test.each(['Success', 'Failed', 'Process'])('that their sandbox has played (%s) is for an operator', async (status) => {
    const call = answering({ ...answer, status, mode: 'test', ref_id: purchase.reference });
    const unclear = { kind: 'unclear', reason: expect.stringContaining('set a live access token (tg_live_…)') };
    expect(await adapter.placeOrder(purchase, call)).toEqual(unclear);
    expect(await adapter.checkOrder(purchase, call)).toEqual(unclear);
  });

  test.each([
    [['account_identifier.user_id'], { kind: 'rejected', code: 'player_rejected', retryElsewhere: false }],
    [['account_identifier.user_id', 'account_identifier.zone'], { kind: 'rejected', code: 'player_rejected' }],
    [['account_identifier.user_id', 'max_price'], { kind: 'misconfigured' }],
    [[], { kind: 'misconfigured' }],
  ])('that is malformed in %j alone is no reason to hold the supplier for others, unless it is ours', async (paths, outcome) => {
    const issues = paths.map((path) => ({ path, message: 'Too long' }));
    const text = JSON.stringify({ success: false, message: 'Bad', error: { code: 'invalid_request', issues } });
    const call = { ...answering(null), send: async () => ({ status: 400, text }) };
    expect(await adapter.placeOrder(purchase, call)).toMatchObject(outcome);
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toMatchObject({ kind: 'unknown' });
  });

  test('that comes too fast was not made, unless it was sent before: then it may be there', async () => {
    const text = JSON.stringify({ success: false, message: 'Too many requests', error: { code: 'rate_limited' } });
    const call = { ...answering(null), send: async () => ({ status: 429, text }) };
    expect(await adapter.placeOrder(purchase, call)).toMatchObject({ kind: 'rejected', retryAfterMs: 5_000 });
    expect(await adapter.placeOrder({ ...purchase, sends: 2 }, call)).toMatchObject({ kind: 'unknown' });
  });

  test('takes the account as the route writes it', async () => {
    const call = answering({ ...answer, ref_id: purchase.reference });
    await adapter.placeOrder({ ...purchase, accountText: 'user_id=12345678%282001%29&zone=' }, call);
    expect(JSON.parse(sent.at(-1) ?? '').account_identifier).toEqual({ user_id: '12345678(2001)', zone: '' });
    await adapter.placeOrder({ ...purchase, accountText: '12345678' }, call);
    expect(JSON.parse(sent.at(-1) ?? '').account_identifier).toEqual({ user_id: '12345678', zone: '' });
  });

  test('under another reference is not the answer to ours', async () => {
    await expect(adapter.placeOrder(purchase, answering({ ...answer, ref_id: 'INV-1' }))).rejects.toThrow();
  });

  test('in another currency is not compared with our cost', async () => {
    const call = answering({ ...answer, ref_id: purchase.reference, currency: 'USD' });
    expect(await adapter.checkOrder(purchase, call)).not.toHaveProperty('charged');
    expect(await adapter.checkOrder(purchase, answering({ ...answer, ref_id: purchase.reference }))).toMatchObject({
      charged: 22_500n,
    });
  });
});

test('a test token is refused where it is set, and its balance is not taken for ours', async () => {
  const form = topgateKind.fields.find(({ key }) => key === 'access_token')?.form;
  expect(form?.pattern.test('tg_live_4mXr0b7TqVwYz2Nc8Kd5Hs3J')).toBe(true);
  expect(form?.pattern.test('tg_test_4mXr0b7TqVwYz2Nc8Kd5Hs3J')).toBe(false);
  const config = { base_url: 'https://topgate.example', access_token: 'tg_live_x', signing_secret: 'tgs_x', currency: 'IDR' };
  const adapter = topgateKind.create({ code: 'upstream', config, clock: new FakeClock() });
  const text = JSON.stringify({ success: true, data: { balance: 1_000_000, currency: 'IDR', mode: 'test' } });
  const call = { signal: new AbortController().signal, send: async () => ({ status: 200, text }) };
  await expect(adapter.balance?.(call)).rejects.toThrow('test token');
});

function readVectors<Vector>(name: string): Vector[] {
  return JSON.parse(fs.readFileSync(new URL(`../../../examples/${name}`, import.meta.url), 'utf8')) as Vector[];
}
