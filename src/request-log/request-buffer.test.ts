import { expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, SECOND_MS } from '../lib/clock.ts';
import type { RequestEntry } from './entry.ts';
import { MAX_WAITING, RequestBuffer } from './request-buffer.ts';

const entry: RequestEntry = {
  accountId: 'one',
  id: '019c0000-0000-7000-8000-000000000000',
  requestId: 'request',
  method: 'GET',
  path: '/api/account',
  status: 200,
  problem: null,
  durationMs: 1,
  request: null,
  at: TEST_START,
};

function admitted(buffer: RequestBuffer, accountId: string, failed: boolean, at: Date): number {
  return Array.from({ length: 100 }, () => buffer.hasRoomFor(accountId, failed, at)).filter(Boolean).length;
}

test('of an account 20 successes and 50 failures are kept in each second', () => {
  const buffer = new RequestBuffer();
  for (const account of ['one', 'other']) {
    expect(admitted(buffer, account, false, TEST_START)).toBe(20);
    expect(admitted(buffer, account, true, TEST_START)).toBe(50);
  }
  expect(admitted(buffer, 'one', false, after(TEST_START, SECOND_MS - 1))).toBe(0);
  expect(admitted(buffer, 'one', false, after(TEST_START, SECOND_MS))).toBe(20);
});

test('of all accounts together 200 successes are kept in a second, and failures beside them', () => {
  const buffer = new RequestBuffer();
  const accounts = Array.from({ length: 30 }, (_, index) => `account ${index}`);
  const kept = accounts.reduce((sum, account) => sum + admitted(buffer, account, false, TEST_START), 0);
  expect(kept).toBe(200);
  expect(admitted(buffer, 'one', true, TEST_START)).toBe(50);
  expect(admitted(buffer, 'one', false, after(TEST_START, SECOND_MS))).toBe(20);
});

test('10,000 entries wait; more are dropped and counted', () => {
  const buffer = new RequestBuffer();
  for (let index = 0; index < MAX_WAITING + 3; index++) buffer.add(entry);
  expect(buffer.length).toBe(10_000);
  buffer.addLost(2);
  expect([buffer.takeDropped(), buffer.takeDropped()]).toEqual([5, 0]);
  expect(buffer.take(4_000)).toHaveLength(4_000);
  expect(buffer.length).toBe(6_000);
});
