import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { createApp } from './app.ts';

test('told to stop, it refuses what is new in the form of every other error, and says when to come back', async () => {
  let stopping = false;
  const app = createApp({ log: silentLog, isStopping: () => stopping });
  app.get('/open', async () => ({ ok: true }));
  expect((await app.inject('/open')).statusCode).toBe(200);
  stopping = true;
  const refused = await app.inject({ url: '/open', headers: { 'x-request-id': 'mine-1' } });
  expect(refused.statusCode).toBe(503);
  expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-request-id': 'mine-1' });
  expect(refused.json()).toMatchObject({ success: false, error: { code: 'maintenance', retryable: true }, request_id: 'mine-1' });
  await app.close();
});

test('a fault of ours says nothing of what went wrong inside', async () => {
  const app = createApp({ log: silentLog });
  app.get('/broken', async () => {
    throw new Error('select * from secrets where supplier = 1');
  });
  const answer = await app.inject('/broken');
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain('secrets');
  expect(answer.json().error).toEqual({ code: 'internal_error', retryable: true });
  await app.close();
});

test('a compressed body is refused, and a question has none that could be', async () => {
  const app = createApp({ log: silentLog });
  app.get('/question', async () => ({ ok: true }));
  app.post('/order', async () => ({ ok: true }));
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
  expect((await app.inject({ method: 'GET', url: '/question', headers })).statusCode).toBe(200);
  const refused = await app.inject({ method: 'POST', url: '/order', headers, payload: '{}' });
  expect([refused.statusCode, refused.json().error.code]).toEqual([415, 'unsupported_media_type']);
  await app.close();
});

test('bytes that are not HTTP are answered with the envelope as well', async () => {
  const app = createApp({ log: silentLog });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const answer = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('THIS IS NOT HTTP\r\n\r\n'));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head.toLowerCase()).toContain('x-request-id: ');
  expect(JSON.parse(body)).toMatchObject({ status: 400, success: false, error: { code: 'invalid_request' } });
  await app.close();
});
