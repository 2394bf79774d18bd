import { after, type Clock, SECOND_MS } from './clock.ts';

/** Spreads calls evenly, so that a supplier's limit per second is not met by a burst. */
export interface Pace {
  /** Waits for the next free place; false, at once, when that would take longer than `patienceMs`. */
  enter(patienceMs: number): Promise<boolean>;
}

export function createPace(clock: Clock, perSecond: number | null): Pace {
  if (perSecond === null) return { enter: async () => true };
  const gapMs = SECOND_MS / perSecond;
  let next = clock.now();
  return {
    async enter(patienceMs) {
      const now = clock.now();
      const waitMs = Math.max(0, next.getTime() - now.getTime());
      // The queue never grows past the patience, so a longer wait means that the clock was set back.
      const isClockBack = waitMs > patienceMs + gapMs;
      if (waitMs > patienceMs && !isClockBack) return false;
      const place = isClockBack ? now : after(now, waitMs);
      next = after(place, gapMs);
      if (place > now) await clock.sleep(waitMs);
      return true;
    },
  };
}
