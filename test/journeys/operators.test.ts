import { expect, test } from 'vitest';
import { virtualService } from '../support/virtual-service.ts';

/** What operators do to orders, against workers that are awake. */
const { topgate, reseller, pass } = virtualService();

const supplier = (code: string, verb: string) => topgate().admin('POST', `/admin/api/supplier/${code}/${verb}`);
const detail = async (orderId: string) => (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data;
const act = (orderId: string, verb: string, body?: object) =>
  topgate().admin('POST', `/admin/api/order/${orderId}/${verb}`, body);

test('an order that an operator declared delivered is never sent afterwards', async () => {
  for (const code of ['sandbox', 'sandbox-2']) await supplier(code, 'pause');
  const { order_id: orderId } = await reseller().buy({ ref_id: 'BY-HAND' });
  await pass(1_000);
  const resolved = await act(orderId, 'resolve', { outcome: 'Success', reason: 'delivered by hand', serial_number: 'HAND-1' });
  expect(resolved.body.data).toMatchObject({ status: 'Success', serial_number: 'HAND-1', attempts: [] });
  for (const code of ['sandbox', 'sandbox-2']) await supplier(code, 'resume');
  expect((await act(orderId, 'recheck')).status).toBe(409);
  await pass(60_000);
  expect(await detail(orderId)).toMatchObject({ status: 'Success', attempts: [], next_action_at: null });
});

test('while one supplier is paused the next one delivers', async () => {
  await supplier('sandbox', 'pause');
  const { order_id: orderId } = await reseller().buy();
  await pass(1_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Success',
    attempts: [{ supplier: 'sandbox-2', status: 'Delivered' }],
  });
  await supplier('sandbox', 'resume');
});

test('while all suppliers are paused an order waits, and is delivered when one is back', async () => {
  for (const code of ['sandbox', 'sandbox-2']) await supplier(code, 'pause');
  const { order_id: orderId } = await reseller().buy();
  await pass(5_000);
  expect(await detail(orderId)).toMatchObject({ status: 'Process', attempts: [] });
  for (const code of ['sandbox', 'sandbox-2']) await supplier(code, 'resume');
  await pass(16_000);
  expect((await detail(orderId)).status).toBe('Success');
});

test('an order refunded by an operator that turns out delivered is flagged, keeps the refund, and the flag can be taken down', async () => {
  const before = await reseller().balance();
  const { order_id: orderId } = await reseller().buy({ user_id: '123450012' });
  await pass(1_000);
  expect((await act(orderId, 'resolve', { outcome: 'Failed', reason: 'the customer cancelled' })).body.data.status).toBe(
    'Failed',
  );
  expect(await reseller().balance()).toBe(before);
  // The purchase was under way; its answer comes after ten seconds.
  await pass(12_000);
  expect(await detail(orderId)).toMatchObject({
    status: 'Failed',
    review: { reason: expect.stringContaining('delivered') },
    attempts: [{ status: 'Delivered' }],
  });
  expect(await reseller().balance()).toBe(before);
  expect((await act(orderId, 'resolve', { outcome: 'Failed', reason: 'settled with the customer' })).body.data.review).toBeNull();
  expect(await reseller().balance()).toBe(before);
});

test('a delivered order taken back by an operator is Refunded once', async () => {
  const before = await reseller().balance();
  const { order_id: orderId } = await reseller().buy();
  await pass(1_000);
  const refund = { outcome: 'Refunded', reason: 'chargeback' };
  expect((await act(orderId, 'resolve', refund)).body.data).toMatchObject({
    status: 'Refunded',
    failure: { code: 'reversed' },
  });
  expect((await act(orderId, 'resolve', refund)).status).toBe(409);
  expect(await reseller().balance()).toBe(before);
});

test('after all of it every invariant of the ledger holds', async () => {
  const { body } = await topgate().admin('GET', '/admin/api/ledger/audit');
  expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
});
