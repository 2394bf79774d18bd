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

test('a clock that is set back does not lock anybody out', async () => {
  const clock = new FakeClock();
  const pace = createPace(clock, 1);
  await pace.enter(0);
  await clock.jump(-3_600_000);
  expect(await pace.enter(5_000)).toBe(true);
});
