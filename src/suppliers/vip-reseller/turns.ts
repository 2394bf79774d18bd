import { after, type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { ORDER_GAP_MS } from './map.ts';

/** One second more than it asks for, for the way there. */
const SHORTEST_GAP_MS = ORDER_GAP_MS + SECOND_MS;
const LONGEST_GAP_MS = 40 * SECOND_MS;
const SLOW_FOR_MS = 10 * MINUTE_MS;
/** Orders that would have to wait longer are told to come back; the time limit of an order goes on meanwhile. */
const PATIENCE_MS = 20 * SECOND_MS;
const LONGEST_ABSENCE_MS = 15 * MINUTE_MS;
/** After so many orders one turn is left to others. */
const ORDERS_IN_A_ROW = 6;

/** An order leaves now, or comes back after that time. */
export type Turn = { kind: 'now'; leftAt: Date } | { kind: 'later'; afterMs: number };

/** Orders leave as they come, until the supplier says that we are too fast; then one after the other for a while. */
export interface Turns {
  enter(signal: AbortSignal): Promise<Turn>;
  /** The supplier has said that this order came too fast. */
  slowDown(turn: { leftAt: Date }): void;
  /** It has taken one. */
  speedUp(): void;
}

/**
 * Other workers with the same account are not seen from here: their orders are felt as refusals. So whoever was refused comes back
 * after seven seconds, then after eight, nine and so on, which meets a gap between the others' orders soon; makes its own gaps half
 * as long again, and shortens them slowly; and whoever had six turns leaves one free, as those who are never refused would otherwise
 * feel nobody. In an hour of more orders than can leave, two or three workers use about half of what the supplier takes, and the
 * unluckiest order is refused ten times.
 */
export function createTurns(clock: Clock): Turns {
  let slowUntil = clock.now();
  let slowedAt: Date | null = null;
  let gapMs = SHORTEST_GAP_MS;
  /** Orders refused in a row, and orders that left since. */
  let refused = 0;
  let left = 0;
  let next = clock.now();
  let line: Promise<void> = Promise.resolve();
  let waiting = 0;
  /** When the last of those who were told to come back will do so. */
  let lastReturn = clock.now();

  const isSlow = (now: Date) => slowUntil > now && slowUntil <= after(now, SLOW_FOR_MS);
  /** How long until the next place. None is further off than this, so one that is means that the clock was set back. */
  const untilNext = (): number => {
    const waitMs = next.getTime() - clock.now().getTime();
    return waitMs > 2 * LONGEST_GAP_MS ? 0 : Math.max(0, waitMs);
  };

  async function waitInLine(signal: AbortSignal): Promise<void> {
    // The place moves on when an order before this one is refused.
    for (let waitMs = untilNext(); waitMs > 0 && !signal.aborted; waitMs = untilNext()) await clock.sleep(waitMs, signal);
    if (signal.aborted) return;
    left += 1;
    next = after(clock.now(), left % ORDERS_IN_A_ROW === 0 ? 2 * gapMs : gapMs);
  }

  return {
    async enter(signal) {
      const now = clock.now();
      if (!isSlow(now)) return { kind: 'now', leftAt: now };
      const placeMs = untilNext() + waiting * gapMs;
      if (placeMs > PATIENCE_MS) {
        // One after the other, or all of them would be back at once.
        const place = after(now, placeMs);
        const isQueued = lastReturn >= place && lastReturn < after(now, LONGEST_ABSENCE_MS);
        lastReturn = isQueued ? after(lastReturn, gapMs) : place;
        return { kind: 'later', afterMs: lastReturn.getTime() - now.getTime() };
      }
      waiting += 1;
      line = line.then(() => waitInLine(signal));
      await line;
      waiting -= 1;
      return { kind: 'now', leftAt: clock.now() };
    },
    slowDown({ leftAt }) {
      const now = clock.now();
      const wasSlow = isSlow(now);
      slowUntil = after(now, SLOW_FOR_MS);
      // One that left before orders were slowed the last time says nothing of how they leave since.
      if (wasSlow && slowedAt !== null && leftAt <= slowedAt && slowedAt <= now) return;
      slowedAt = now;
      left = 0;
      refused = wasSlow ? refused + 1 : 1;
      if (!wasSlow) gapMs = SHORTEST_GAP_MS;
      else if (refused === 1) gapMs = Math.min(LONGEST_GAP_MS, 1.5 * gapMs);
      next = after(now, Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS + (refused - 1) * SECOND_MS));
    },
    speedUp() {
      refused = 0;
      gapMs = Math.max(SHORTEST_GAP_MS, 0.95 * gapMs);
    },
  };
}
