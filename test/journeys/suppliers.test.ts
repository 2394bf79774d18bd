import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scriptedSupplier } from '../support/scripted-supplier.ts';
import type { TestReseller } from '../support/service.ts';
import { virtualService } from '../support/virtual-service.ts';

/** Live orders through a supplier that an operator set up, on a clock that only these tests move. */
const supplier = scriptedSupplier();
const { topgate, pass, settle } = virtualService({ supplierKinds: [supplier.kind] });
let live: TestReseller;

beforeAll(async () => {
  const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
  const added = await topgate().admin('POST', '/admin/api/supplier', { code: 'scripted', kind: 'scripted', config });
  expect(added.status).toBe(200);
  const routes = [
    { supplier: 'scripted', sku: 'ML85', cost: 20_000, account_template: '{user_id}({zone})' },
    { supplier: 'sandbox', sku: 'sandbox', cost: 0 },
  ];
  expect((await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', routes)).status).toBe(200);
  live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
  // Within a second the new supplier has a worker of its own.
  await pass(1_000);
});

beforeEach(() => {
  supplier.placed.length = 0;
  supplier.checked.length = 0;
  supplier.lookups.length = 0;
  supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
  supplier.onCheck = async () => ({ kind: 'pending' });
  supplier.onLookup = async (userId) => ({ kind: 'found', nickname: `Player ${userId}` });
});

async function place(fields: Parameters<TestReseller['buy']>[0] = {}) {
  const { order_id } = await live.buy(fields);
  await settle();
  return order_id;
}

/** Ends the rest that failures of the test before may have begun. */
async function recover() {
  await pass(30_000);
  await place();
  supplier.placed.length = 0;
}

const detail = async (orderId: string) => (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data;

describe('routing', () => {
  test('the adapter gets its configuration with the secret opened, and nobody else ever sees it', async () => {
    expect(supplier.setups[0]?.config).toEqual({ base_url: 'https://supplier.example', api_key: 'very-secret-key' });
    const shown = await topgate().admin('GET', '/admin/api/supplier/scripted');
    expect(JSON.stringify(shown.body)).not.toContain('very-secret-key');
  });

  test("a live order goes to its first route, with the item, the cost and the account in the supplier's notation", async () => {
    const orderId = await place({ user_id: '55550001' });
    expect(supplier.placed).toMatchObject([
      { reference: `${orderId}-1`, sku: 'ML85', cost: 20_000n, accountText: '55550001(2001)', sends: 1 },
    ]);
    expect(await detail(orderId)).toMatchObject({ status: 'Success', serial_number: 'SN-1', mode: 'live' });
  });

  test('a test order of the same service never leaves the sandbox', async () => {
    const tester = await topgate().reseller({ mode: 'test' });
    const { order_id } = await tester.buy({ user_id: '55550001' });
    await settle();
    expect(await detail(order_id)).toMatchObject({ status: 'Success', supplier: 'sandbox' });
    expect(supplier.placed).toEqual([]);
  });

  test('a definite no that is worth another try goes to the second route', async () => {
    supplier.onPlace = async () => ({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true });
    const orderId = await place();
    expect((await detail(orderId)).attempts).toMatchObject([
      { supplier: 'scripted', status: 'Rejected' },
      { supplier: 'sandbox', status: 'Delivered' },
    ]);
  });
});

describe('no answer', () => {
  test.each([
    ['a broken connection', () => Promise.reject(new Error('ECONNRESET'))],
    ['an answer nobody understands', async () => ({ kind: 'unknown' as const, reason: 'not JSON' })],
  ])('%s leads to a question, never to a second purchase or a refund', async (_what, onPlace) => {
    const before = await live.balance();
    supplier.onPlace = onPlace;
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-LATE' });
    const orderId = await place();
    expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [{ status: 'Unknown' }] });
    await pass(6_000);
    expect(await detail(orderId)).toMatchObject({ status: 'Success', serial_number: 'SN-LATE' });
    expect(supplier.placed).toHaveLength(1);
    expect(await live.balance()).toBe(before - 23_600);
  });

  test('a supplier that hangs is cut off at its time limit', async () => {
    supplier.onPlace = (_purchase, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-SLOW' });
    const orderId = await place();
    await pass(9_000);
    expect(await detail(orderId)).toMatchObject({ attempts: [{ status: 'Sending' }] });
    await pass(7_000);
    expect((await detail(orderId)).status).toBe('Success');
  });

  test('"never heard of it" from a supplier whose word is not good for that sends nothing again, and ends with an operator', async () => {
    await recover();
    supplier.onPlace = async () => ({ kind: 'unknown', reason: 'timeout' });
    supplier.onCheck = async () => ({ kind: 'not_found' });
    const orderId = await place();
    await pass(90_000);
    expect(await detail(orderId)).toMatchObject({
      status: 'Process',
      review: expect.any(Object),
      attempts: [{ status: 'Unknown', sends: 1 }],
    });
    expect(supplier.placed).toHaveLength(1);
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-FOUND' });
    await topgate().admin('POST', `/admin/api/order/${orderId}/recheck`);
    await settle();
    expect(await detail(orderId)).toMatchObject({ status: 'Success', review: null });
  });

  test('after too many failures in a row the supplier rests, orders pass it by, and it comes back by itself', async () => {
    await recover();
    supplier.onPlace = async () => ({ kind: 'unknown', reason: 'timeout' });
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-X' });
    for (let failure = 0; failure < 3; failure++) await place();
    expect((await topgate().admin('GET', '/admin/api/supplier/scripted')).body.data.status).toBe('Resting');
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
    const passedBy = await place();
    await pass(1_000);
    expect(await detail(passedBy)).toMatchObject({ status: 'Success', attempts: [{ supplier: 'sandbox' }] });
    await pass(30_000);
    const tried = await place();
    expect((await detail(tried)).attempts).toMatchObject([{ supplier: 'scripted', status: 'Delivered' }]);
    expect((await topgate().admin('GET', '/admin/api/supplier/scripted')).body.data.status).toBe('Active');
  });
});

describe("a supplier's limit of calls at a time", () => {
  /** Calls that wait until the test lets them go. */
  const gate = () => {
    const waiting: (() => void)[] = [];
    let open = 0;
    let most = 0;
    supplier.onPlace = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise<void>((resolve) => waiting.push(resolve));
      open -= 1;
      return { kind: 'delivered', serialNumber: 'SN-1' };
    };
    return { letGo: () => waiting.splice(0).forEach((go) => void go()), most: () => most };
  };
  const { concurrency } = supplier.kind.limits;

  test('holds for orders that come together, and all are delivered', async () => {
    await recover();
    const { letGo, most } = gate();
    const orders = await Promise.all(Array.from({ length: 3 * concurrency }, () => live.buy()));
    await settle();
    expect(most()).toBe(concurrency);
    while (supplier.placed.length < orders.length) {
      letGo();
      await pass(1_000);
    }
    letGo();
    await settle();
    expect(most()).toBe(concurrency);
    expect(new Set(supplier.placed.map(({ reference }) => reference)).size).toBe(orders.length);
    for (const { order_id } of orders) expect(await detail(order_id)).toMatchObject({ status: 'Success' });
  });

  test('orders that had to wait go before newer ones', async () => {
    await recover();
    const { letGo } = gate();
    const first = await Promise.all(Array.from({ length: concurrency }, () => live.buy()));
    await settle();
    const older = await live.buy();
    const newer = await live.buy();
    for (let round = 0; round < 3; round++) {
      letGo();
      await pass(1_000);
    }
    const sequence = supplier.placed.map(({ reference }) => reference);
    expect(sequence).toHaveLength(first.length + 2);
    expect(sequence.slice(-2)).toEqual([`${older.order_id}-1`, `${newer.order_id}-1`]);
  });
});

test('the suppliers that deliver a product are asked for its nicknames, not the sandbox', async () => {
  const { nickname } = await live.topgate.nicknames.lookup({ product_code: 'MLBB', user_id: '70000001', zone: '2001' });
  expect(nickname).toBe('Player 70000001');
  expect(supplier.lookups).toEqual(['70000001']);
});

test('after all of it every invariant of the ledger holds', async () => {
  const { body } = await topgate().admin('GET', '/admin/api/ledger/audit');
  expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
});

describe('an answer with what no database keeps', () => {
  const good = { kind: 'delivered' as const, serialNumber: 'SN-1' };

  test.each([
    ['a NUL in the serial number', { ...good, serialNumber: 'SN\u0000' }, 'SN\ufffd'],
    ['half a character, as a cut name leaves', { ...good, serialNumber: 'SN \ud83d' }, 'SN \ufffd'],
    ['a NUL in their name for the purchase', { ...good, supplierReference: 'T\u0000' }, 'SN-1'],
    ['a negative charge', { ...good, charged: -5n }, 'SN-1'],
    ['a charge beyond all money', { ...good, charged: 10n ** 25n }, 'SN-1'],
  ])('settles the order all the same: %s', async (_what, outcome, serialNumber) => {
    supplier.onPlace = async () => outcome;
    const { order_id: orderId } = await live.buy();
    await settle();
    const { body } = await live.get(`/api/order/status?order_id=${orderId}`);
    expect(body.data).toMatchObject({ status: 'Success', serial_number: serialNumber });
  });

  test('goes to an operator with words that can be shown, when it says neither yes nor no', async () => {
    supplier.onPlace = async () => ({ kind: 'unclear', reason: 'a part\u0000 of it' });
    const { order_id: orderId } = await live.buy();
    await settle();
    const { body } = await topgate().admin('GET', '/admin/api/order?review=true');
    expect(JSON.stringify(body.data)).toContain(orderId);
  });
});
