import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnBothEngines } from '../support/engines.ts';
import { openReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

describeOnBothEngines('webhooks over HTTP', (open) => {
  let topgate: TestService;
  let receiver: Receiver;
  let reseller: TestReseller;
  beforeAll(async () => {
    topgate = await openTestService(open());
  });
  afterAll(() => topgate.stop());
  beforeEach(async () => {
    receiver = await openReceiver();
    reseller = await topgate.reseller();
    return () => receiver.close();
  });

  const register = async (fields: Record<string, unknown> = {}) =>
    (await reseller.post('/api/webhook', { url: `${receiver.url}/hook`, ...fields })).body.data;
  const deliveries = async (id: string) => (await reseller.get(`/api/webhook/${id}/delivery`)).body.data;
  const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers) as { type: string };
  const taken = (count: number) => until(async () => receiver.received.length >= count, `${count} webhooks have arrived`);
  const settled = (id: string) =>
    until(async () => (await deliveries(id)).every(({ status }: { status: string }) => status !== 'Pending'), 'all is delivered');

  test('an order’s end is told, signed as Standard Webhooks, with the order as the status call shows it', async () => {
    const { secret, webhook_id } = await register();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const placed = await reseller.order({ ref_id: 'HOOK-1' });
    await taken(1);
    const [received] = receiver.received as [Received];
    const event = verify(secret, received) as unknown as { type: string; sequence: number; data: object };
    const status = (await reseller.get('/api/order/status?ref_id=HOOK-1')).body.data;
    expect(Object.keys(event)).toEqual(['type', 'timestamp', 'sequence', 'data']);
    expect(event).toMatchObject({ type: 'order.success', data: status });
    expect(status.order_id).toBe(placed.body.data.order_id);
    expect(received.headers['content-type']).toBe('application/json');
    const feed = (await reseller.get('/api/events')).body.data.find(
      ({ type }: Received & { type: string }) => type === 'order.success',
    );
    expect(received.headers['webhook-id']).toBe(feed.event_id);
    expect(event.sequence).toBe(feed.sequence);
    await settled(webhook_id);
    const [delivery] = await deliveries(webhook_id);
    expect(delivery).toMatchObject({ event_id: feed.event_id, status: 'Delivered', next_attempt_at: null });
    expect(delivery.attempts).toEqual([
      { number: 1, time: expect.any(String), status: 200, error: null, duration_ms: expect.any(Number), response: null },
    ]);
    const found = (await topgate.admin('GET', `/admin/api/order/${placed.body.data.order_id}`)).body.data;
    expect(found.deliveries).toEqual([delivery]);
  });

  test('an endpoint gets the types it asked for, and a test whatever they are', async () => {
    const { webhook_id, secret } = await register({ types: ['order.failed'] });
    await reseller.order({ user_id: '123450001' });
    await reseller.order({ user_id: '123450006', ref_id: 'WRONG-1' });
    const tested = await reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    expect(tested.body.data).toMatchObject({ webhook_id, type: 'webhook.test', status: 'Pending' });
    await taken(2);
    await settled(webhook_id);
    const types = receiver.received.map((received) => verify(secret, received).type);
    expect(types.toSorted()).toEqual(['order.failed', 'webhook.test']);
    const feed = (await reseller.get('/api/events')).body.data.map(({ type }: { type: string }) => type);
    expect(feed.toSorted()).toEqual(['balance.credited', 'order.failed', 'order.success', 'webhook.test']);
  });

  test('a redirect is a failure and is not followed', async () => {
    receiver.answer(({ path }) => (path === '/hook' ? { status: 302, headers: { location: '/elsewhere' } } : {}));
    const { webhook_id } = await register();
    await reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    const [delivery] = await until(async () => {
      const list = await deliveries(webhook_id);
      return list[0]?.attempts.length > 0 && list;
    }, 'the first attempt is kept');
    expect(delivery).toMatchObject({ status: 'Pending', attempts: [{ status: 302, error: 'redirect' }] });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect((await reseller.get(`/api/webhook/${webhook_id}`)).body.data.failing_since).not.toBeNull();
  });

  test('410 disables the endpoint; enabled again, it goes on with what waits', async () => {
    receiver.answer(() => ({ status: 410 }));
    const { webhook_id } = await register();
    await reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    const disabled = await until(async () => {
      const { data } = (await reseller.get(`/api/webhook/${webhook_id}`)).body;
      return data.status === 'Disabled' && data;
    }, 'the endpoint is disabled');
    expect(disabled.disabled_reason).toBe('gone');
    await reseller.order({ ref_id: 'MISSED-1' });
    await until(
      async () => (await reseller.get('/api/order/status?ref_id=MISSED-1')).body.data.status === 'Success',
      'it is delivered',
    );
    receiver.answer(() => ({}));
    expect((await reseller.send('PATCH', `/api/webhook/${webhook_id}`, { status: 'Active' })).body.data).toMatchObject({
      status: 'Active',
      disabled_reason: null,
      failing_since: null,
    });
    await taken(2);
    await settled(webhook_id);
    expect(await deliveries(webhook_id)).toMatchObject([{ type: 'webhook.test', status: 'Delivered' }]);
    const recovered = await reseller.post(`/api/webhook/${webhook_id}/recover`, { since: '2020-01-01T00:00:00Z' });
    // The opening deposit, and the order that ended while the endpoint was disabled.
    expect(recovered.body.data).toEqual({ queued: 2, has_more: false });
    await taken(4);
    await settled(webhook_id);
    const again = await reseller.post(`/api/webhook/${webhook_id}/recover`, { since: '2020-01-01T00:00:00Z' });
    expect(again.body.data.queued).toBe(0);
  });

  test('the first KiB of the answer is kept, in whatever bytes it is', async () => {
    receiver.answer(() => ({ status: 500, body: `é\u0000${'x'.repeat(5_000)}` }));
    const { webhook_id } = await register();
    await reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    const attempt = await until(async () => (await deliveries(webhook_id))[0]?.attempts[0], 'the attempt is kept');
    expect(attempt.status).toBe(500);
    expect(attempt.response).toBe(`é\ufffd${'x'.repeat(1_021)}`);
  });

  test('a delivery is sent again on demand, with the same id, beside its earlier attempts', async () => {
    const { webhook_id } = await register();
    const { delivery_id } = (await reseller.post(`/api/webhook/${webhook_id}/test`, undefined)).body.data;
    await taken(1);
    await settled(webhook_id);
    expect((await reseller.post(`/api/webhook/delivery/${delivery_id}/resend`, undefined)).body.data.status).toBe('Pending');
    await taken(2);
    await settled(webhook_id);
    const [first, second] = receiver.received as [Received, Received];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.body).toBe(first.body);
    expect((await deliveries(webhook_id))[0].attempts).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  test('for a day after a rotation deliveries verify with the old secret and with the new one', async () => {
    const { webhook_id, secret: older } = await register();
    const { secret: newer } = (await reseller.post(`/api/webhook/${webhook_id}/rotate-secret`, undefined)).body.data;
    expect(newer).not.toBe(older);
    await reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    await taken(1);
    for (const secret of [older, newer]) expect(verify(secret, receiver.received[0] as Received).type).toBe('webhook.test');
  });

  test('an address that is not public is refused when it is written down, and by name when it is called', async () => {
    const refused = await reseller.post('/api/webhook', { url: 'http://10.0.0.1/hook' });
    expect([refused.status, refused.body.error.issues[0].path]).toEqual([400, 'url']);
    const { webhook_id } = await register();
    const changed = await reseller.send('PATCH', `/api/webhook/${webhook_id}`, { url: 'https://user:pass@shop.example/' });
    expect([changed.status, changed.body.error.code]).toEqual([400, 'invalid_request']);
    expect((await reseller.get(`/api/webhook/${webhook_id}`)).body.data.url).toBe(`${receiver.url}/hook`);
  });

  test('a deleted endpoint is gone with what waited for it, and its place is free', async () => {
    receiver.answer(() => ({ status: 500 }));
    const { webhook_id } = await register();
    const { delivery_id } = (await reseller.post(`/api/webhook/${webhook_id}/test`, undefined)).body.data;
    await taken(1);
    expect((await reseller.send('DELETE', `/api/webhook/${webhook_id}`)).status).toBe(200);
    expect((await reseller.get('/api/webhook')).body.data).toEqual([]);
    expect((await reseller.get(`/api/webhook/${webhook_id}`)).status).toBe(404);
    expect((await reseller.post(`/api/webhook/delivery/${delivery_id}/resend`, undefined)).status).toBe(404);
    for (let count = 0; count < 10; count += 1) await register();
    expect((await reseller.get('/api/webhook')).body.data).toHaveLength(10);
  });

  test('another reseller, and the other mode, see nothing of it', async () => {
    const { webhook_id } = await register();
    const { delivery_id } = (await reseller.post(`/api/webhook/${webhook_id}/test`, undefined)).body.data;
    const stranger = await topgate.reseller();
    const requests = [
      stranger.get(`/api/webhook/${webhook_id}`),
      stranger.get(`/api/webhook/${webhook_id}/delivery`),
      stranger.send('PATCH', `/api/webhook/${webhook_id}`, { status: 'Disabled' }),
      stranger.send('DELETE', `/api/webhook/${webhook_id}`),
      stranger.post(`/api/webhook/${webhook_id}/test`, undefined),
      stranger.post(`/api/webhook/${webhook_id}/rotate-secret`, undefined),
      stranger.post(`/api/webhook/${webhook_id}/recover`, { since: '2020-01-01T00:00:00Z' }),
      stranger.post(`/api/webhook/delivery/${delivery_id}/resend`, undefined),
    ];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 404));
    expect((await stranger.get('/api/webhook')).body.data).toEqual([]);
    expect((await reseller.get(`/api/webhook/${webhook_id}`)).body.data.status).toBe('Active');
  });

  test('the secret is told when it is made and never again', async () => {
    const { webhook_id, secret } = await register();
    const answers = await Promise.all([reseller.get('/api/webhook'), reseller.get(`/api/webhook/${webhook_id}`)]);
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toContain('"secret"');
  });
});
