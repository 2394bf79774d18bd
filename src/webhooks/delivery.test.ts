import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { after, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { type Delivery, decideAfterAttempt, RETRY_WAITS_MS, type Result } from './delivery.ts';

const NOW = new Date('2026-03-01T02:40:15Z');

const pending: Delivery = {
  id: 'a',
  endpointId: 'b',
  event: { id: 'c', accountId: 'd', sequence: 1n, type: 'order.success', orderId: null, data: {}, at: NOW },
  state: 'Pending',
  tries: 0,
  attempts: 0,
  nextAttemptAt: NOW,
  createdAt: NOW,
  updatedAt: NOW,
};

function result(change: Partial<Result> = {}): Result {
  return { at: NOW, durationMs: 40, status: 500, error: null, response: null, retryAfterMs: null, ...change };
}

describe('after an attempt', () => {
  test.each([200, 201, 202, 204, 299])('status %d ends the delivery', (status) => {
    expect(decideAfterAttempt(pending, result({ status }), 0)).toMatchObject({
      state: 'Delivered',
      nextAttemptAt: null,
      attempts: 1,
    });
  });

  test.each([100, 199, 300, 301, 302, 307, 400, 401, 404, 410, 429, 500, 503, null])('status %s is tried again', (status) => {
    expect(decideAfterAttempt(pending, result({ status }), 0).state).toBe('Pending');
  });

  test('the waits are those of the contract, counted from the end of the attempt before, and the tenth failure is the last', () => {
    const waits: number[] = [];
    let delivery = pending;
    while (delivery.nextAttemptAt) {
      const at = delivery.nextAttemptAt;
      delivery = decideAfterAttempt(delivery, result({ at }), 0);
      if (delivery.nextAttemptAt) waits.push(delivery.nextAttemptAt.getTime() - at.getTime() - 40);
    }
    expect(waits).toEqual([
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      14 * HOUR_MS,
      20 * HOUR_MS,
      24 * HOUR_MS,
    ]);
    expect(delivery).toMatchObject({ state: 'Failed', tries: 10, attempts: 10 });
  });

  test('jitter only lengthens a wait, by a tenth at the most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (tries, chance) => {
          const { nextAttemptAt } = decideAfterAttempt({ ...pending, tries, attempts: tries }, result(), chance);
          const waitMs = (nextAttemptAt?.getTime() ?? 0) - NOW.getTime() - 40;
          const planned = RETRY_WAITS_MS[tries + 1] ?? Number.NaN;
          return waitMs >= planned && waitMs <= planned * 1.1 + 1;
        },
      ),
    );
  });

  test('Retry-After lengthens a wait, a day at the most, and never shortens one', () => {
    const wait = (retryAfterMs: number) => decideAfterAttempt(pending, result({ status: 429, retryAfterMs }), 0).nextAttemptAt;
    expect(wait(MINUTE_MS)).toEqual(after(NOW, 40 + MINUTE_MS));
    expect(wait(SECOND_MS)).toEqual(after(NOW, 40 + 5 * SECOND_MS));
    expect(wait(400 * DAY_MS)).toEqual(after(NOW, 40 + DAY_MS));
  });

  test('an attempt that comes back after the delivery was cancelled counts, and only a success changes it', () => {
    const cancelled: Delivery = { ...pending, state: 'Cancelled', nextAttemptAt: null };
    expect(decideAfterAttempt(cancelled, result(), 0)).toMatchObject({ state: 'Cancelled', nextAttemptAt: null, attempts: 1 });
    expect(decideAfterAttempt(cancelled, result({ status: 200 }), 0)).toMatchObject({ state: 'Delivered' });
  });
});
