import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import type { PlaceOutcome } from '../../src/suppliers/index.ts';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { leapTime, passTime } from '../support/pass-time.ts';
import { scriptedSupplier } from '../support/scripted-supplier.ts';
import { openTestService, type TestReseller, type TestService } from '../support/service.ts';

/**
 * Two workers on one database. The second one's clock is an hour ahead, so that to it every lease of the first has run out: what
 * a suspended machine, a hanging disk or a wrong clock does.
 */
const [clock, aheadClock] = [new FakeClock(), new FakeClock()];
const [supplier, sameSupplier] = [scriptedSupplier(), scriptedSupplier()];
let database: TestDatabase;
let topgate: TestService;
let live: TestReseller;
/** How the supplier answers the first worker, as soon as the test says so. */
let answer: (outcome: PlaceOutcome) => void;

beforeAll(async () => {
  for (const { kind } of [supplier, sameSupplier]) {
    kind.capabilities.trustworthyNotFound = true;
    kind.limits.oneAtATimePerPlayer = true;
  }
  supplier.onPlace = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  database = await openInMemory();
  topgate = await openTestService(database, { clock, supplierKinds: [supplier.kind] });
  const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
  await topgate.admin('POST', '/admin/api/supplier', { code: 'scripted', kind: 'scripted', config });
  await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', [{ supplier: 'scripted', sku: 'ML85', cost: 20_000 }]);
  live = await topgate.reseller({ mode: 'live' });
  // A new supplier's work begins within a second.
  await passTime(clock, database, 1_000);
});
afterAll(async () => {
  await clock.passUntil(topgate.stop());
  await database.drop();
});

const detail = async (orderId: string) => (await topgate.admin('GET', `/admin/api/order/${orderId}`)).body.data;

async function buy(userId: string) {
  const { order_id: orderId } = await live.buy({ user_id: userId });
  await passTime(clock, database, 250);
  return orderId;
}

test('a no that comes after the purchase was sent again and confirmed ends nothing: no refund, no other supplier', async () => {
  const before = await live.balance();
  const orderId = await buy('11110001');
  await aheadClock.jump(HOUR_MS);
  sameSupplier.onCheck = async () => ({ kind: 'not_found' });
  sameSupplier.onPlace = async () => ({ kind: 'pending', supplierReference: 'S-1' });
  const second = await openTestService(database, {
    clock: aheadClock,
    supplierKinds: [sameSupplier.kind],
    config: { role: 'worker' },
  });
  await passTime(aheadClock, database, 5_000);
  expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [{ status: 'Pending', sends: 2 }] });

  answer({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: false });
  await passTime(clock, database, 250);
  expect(await detail(orderId)).toMatchObject({
    status: 'Process',
    attempts: [{ status: 'Pending', supplier_reference: 'S-1' }],
  });
  expect(await live.balance()).toBe(before - 23_600);
  await aheadClock.passUntil(second.stop());
});

test("an operator's refund during a call loses nothing of what the supplier then tells, and it is asked further", async () => {
  const orderId = await buy('22220001');
  await topgate.admin('POST', `/admin/api/order/${orderId}/resolve`, { outcome: 'Failed', reason: 'the player gave up' });
  answer({ kind: 'pending', supplierReference: 'TRX-77', charged: 20_000n });
  await passTime(clock, database, 250);
  expect(await detail(orderId)).toMatchObject({
    status: 'Failed',
    attempts: [{ status: 'Pending', supplier_reference: 'TRX-77', charged: 20_000 }],
  });
  supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-77' });
  await leapTime(clock, database, 11 * 60_000, 15_000);
  const { review } = await detail(orderId);
  expect(review.reason).toContain('delivered although the order had been refunded');
});

test('whoever was refunded by hand may buy the same item again at a supplier that takes one at a time', async () => {
  const first = await buy('33330001');
  answer({ kind: 'unknown', reason: 'timeout' });
  supplier.onCheck = async () => ({ kind: 'unknown', reason: 'it knows no references' });
  await passTime(clock, database, 250);
  await topgate.admin('POST', `/admin/api/order/${first}/resolve`, { outcome: 'Failed', reason: 'not found in its panel' });
  const second = await buy('33330001');
  answer({ kind: 'delivered', serialNumber: 'SN-2' });
  await passTime(clock, database, 250);
  expect((await detail(second)).status).toBe('Success');
});

test('an order delivered by other means is Success, and its supplier is asked on', async () => {
  const orderId = await buy('44440001');
  answer({ kind: 'unknown', reason: 'timeout' });
  supplier.onCheck = async () => ({ kind: 'unknown', reason: 'timeout' });
  await passTime(clock, database, 250);
  const decision = { outcome: 'Success', reason: 'bought in its web shop', serial_number: 'HAND', by_other_means: true };
  expect((await topgate.admin('POST', `/admin/api/order/${orderId}/resolve`, decision)).status).toBe(200);
  supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-4' });
  await leapTime(clock, database, 11 * 60_000, 15_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Success',
    serial_number: 'HAND',
    review: { reason: expect.stringContaining('by other means') },
  });
});
