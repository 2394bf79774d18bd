import { expect, test } from 'vitest';
import { virtualService } from '../support/virtual-service.ts';

/** Every scene of the sandbox, played through the whole service on a clock that the test owns. */
const { topgate, reseller, pass, settle } = virtualService();

async function place(scene: string, refId = `SCENE-${scene}`) {
  const placed = await reseller().buy({ ref_id: refId, user_id: `12345${scene}` });
  await settle();
  return placed;
}

function status(scene: string, refId = `SCENE-${scene}`) {
  return reseller().topgate.orders.status({ ref_id: refId });
}

async function detail(scene: string) {
  const { order_id: orderId } = await status(scene);
  return (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data;
}

test('0001: delivered at the first answer', async () => {
  expect(await place('0001')).toMatchObject({
    status: 'Process',
    account_identifier: { nickname: 'Sandbox 123450001' },
  });
  expect(await status('0001')).toMatchObject({ status: 'Success', serial_number: expect.stringMatching(/^SBX-TG/) });
});

test('0002: pending, delivered at a later check after about three seconds', async () => {
  await place('0002');
  await pass(2_750);
  expect((await status('0002')).status).toBe('Process');
  await pass(500);
  expect((await status('0002')).status).toBe('Success');
});

test('0003: pending, then rejected: Failed, and the money is back', async () => {
  const before = await reseller().balance();
  await place('0003');
  expect(await reseller().balance()).toBe(before - 23_600);
  await pass(3_250);
  expect(await status('0003')).toMatchObject({
    status: 'Failed',
    serial_number: null,
    failure: { code: 'player_rejected', fixable_by_player: true },
  });
  expect(await reseller().balance()).toBe(before);
});

test('0004: no such player: 422, and nothing was created', async () => {
  const before = await reseller().balance();
  await expect(place('0004')).rejects.toMatchObject({ status: 422, code: 'player_not_found' });
  await expect(status('0004')).rejects.toMatchObject({ status: 404, code: 'order_not_found' });
  expect(await reseller().balance()).toBe(before);
});

test('0005: the lookup is down: accepted with an empty nickname, and delivered', async () => {
  expect((await place('0005')).account_identifier.nickname).toBe('');
  expect((await status('0005')).status).toBe('Success');
});

test('0006: rejected everywhere: both suppliers were tried, Failed, and the money is back', async () => {
  const before = await reseller().balance();
  await place('0006');
  expect(await status('0006')).toMatchObject({ status: 'Failed', failure: { code: 'out_of_stock' } });
  expect((await detail('0006')).attempts.map(({ supplier }: { supplier: string }) => supplier)).toEqual(['sandbox', 'sandbox-2']);
  expect(await reseller().balance()).toBe(before);
});

test('0007: the answer is lost: found by the check, sent once, delivered once', async () => {
  await place('0007');
  expect((await detail('0007')).attempts).toMatchObject([{ status: 'Unknown', sends: 1 }]);
  await pass(1_250);
  expect(await detail('0007')).toMatchObject({ status: 'Success', attempts: [{ status: 'Delivered', sends: 1, checks: 1 }] });
});

test('0008: the first route rejects, the second delivers', async () => {
  await place('0008');
  expect(await detail('0008')).toMatchObject({
    status: 'Success',
    attempts: [
      { supplier: 'sandbox', status: 'Rejected' },
      { supplier: 'sandbox-2', status: 'Delivered' },
    ],
  });
});

test('0009: never answered: stays in Process, debited, and goes to an operator', async () => {
  const before = await reseller().balance();
  await place('0009');
  await pass(20_000);
  expect(await detail('0009')).toMatchObject({
    status: 'Process',
    review: { reason: expect.any(String) },
    attempts: [{ status: 'Unknown', sends: 1 }],
  });
  expect(await reseller().balance()).toBe(before - 23_600);
  const waiting = await topgate().admin('GET', '/admin/api/order?review=true');
  expect(waiting.body.data.map(({ ref_id }: { ref_id: string }) => ref_id)).toContain('SCENE-0009');
});

test('0010: delivered, taken back five seconds later: Refunded, and the money is back', async () => {
  const before = await reseller().balance();
  await place('0010');
  expect((await status('0010')).status).toBe('Success');
  expect(await reseller().balance()).toBe(before - 23_600);
  await pass(5_250);
  expect(await status('0010')).toMatchObject({ status: 'Refunded', failure: { code: 'reversed' } });
  expect(await reseller().balance()).toBe(before);
});

test('0011: refused before it was taken: sent again under the same reference, delivered once', async () => {
  await place('0011');
  await pass(1_500);
  expect(await detail('0011')).toMatchObject({ status: 'Success', attempts: [{ status: 'Delivered', sends: 2 }] });
});

test('0012: answers after ten seconds, delivered', async () => {
  await place('0012');
  await pass(9_500);
  expect((await status('0012')).status).toBe('Process');
  await pass(1_000);
  expect((await status('0012')).status).toBe('Success');
});

test('the last four characters before the # choose the scene for names with a tag', async () => {
  const product = await topgate().admin('POST', '/admin/api/product', {
    product_code: 'RIOT',
    product_name: 'Riot game',
    account_identifier: 'Name#TAG',
    category: 'Shooter',
    fields: [{ key: 'user_id', label: 'Riot ID', type: 'text', required: true }],
    nickname_lookup: true,
  });
  expect(product.status).toBe(200);
  await topgate().admin('POST', '/admin/api/service', {
    service_code: 'RIOT-1',
    product_code: 'RIOT',
    service_name: 'One',
    cost: 1,
    price: 2,
  });
  const { ref_id } = await reseller().buy({ service_code: 'RIOT-1', user_id: 'Player0006#ID1', zone: '' });
  await settle();
  const { failure } = await reseller().topgate.orders.status({ ref_id });
  expect(failure?.code).toBe('out_of_stock');
});

test('after all of it every invariant of the ledger holds, and the feed told each end once', async () => {
  const audit = await topgate().admin('GET', '/admin/api/ledger/audit');
  expect(audit.body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  const events = await reseller().topgate.events.list({ limit: 200 });
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
  const ends = events.flatMap(({ type, data }) =>
    'ref_id' in data && type.startsWith('order.') ? `${data.ref_id} ${type}` : [],
  );
  expect(new Set(ends).size).toBe(ends.length);
});
