import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Exchange } from '../suppliers/observed-call.ts';
import type { Wire } from '../suppliers/wire.ts';
import { traceCall } from './trace-call.ts';

function callOver(wire: Wire) {
  const exchanges: Exchange[] = [];
  const aborter = new AbortController();
  const redact = (text: string) => text.replaceAll('secret', '•••');
  const call = traceCall({ wire, clock: new FakeClock(), redact, exchanges, signal: aborter.signal });
  return { call, exchanges, aborter };
}

test('what went over the wire is kept without secrets, whether it was answered or not', async () => {
  let answers = 0;
  const { call, exchanges } = callOver({
    async send() {
      answers += 1;
      if (answers === 2) throw new Error('broken by secret');
      return { status: 200, text: 'secret\u0000' };
    },
    close() {},
  });
  await call.send({ method: 'POST', url: 'https://x.example/?key=secret', body: 'secret body' });
  await expect(call.send({ method: 'GET', url: 'https://x.example/' })).rejects.toThrow('broken');
  expect(exchanges).toEqual([
    {
      method: 'POST',
      url: 'https://x.example/?key=•••',
      requestBody: '••• body',
      status: 200,
      responseBody: '•••\ufffd',
      error: null,
      durationMs: 0,
    },
    {
      method: 'GET',
      url: 'https://x.example/',
      requestBody: null,
      status: null,
      responseBody: null,
      error: 'broken by •••',
      durationMs: 0,
    },
  ]);
});

test('a call whose time is over sends nothing more: it would be a purchase that nobody knows of', async () => {
  let sent = 0;
  const { call, aborter } = callOver({
    async send() {
      sent += 1;
      return { status: 200, text: '' };
    },
    close() {},
  });
  aborter.abort();
  await expect(call.send({ method: 'POST', url: 'https://x.example/' })).rejects.toThrow();
  expect(sent).toBe(0);
});
