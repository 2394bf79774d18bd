import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
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

test('a call that gets no answer ends after 15 seconds', async () => {
  const receiver = await openReceiver();
  receiver.answer(() => ({ hang: true }));
  const clock = new FakeClock();
  const sender = createWebhookSender({ clock, guard: createNetworkGuard(['127.0.0.1/32']), version: '0' });
  const call = sender.send({ url: receiver.url, headers: {}, body: '{}' });
  await until(async () => receiver.received.length === 1, 'the call hangs');
  await clock.advance(14_999);
  let ended = false;
  void call.then(() => {
    ended = true;
  });
  await clock.advance(0);
  expect(ended).toBe(false);
  await clock.advance(1);
  expect(await call).toMatchObject({ status: null, error: 'timeout', durationMs: 15_000 });
  await sender.close();
  await receiver.close();
});

test('of an answer without end the first KiB is read, and its status counts', async () => {
  let closed = false;
  const server = http.createServer((_request, response) => {
    response.on('close', () => {
      closed = true;
    });
    const more = (): void => void response.write('x'.repeat(10_000), () => !response.destroyed && more());
    response.writeHead(200);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = createWebhookSender({ clock: systemClock, guard: createNetworkGuard(['127.0.0.1/32']), version: '0' });
  const result = await sender.send({ url, headers: {}, body: '{}' });
  expect(result).toMatchObject({ status: 200, error: null, response: 'x'.repeat(1_024) });
  await until(async () => closed, 'the connection is closed by us');
  await sender.close();
  await new Promise((resolve) => server.close(resolve));
});

test('an address within is not called, whether it is written down or a name leads to it', async () => {
  const receiver = await openReceiver();
  const { port } = new URL(receiver.url);
  const sender = createWebhookSender({ clock: systemClock, guard: createNetworkGuard([]), version: '0' });
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
    expect(await sender.send({ url: `http://${host}:${port}/`, headers: {}, body: '{}' })).toMatchObject({
      status: null,
      error: 'address_not_allowed',
    });
  expect(receiver.received).toEqual([]);
  await sender.close();
  await receiver.close();
});

test('what stands in the way of a call is told apart', async () => {
  const receiver = await openReceiver();
  const sender = createWebhookSender({ clock: systemClock, guard: createNetworkGuard(['127.0.0.1/32']), version: '0' });
  const send = async (url: string) => (await sender.send({ url, headers: {}, body: '{}' })).error;
  expect(await send(receiver.url.replace('http:', 'https:'))).toBe('tls_failed');
  await receiver.close();
  expect(await send(receiver.url)).toBe('connection_failed');
  await sender.close();
});

test.each([
  ['7', 7_000],
  ['Sun, 01 Mar 2026 02:41:15 GMT', 60_000],
  ['Sun, 01 Mar 2020 02:41:15 GMT', 0],
  ['soon', null],
])('Retry-After: %s asks for %s ms', async (header, expected) => {
  const receiver = await openReceiver();
  receiver.answer(() => ({ status: 503, headers: { 'retry-after': header } }));
  const sender = createWebhookSender({ clock: new FakeClock(), guard: createNetworkGuard(['127.0.0.1/32']), version: '0' });
  expect((await sender.send({ url: receiver.url, headers: {}, body: '{}' })).retryAfterMs).toBe(expected);
  await sender.close();
  await receiver.close();
});
