import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { clientOf } from '../support/client.ts';
import { openInMemory } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestService, until } from '../support/service.ts';

test('orders that a stopped process held are taken up at the next start, asked about, and delivered once', async () => {
  const clock = new FakeClock();
  const database = await openInMemory();
  const before = await openTestService(database, { clock });
  const reseller = await before.reseller();
  await reseller.buy({ ref_id: 'SLOW', user_id: '123450012' });
  await database.idle();
  // The purchase is under way for ten seconds; stopping waits five and then leaves it to the next process.
  await clock.passUntil(before.stop());

  const later = await openTestService(database, { clock });
  await database.idle();
  await clock.advance(5_000);
  const client = clientOf(later.raw, reseller);
  const order = await until(async () => {
    const found = await client.orders.status({ ref_id: 'SLOW' });
    return found.status === 'Success' && found;
  }, 'the order is delivered');
  const { body } = await later.admin('GET', `/admin/api/order/${order.order_id}`);
  expect(body.data.attempts).toMatchObject([{ status: 'Delivered', sends: 1 }]);
  await clock.passUntil(later.stop());
  await database.drop();
});

test('an attempt whose sender died before the supplier heard of it is asked about first and then sent', async () => {
  const clock = new FakeClock();
  const database = await openInMemory();
  const topgate = await openTestService(database, { clock, config: { role: 'api' } });
  const reseller = await topgate.reseller();
  const { order_id: orderId } = await reseller.buy({ ref_id: 'DIED' });
  await topgate.stop();
  // What a worker leaves behind that was killed between writing the attempt and sending the first byte.
  const { db } = database.database;
  const order = await db.selectFrom('orders').selectAll().executeTakeFirstOrThrow();
  const now = clock.now();
  await db
    .insertInto('attempts')
    .values({
      account_id: order.account_id,
      order_id: order.id,
      number: 1,
      supplier_code: 'sandbox',
      sku: 'sandbox',
      cost: 0n,
      reference: `${orderId}-1`,
      state: 'Sending',
      sends: 1,
      checks: 0,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await db
    .updateTable('orders')
    .set({ lease: newId(now), next_action_at: new Date(now.getTime() + 60_000) })
    .execute();

  const later = await openTestService(database, { clock });
  await database.idle();
  const detail = await later.admin('GET', `/admin/api/order/${orderId}`);
  expect(detail.body.data).toMatchObject({ status: 'Success', attempts: [{ status: 'Delivered', checks: 1, sends: 2 }] });
  await later.stop();
  await database.drop();
});
