import { after, type Clock, SECOND_MS } from './clock.ts';

/** Spreads calls evenly, so that a supplier's limit per second is not met by a burst. */
export interface Pace {
  /**
   * Waits for the next free place; false, at once, when that would take longer than `patienceMs`, and false when it did: a machine
   * that was asleep meanwhile must not go on as if nothing had happened.
   */
  enter(patienceMs: number): Promise<boolean>;
}

/** A timer of a busy process is late by less. */
const LATE_MS = SECOND_MS;

export function createPace(clock: Clock, perSecond: number | null): Pace {
  if (perSecond === null) return { enter: async () => true };
  const gapMs = SECOND_MS / perSecond;
  let next = clock.now();
  let longestPatienceMs = 0;
  return {
    async enter(patienceMs) {
      longestPatienceMs = Math.max(longestPatienceMs, patienceMs);
      const now = clock.now();
      const waitMs = Math.max(0, next.getTime() - now.getTime());
      // The queue never grows past the longest patience, so a longer wait means that the clock was set back.
      const isClockBack = waitMs > longestPatienceMs + gapMs;
      if (waitMs > patienceMs && !isClockBack) return false;
      const place = isClockBack ? now : after(now, waitMs);
      next = after(place, gapMs);
      if (place > now) await clock.sleep(waitMs);
      return clock.now() <= after(now, patienceMs + LATE_MS);
    },
  };
}
