import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOnServer, type TestDatabase } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { until } from '../../test/support/service.ts';
import { MINUTE_MS, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { watchClock } from './clock-watch.ts';

let opened: TestDatabase;
const said: string[] = [];
const note = (_fields: object, message: string) => void said.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  opened = await openOnServer();
});
afterAll(() => opened.drop());

/** A clock that stands at so much after the true time. */
async function clockAhead(byMs: number): Promise<FakeClock> {
  const clock = new FakeClock();
  await clock.jump(systemClock.now().getTime() - clock.now().getTime() + byMs);
  return clock;
}

test('a clock that is right says nothing, and its machine takes orders', async () => {
  const watch = await watchClock({ db: opened.database.db, clock: systemClock, log });
  expect(watch.isFarOff()).toBe(false);
  expect(Math.abs(watch.aheadMs() ?? 0)).toBeLessThan(2_000);
  expect(said).toEqual([]);
  await watch.stop();
});

test.each([
  [60, /3600 s ahead of the database's/],
  [-60, /3600 s behind the database's/],
])('a machine whose clock is wrong by an hour (%i min) takes no orders and says so', async (minutes, words) => {
  said.length = 0;
  const clock = await clockAhead(minutes * MINUTE_MS);
  const watch = await watchClock({ db: opened.database.db, clock, log });
  expect(watch.isFarOff()).toBe(true);
  expect(said).toEqual([expect.stringMatching(words)]);
  await clock.passUntil(watch.stop());
});

test('it takes orders again soon after its clock was set right', async () => {
  const clock = await clockAhead(-60 * MINUTE_MS);
  const watch = await watchClock({ db: opened.database.db, clock, log });
  expect(watch.isFarOff()).toBe(true);
  await clock.jump(60 * MINUTE_MS);
  await until(async () => !watch.isFarOff(), 'it has looked');
  await clock.passUntil(watch.stop());
});
