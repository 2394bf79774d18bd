import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { UnderWay } from './under-way.ts';

test('the oldest that has not ended is what counts, and one that failed has ended', async () => {
  const clock = new FakeClock();
  const underWay = new UnderWay(clock);
  const ends: (() => void)[] = [];
  const first = underWay.track(() => new Promise<void>((_resolve, reject) => ends.push(() => reject(new Error('lost')))));
  await clock.advance(1_000);
  const second = underWay.track(() => new Promise<void>((resolve) => ends.push(resolve)));
  await clock.advance(500);
  expect(underWay.longestMs).toBe(1_500);
  ends[0]?.();
  await expect(first).rejects.toThrow('lost');
  expect(underWay.longestMs).toBe(500);
  ends[1]?.();
  await second;
  expect(underWay.longestMs).toBe(0);
});
