import { type Clock, SECOND_MS } from '../lib/clock.ts';

const PER_SECOND = 50;
const BURST = 200;

/** Bounds the messages of one supplier in this process: no supplier reports faster, and whoever does must not fill the disk. */
export class FloodGate {
  readonly #clock: Clock;
  /** By supplier, when its bucket will be full again. */
  readonly #fullAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more message of the supplier is taken now. */
  admits(supplierCode: string): boolean {
    const nowMs = this.#clock.now().getTime();
    const next = Math.max(nowMs, this.#fullAtMs.get(supplierCode) ?? 0) + SECOND_MS / PER_SECOND;
    if (next - nowMs > (BURST / PER_SECOND) * SECOND_MS) return false;
    this.#fullAtMs.set(supplierCode, next);
    return true;
  }
}
