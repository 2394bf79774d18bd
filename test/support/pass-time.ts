import type { TestDatabase } from './engines.ts';
import type { FakeClock } from './fake-clock.ts';

const STEP_MS = 250;

type Idle = Pick<TestDatabase, 'idle'>;

/**
 * Lets time pass in small steps, with everything that is due done at its own moment. A database takes real time, in which this
 * clock stands still: a slow one costs nobody a lease.
 */
export async function passTime(clock: FakeClock, database: Idle, durationMs: number): Promise<void> {
  await database.idle();
  for (let passedMs = 0; passedMs < durationMs; passedMs += STEP_MS) {
    await clock.advance(Math.min(STEP_MS, durationMs - passedMs));
    await database.idle();
  }
}

/** Lets long times pass in leaps of `leapMs`: what is due in between is done at the end of the leap. */
export async function leapTime(clock: FakeClock, database: Idle, durationMs: number, leapMs: number): Promise<void> {
  await database.idle();
  for (let passedMs = 0; passedMs < durationMs; passedMs += leapMs) {
    await clock.jump(leapMs);
    await database.idle();
  }
}

/** Calls to some suppliers begin so far apart. */
const TURN_MS = 25;

/** Lets as little time pass as calls to suppliers need to have their turns, until `work` has ended. */
export async function inTurns<Value>(clock: FakeClock, settle: () => Promise<void>, work: Promise<Value>): Promise<Value> {
  let hasEnded = false;
  const watched = work.finally(() => {
    hasEnded = true;
  });
  watched.catch(() => undefined);
  for (await settle(); !hasEnded; await settle()) await clock.advance(TURN_MS);
  return watched;
}
