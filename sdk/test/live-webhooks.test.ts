import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openReceiver, type Received, type Receiver } from '../../test/support/receiver.ts';
import { until } from '../../test/support/service.ts';
import { isTopgateError, type Topgate, type TopgateWebhookError, verifyWebhook } from '../src/index.ts';
import { liveService } from './support/live-service.ts';

const live = liveService();
const ORDER = { service_code: 'MLBB-85', ref_id: 'INV-1', account_identifier: { user_id: '123450001', zone: '2001' } };

describe('webhooks of the real service', () => {
  let receiver: Receiver;
  let topgate: Topgate;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    receiver.received.length = 0;
    ({ topgate } = await live.join());
  });

  const received = (count: number) =>
    until(async () => receiver.received.length >= count && receiver.received, `${count} deliveries have arrived`);
  const register = () => topgate.webhooks.create({ url: `${receiver.url}/hook` });

  test('what arrives verifies with the secret of its making, and is the event of the feed', async () => {
    const { secret } = await topgate.webhooks.create({ url: `${receiver.url}/hook`, types: ['order.success'] });
    await topgate.orders.create(ORDER);
    const [delivery] = (await received(1)) as [Received];
    const event = await verifyWebhook(delivery.body, delivery.headers, secret);
    const feed = await topgate.events.list();
    expect(event).toEqual(feed.find(({ type }) => type === 'order.success'));
    const forged = verifyWebhook(`${delivery.body} `, delivery.headers, secret);
    await expect(forged).rejects.toMatchObject({ code: 'invalid_webhook' } satisfies Partial<TopgateWebhookError>);
  });

  test('an endpoint is made, listed, changed, disabled, enabled and deleted', async () => {
    const { secret, ...made } = await register();
    expect(secret).toMatch(/^whsec_/);
    expect(await topgate.webhooks.list()).toEqual([made]);
    const changed = await topgate.webhooks.update(made.webhook_id, { types: ['balance.low'], status: 'Disabled' });
    expect(changed).toMatchObject({ types: ['balance.low'], status: 'Disabled', disabled_reason: 'by_request' });
    await expect(topgate.webhooks.test(made.webhook_id)).rejects.toMatchObject({ code: 'webhook_disabled', status: 422 });
    expect(await topgate.webhooks.update(made.webhook_id, { status: 'Active' })).toMatchObject({ status: 'Active' });
    expect(await topgate.webhooks.get(made.webhook_id)).toMatchObject({ types: ['balance.low'], disabled_reason: null });
    await topgate.webhooks.delete(made.webhook_id);
    const error = await topgate.webhooks.get(made.webhook_id).catch((reason: unknown) => reason);
    expect(isTopgateError(error, 'webhook_not_found')).toBe(true);
  });

  test('the eleventh endpoint is refused', async () => {
    for (let count = 0; count < 10; count += 1) await register();
    await expect(register()).rejects.toMatchObject({ code: 'webhook_limit_reached' });
  });

  test('after a rotation a delivery verifies with the old secret, the new one, and both', async () => {
    const { webhook_id, secret: older } = await register();
    const { secret: newer } = await topgate.webhooks.rotateSecret(webhook_id);
    await topgate.webhooks.test(webhook_id);
    const [delivery] = (await received(1)) as [Received];
    for (const secrets of [older, newer, [older, newer]])
      expect(await topgate.webhooks.verify(delivery.body, delivery.headers, secrets)).toMatchObject({ type: 'webhook.test' });
  });

  test('deliveries are paged with their attempts, and sent again under the same id', async () => {
    const since = new Date(Date.now() - 60_000);
    const { webhook_id } = await register();
    const first = await topgate.webhooks.test(webhook_id);
    await topgate.webhooks.test(webhook_id);
    await received(2);
    const isDelivered = async () => {
      const { data } = await topgate.webhooks.deliveries(webhook_id, { status: 'Delivered' }).page();
      return data.length === 2;
    };
    await until(isDelivered, 'both are delivered');
    const attempts = [];
    for await (const delivery of topgate.webhooks.deliveries(webhook_id, { limit: 1 })) attempts.push(delivery.attempts.length);
    expect(attempts).toEqual([1, 1]);
    await topgate.webhooks.resend(first.delivery_id);
    const all = (await received(3)) as Received[];
    expect(all[2]?.headers['webhook-id']).toBe(first.event_id);
    // The deposit, which was made before the endpoint.
    expect(await topgate.webhooks.recover(webhook_id, { since })).toEqual({ queued: 1, has_more: false });
    await received(4);
  });
});
