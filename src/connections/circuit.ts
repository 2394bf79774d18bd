import { after, type Clock } from '../lib/clock.ts';

/** A circuit breaker: after too many failures in a row nothing more is sent for a while, then one call at a time is tried. */
export interface Circuit {
  /** False while the supplier rests, and while a single trial call is under way. */
  isClosed(): boolean;
  /** Asks for permission to call; every permitted call must be followed by `record`. */
  tryEnter(): boolean;
  record(succeeded: boolean): void;
}

/**
 * Follows the given clock, which the libraries for this do not: a simulation of days would otherwise trip a circuit that rests
 * in real time.
 */
export function createCircuit(clock: Clock, { failures, restMs }: { failures: number; restMs: number }): Circuit {
  let failuresInRow = 0;
  let restsUntil: Date | null = null;
  let trialUnderWay = false;

  const isResting = () => restsUntil !== null && clock.now() < restsUntil;
  const isClosed = () => restsUntil === null || (!isResting() && !trialUnderWay);
  return {
    isClosed,
    tryEnter() {
      if (!isClosed()) return false;
      trialUnderWay = restsUntil !== null;
      return true;
    },
    record(succeeded) {
      trialUnderWay = false;
      failuresInRow = succeeded ? 0 : failuresInRow + 1;
      if (succeeded) restsUntil = null;
      else if (failuresInRow >= failures) restsUntil = after(clock.now(), restMs);
    },
  };
}
