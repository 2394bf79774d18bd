import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EventType, Topgate } from '../../sdk/src/index.ts';
import { clientOf } from '../support/client.ts';
import { describeOnBothEngines } from '../support/engines.ts';
import { openReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

describeOnBothEngines('webhooks over HTTP', (open) => {
  let topgate: TestService;
  let receiver: Receiver;
  let reseller: TestReseller;
  let webhooks: Topgate['webhooks'];
  beforeAll(async () => {
    topgate = await openTestService(open());
  });
  afterAll(() => topgate.stop());
  beforeEach(async () => {
    receiver = await openReceiver();
    reseller = await topgate.reseller();
    webhooks = reseller.topgate.webhooks;
    return () => receiver.close();
  });

  const register = (fields: { types?: EventType[] } = {}) => webhooks.create({ url: `${receiver.url}/hook`, ...fields });
  const deliveries = async (id: string) => (await webhooks.deliveries(id).page()).data;
  const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers) as { type: string };
  const taken = (count: number) => until(async () => receiver.received.length >= count, `${count} webhooks have arrived`);
  const settled = (id: string) =>
    until(async () => (await deliveries(id)).every(({ status }) => status !== 'Pending'), 'all is delivered');

  test('an order’s end is told, signed as Standard Webhooks, with the order as the status call shows it', async () => {
    const { secret, webhook_id } = await register();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const placed = await reseller.buy({ ref_id: 'HOOK-1' });
    await taken(1);
    const [received] = receiver.received as [Received];
    const event = verify(secret, received) as unknown as { type: string; sequence: number; data: object };
    const status = await reseller.topgate.orders.status({ ref_id: 'HOOK-1' });
    expect(Object.keys(event)).toEqual(['type', 'timestamp', 'sequence', 'data']);
    expect(event).toMatchObject({ type: 'order.success', data: status });
    expect(status.order_id).toBe(placed.order_id);
    expect(received.headers['content-type']).toBe('application/json');
    const event_id = received.headers['webhook-id'];
    const told = (await reseller.topgate.events.list()).find(({ type }) => type === 'order.success');
    expect(told).toMatchObject({ event_id, sequence: event.sequence });
    await settled(webhook_id);
    const [delivery] = await deliveries(webhook_id);
    expect(delivery).toMatchObject({ event_id, status: 'Delivered', next_attempt_at: null });
    expect(delivery?.attempts).toEqual([
      { number: 1, time: expect.any(String), status: 200, error: null, duration_ms: expect.any(Number), response: null },
    ]);
    const found = (await topgate.admin('GET', `/admin/api/order/${placed.order_id}`)).body.data;
    expect(found.deliveries).toEqual([delivery]);
  });

  test('an endpoint gets the types it asked for, and a test whatever they are', async () => {
    const { webhook_id, secret } = await register({ types: ['order.failed'] });
    await reseller.buy({ user_id: '123450001' });
    await reseller.buy({ user_id: '123450006', ref_id: 'WRONG-1' });
    expect(await webhooks.test(webhook_id)).toMatchObject({ webhook_id, type: 'webhook.test', status: 'Pending' });
    await taken(2);
    await settled(webhook_id);
    const types = receiver.received.map((received) => verify(secret, received).type);
    expect(types.toSorted()).toEqual(['order.failed', 'webhook.test']);
    const feed = (await reseller.topgate.events.list()).map(({ type }) => type);
    expect(feed.toSorted()).toEqual(['balance.credited', 'order.failed', 'order.success', 'webhook.test']);
  });

  test('a redirect is a failure and is not followed', async () => {
    receiver.answer(({ path }) => (path === '/hook' ? { status: 302, headers: { location: '/elsewhere' } } : {}));
    const { webhook_id } = await register();
    await webhooks.test(webhook_id);
    const delivery = await until(
      async () => (await deliveries(webhook_id)).find(({ attempts }) => attempts.length > 0),
      'the first attempt is kept',
    );
    expect(delivery).toMatchObject({ status: 'Pending', attempts: [{ status: 302, error: 'redirect' }] });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect((await webhooks.get(webhook_id)).failing_since).not.toBeNull();
  });

  test('410 disables the endpoint; enabled again, it goes on with what waits', async () => {
    receiver.answer(() => ({ status: 410 }));
    const { webhook_id } = await register();
    await webhooks.test(webhook_id);
    const disabled = await until(async () => {
      const webhook = await webhooks.get(webhook_id);
      return webhook.status === 'Disabled' && webhook;
    }, 'the endpoint is disabled');
    expect(disabled.disabled_reason).toBe('gone');
    await reseller.buy({ ref_id: 'MISSED-1' });
    await until(
      async () => (await reseller.topgate.orders.status({ ref_id: 'MISSED-1' })).status === 'Success',
      'it is delivered',
    );
    receiver.answer(() => ({}));
    expect(await webhooks.update(webhook_id, { status: 'Active' })).toMatchObject({
      status: 'Active',
      disabled_reason: null,
      failing_since: null,
    });
    await taken(2);
    await settled(webhook_id);
    expect(await deliveries(webhook_id)).toMatchObject([{ type: 'webhook.test', status: 'Delivered' }]);
    const since = '2020-01-01T00:00:00Z';
    // The opening deposit, and the order that ended while the endpoint was disabled.
    expect(await webhooks.recover(webhook_id, { since })).toEqual({ queued: 2, has_more: false });
    await taken(4);
    await settled(webhook_id);
    expect((await webhooks.recover(webhook_id, { since })).queued).toBe(0);
  });

  test('the first KiB of the answer is kept, in whatever bytes it is', async () => {
    receiver.answer(() => ({ status: 500, body: `é\u0000${'x'.repeat(5_000)}` }));
    const { webhook_id } = await register();
    await webhooks.test(webhook_id);
    const attempt = await until(async () => (await deliveries(webhook_id))[0]?.attempts[0], 'the attempt is kept');
    expect(attempt.status).toBe(500);
    expect(attempt.response).toBe(`é\ufffd${'x'.repeat(1_021)}`);
  });

  test('a delivery is sent again on demand, with the same id, beside its earlier attempts', async () => {
    const { webhook_id } = await register();
    const { delivery_id } = await webhooks.test(webhook_id);
    await taken(1);
    await settled(webhook_id);
    expect((await webhooks.resend(delivery_id)).status).toBe('Pending');
    await taken(2);
    await settled(webhook_id);
    const [first, second] = receiver.received as [Received, Received];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.body).toBe(first.body);
    expect((await deliveries(webhook_id))[0]?.attempts).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  test('for a day after a rotation deliveries verify with the old secret and with the new one', async () => {
    const { webhook_id, secret: older } = await register();
    const { secret: newer } = await webhooks.rotateSecret(webhook_id);
    expect(newer).not.toBe(older);
    await webhooks.test(webhook_id);
    await taken(1);
    for (const secret of [older, newer]) expect(verify(secret, receiver.received[0] as Received).type).toBe('webhook.test');
  });

  test('an address that is not public, or with a password in it, is refused when it is written down', async () => {
    const refusal = { status: 400, code: 'invalid_request', issues: [{ path: 'url' }] };
    await expect(webhooks.create({ url: 'http://10.0.0.1/hook' })).rejects.toMatchObject(refusal);
    const { webhook_id } = await register();
    await expect(webhooks.update(webhook_id, { url: 'https://user:pass@shop.example/' })).rejects.toMatchObject(refusal);
    expect((await webhooks.get(webhook_id)).url).toBe(`${receiver.url}/hook`);
  });

  test('a deleted endpoint is gone with what waited for it, and its place is free', async () => {
    receiver.answer(() => ({ status: 500 }));
    const { webhook_id } = await register();
    const { delivery_id } = await webhooks.test(webhook_id);
    await taken(1);
    expect(await webhooks.delete(webhook_id)).toMatchObject({ webhook_id });
    expect(await webhooks.list()).toEqual([]);
    await expect(webhooks.get(webhook_id)).rejects.toMatchObject({ status: 404, code: 'webhook_not_found' });
    await expect(webhooks.resend(delivery_id)).rejects.toMatchObject({ status: 404, code: 'delivery_not_found' });
    for (let count = 0; count < 10; count += 1) await register();
    expect(await webhooks.list()).toHaveLength(10);
  });

  test('another reseller, and the other mode, see nothing of it', async () => {
    const { webhook_id } = await register();
    const { delivery_id } = await webhooks.test(webhook_id);
    const { resellerId } = reseller;
    const issued = await topgate.admin('POST', `/admin/api/reseller/${resellerId}/credential`, { mode: 'live' });
    const live = clientOf(topgate.raw, { token: issued.body.data.access_token, secret: issued.body.data.signing_secret });
    for (const { webhooks: stranger } of [(await topgate.reseller()).topgate, live]) {
      const calls = [
        stranger.get(webhook_id),
        stranger.deliveries(webhook_id).page(),
        stranger.update(webhook_id, { status: 'Disabled' }),
        stranger.delete(webhook_id),
        stranger.test(webhook_id),
        stranger.rotateSecret(webhook_id),
        stranger.recover(webhook_id, { since: '2020-01-01T00:00:00Z' }),
      ];
      const refusal = { status: 404, code: 'webhook_not_found' };
      await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(refusal)));
      await expect(stranger.resend(delivery_id)).rejects.toMatchObject({ status: 404, code: 'delivery_not_found' });
      expect(await stranger.list()).toEqual([]);
    }
    expect((await webhooks.get(webhook_id)).status).toBe('Active');
  });

  test('the secret is told when it is made and never again', async () => {
    const { webhook_id, secret } = await register();
    const answers = await Promise.all([reseller.get('/api/webhook'), reseller.get(`/api/webhook/${webhook_id}`)]);
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toContain('"secret"');
  });
});
