import { after, type Clock } from '../lib/clock.ts';

/** Told once how a permitted call went. */
export type RecordCall = (succeeded: boolean) => void;

/** A circuit breaker: after too many failures in a row nothing more is sent for a while, then one call at a time is tried. */
export interface Circuit {
  /** False while the supplier rests, and while a single trial call is under way. */
  isClosed(): boolean;
  /** Asks for permission to call; null while there is none. */
  enter(): RecordCall | null;
}

/**
 * Follows the given clock, which the libraries for this do not: a simulation of days would otherwise trip a circuit that rests
 * in real time.
 */
export function createCircuit(clock: Clock, { failures, restMs }: { failures: number; restMs: number }): Circuit {
  let failuresInRow = 0;
  let restsUntil: Date | null = null;
  let trialUnderWay = false;
  /** How often the supplier has been sent to rest. */
  let rests = 0;

  const isResting = () => restsUntil !== null && clock.now() < restsUntil;
  const isClosed = () => restsUntil === null || (!isResting() && !trialUnderWay);
  return {
    isClosed,
    enter() {
      if (!isClosed()) return null;
      const restsBefore = rests;
      trialUnderWay = restsUntil !== null;
      return (succeeded) => {
        // A call from before the rest tells how the supplier was: it neither ends the rest nor the trial after it.
        if (restsBefore !== rests) return;
        trialUnderWay = false;
        failuresInRow = succeeded ? 0 : failuresInRow + 1;
        if (succeeded) restsUntil = null;
        else if (failuresInRow >= failures) {
          restsUntil = after(clock.now(), restMs);
          rests += 1;
        }
      };
    },
  };
}
