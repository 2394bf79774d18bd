import { expect, test } from 'vitest';
import { openReceiver } from '../../test/support/receiver.ts';
import { until } from '../../test/support/service.ts';
import { systemClock } from '../lib/clock.ts';
import { MAX_CALLS_PER_ENDPOINT } from './deliverer.ts';
import { createNetworkGuard } from './network-guard.ts';
import { createWebhookSender } from './send.ts';

test('an endpoint that hangs does not hold up another one on the same host', async () => {
  const receiver = await openReceiver();
  receiver.answer(({ path }) => ({ hang: path === '/hangs' }));
  const sender = createWebhookSender({ clock: systemClock, guard: createNetworkGuard(['127.0.0.1/32']), version: '0' });
  const send = (path: string) => sender.send({ url: receiver.url + path, headers: {}, body: '{}' });
  const hanging = Array.from({ length: MAX_CALLS_PER_ENDPOINT }, () => send('/hangs'));
  await until(async () => receiver.received.length === MAX_CALLS_PER_ENDPOINT, 'all its calls hang');

  expect(await send('/answers')).toMatchObject({ status: 200, error: null });
  await receiver.close();
  expect((await Promise.all(hanging)).map(({ error }) => error)).toEqual(hanging.map(() => 'connection_failed'));
  await sender.close();
});
