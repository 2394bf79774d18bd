import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Chance } from './chance.ts';

/** How far clocks and requests go astray in a world. */
export interface Climate {
  /** How far a process's clock may be off. */
  skewMs: number;
  /** How long a request may be under way after nobody waits for it any more. */
  latestMs: number;
}

/**
 * A no is final ten minutes after a request that was never answered. Late requests and clocks that differ share these ten
 * minutes, so a world has much of the one and little of the other.
 */
export function drawClimate(chance: Chance): Climate {
  return chance.weighted<Climate>([
    [6, { skewMs: 5 * SECOND_MS, latestMs: 8 * MINUTE_MS }],
    [3, { skewMs: 2 * MINUTE_MS, latestMs: 4 * MINUTE_MS }],
    [1, { skewMs: 30 * MINUTE_MS, latestMs: 0 }],
  ]);
}
