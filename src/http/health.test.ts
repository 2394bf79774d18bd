import { afterAll, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { createApp } from './app.ts';
import { serveHealth } from './health.ts';

const state = { isAnswering: true, writingForMs: 0, isClockFarOff: false };
const app = createApp({ log: silentLog });
serveHealth(app, {
  ping: () => (state.isAnswering ? Promise.resolve() : Promise.reject(new Error('away'))),
  writingForMs: () => state.writingForMs,
  isClockFarOff: () => state.isClockFarOff,
  replica: () => 'none',
});
beforeEach(() => Object.assign(state, { isAnswering: true, writingForMs: 0, isClockFarOff: false }));
afterAll(() => app.close());

const ready = async () => {
  const { statusCode, json } = await app.inject({ url: '/health/ready' });
  return [statusCode, json().message];
};

test('ready while orders can be written', async () => {
  state.writingForMs = 9_000;
  expect(await ready()).toEqual([200, 'Ready to take orders']);
});

test.each([
  ['the database is away', { isAnswering: false }, 'The database does not answer.'],
  ['a batch hangs, though the database answers others', { writingForMs: 12_000 }, 'on their way to the database for 12 s'],
  ['the clock is wrong', { isClockFarOff: true }, 'clock is too far'],
])('not ready, and says why: %s', async (_what, change, message) => {
  Object.assign(state, change);
  expect(await ready()).toEqual([503, expect.stringContaining(message)]);
});
