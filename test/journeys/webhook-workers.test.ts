import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryStatus } from '../../sdk/src/index.ts';
import type { ServiceDeps } from '../../src/main/service.ts';
import { openOnServer, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { scriptedReceivers } from '../support/scripted-receiver.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openOnServer();
});
afterAll(() => database.drop());

async function statuses({ topgate }: TestReseller, webhookId: string): Promise<DeliveryStatus[]> {
  const { data } = await topgate.webhooks.deliveries(webhookId, { limit: 200 }).page();
  return data.map(({ status }) => status);
}

test('what a worker had under way when it died is sent by the next one, with the same id', async () => {
  // Time stands still for a dead worker: its call never ends, and it neither records nor takes anything more.
  const stopped = new FakeClock();
  const dying = scriptedReceivers(stopped);
  dying.script(() => 'hang');
  const first = await openTestService(database, { clock: stopped, webhookSender: dying });
  const reseller = await first.reseller();
  const { webhook_id } = await reseller.topgate.webhooks.create({ url: 'https://shop.example/hook' });
  await reseller.topgate.webhooks.test(webhook_id);
  await until(async () => dying.hanging === 1, 'the first worker has the delivery');

  const clock = new FakeClock();
  const living = scriptedReceivers(clock);
  const second = await openTestService(database, { clock, webhookSender: living });
  expect(living.calls).toEqual([]);
  // Its lease runs out; nobody has told the second worker anything.
  await until(async () => {
    await passTime(clock, database, 1_000);
    return living.calls.length === 1;
  }, 'the second worker has sent it');
  expect(living.calls[0]?.id).toBe(dying.calls[0]?.id);
  expect(dying.calls.length).toBe(1);
  await until(async () => (await statuses(reseller, webhook_id)).every((status) => status === 'Delivered'), 'it is delivered');
  await Promise.all([stopped.passUntil(first.stop()), clock.passUntil(second.stop())]);
});

test('several workers beside an API process deliver everything, and each once while nobody dies', async () => {
  const receiver: Receiver = await openReceiver();
  const role = (name: 'api' | 'worker'): Partial<ServiceDeps['config']> => ({ role: name });
  const api: TestService = await openTestService(database, { config: role('api') });
  const workers = [
    await openTestService(database, { config: role('worker') }),
    await openTestService(database, { config: role('worker') }),
  ];
  const reseller = await api.reseller({ balance: 50_000_000 });
  const { webhook_id } = await reseller.topgate.webhooks.create({ url: `${receiver.url}/hook`, types: ['order.success'] });
  const count = 150;
  await Promise.all(Array.from({ length: count }, () => reseller.buy()));
  await until(async () => {
    const found = await statuses(reseller, webhook_id);
    return found.length === count && found.every((status) => status === 'Delivered');
  }, 'all are delivered');
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
  expect(receiver.received).toHaveLength(count);
  for (const service of [...workers, api]) await service.stop();
  await receiver.close();
});
