import { after, type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { createPace, type Pace } from '../../lib/pace.ts';
import { ORDER_GAP_MS } from './map.ts';

/** One second more than it asks for, for the way there. */
const GAP_MS = ORDER_GAP_MS + SECOND_MS;
const SLOW_FOR_MS = 10 * MINUTE_MS;
/** Orders that would have to wait longer are told to come back; the time limit of an order goes on meanwhile. */
const PATIENCE_MS = 2 * GAP_MS;

/** Orders leave as they come, until the supplier says that we are too fast; then one after the other for a while. */
export interface Turns {
  /** Waits for its turn; false, at once, when too many wait already. */
  enter(): Promise<boolean>;
  /** The supplier has said that we are too fast. */
  slowDown(): Promise<void>;
}

export function createTurns(clock: Clock): Turns {
  let slow: { pace: Pace; until: Date } | null = null;
  const isSlow = () => slow !== null && clock.now() < slow.until;
  return {
    enter: async () => (slow !== null && isSlow() ? slow.pace.enter(PATIENCE_MS) : true),
    async slowDown() {
      const until = after(clock.now(), SLOW_FOR_MS);
      if (slow !== null && isSlow()) {
        slow.until = until;
        return;
      }
      slow = { pace: createPace(clock, SECOND_MS / GAP_MS), until };
      // The order that came too fast has had the first turn.
      await slow.pace.enter(0);
    },
  };
}
