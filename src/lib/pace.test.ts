import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createPace } from './pace.ts';

test('without a limit nobody waits', async () => {
  const pace = createPace(new FakeClock(), null);
  expect(await Promise.all(Array.from({ length: 100 }, () => pace.enter(0)))).toEqual(Array(100).fill(true));
});

test('calls are spread evenly, and whoever would wait for longer than its patience is turned away at once', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 2);
  const startedAt = clock.now().getTime();
  const entered: number[] = [];
  const calls = Array.from({ length: 6 }, async () => {
    const may = await pace.enter(2_000);
    if (may) entered.push(clock.now().getTime() - startedAt);
    return may;
  });
  await clock.advance(0);
  await clock.advance(10_000);
  expect(await Promise.all(calls)).toEqual([true, true, true, true, true, false]);
  expect(entered).toEqual([0, 500, 1_000, 1_500, 2_000]);
});

test('an unused second is not saved up for a burst', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 1);
  await clock.advance(60_000);
  const first = pace.enter(0);
  const second = pace.enter(0);
  expect([await first, await second]).toEqual([true, false]);
});

test('whoever is less patient than those who wait is turned away, and lets nobody past them', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 1);
  const waiting = Array.from({ length: 5 }, () => pace.enter(5_000));
  expect(await pace.enter(1_000)).toBe(false);
  expect(await pace.enter(3_999)).toBe(false);
  await clock.advance(5_000);
  expect(await Promise.all(waiting)).toEqual(Array(5).fill(true));
});

test('a machine that was asleep while a call waited turns it away: whatever it was for may be over', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 1);
  await pace.enter(0);
  const waiting = pace.enter(5_000);
  await clock.jump(3_600_000);
  await clock.advance(1_000);
  expect(await waiting).toBe(false);
});

test('a clock that is set back does not lock anybody out', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 1);
  await pace.enter(0);
  await clock.jump(-3_600_000);
  expect(await pace.enter(5_000)).toBe(true);
});
