import { SECOND_MS } from '../lib/clock.ts';

/** Tokens in hand lapse after this: what was taken for a burst that is over must not be saved up for the next one. */
export const SHARE_LAPSES_MS = 250;
/** A share is what lasts for a tenth of a second, so a tenth of the limit is the most that lies idle in a process. */
const SHARES_PER_SECOND = 10;

/**
 * What one process holds of one reseller's bucket: tokens taken from it beforehand, and what it knows of the rest. Knows no
 * clock: every method is told the time.
 */
export class TokenShare {
  readonly #perSecond: number;
  #tokens = 0;
  #lapseAtMs = 0;
  /** When the bucket will be full, as far as is known: others only make it later. */
  #fullAtMs = 0;
  #secondFromMs = 0;
  #usedNow = 0;
  #usedBefore = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Uses a token in hand; false when there is none. */
  use(nowMs: number): boolean {
    if (this.#inHand(nowMs) < 1) return false;
    this.#tokens -= 1;
    this.#turnSecond(nowMs);
    this.#usedNow += 1;
    return true;
  }

  /** Takes what the bucket gave. */
  add(grant: { granted: number; fullInMs: number }, nowMs: number): void {
    this.#tokens = this.#inHand(nowMs) + grant.granted;
    this.#lapseAtMs = nowMs + SHARE_LAPSES_MS;
    this.#fullAtMs = nowMs + grant.fullInMs;
  }

  /** How many tokens to take at once: one at a time at low rates, a tenth of what the last second needed at high ones. */
  size(nowMs: number): number {
    this.#turnSecond(nowMs);
    const restOfLast = 1 - (nowMs - this.#secondFromMs) / SECOND_MS;
    return Math.max(1, Math.ceil((this.#usedNow + this.#usedBefore * restOfLast) / SHARES_PER_SECOND));
  }

  /** True when the next share should be asked for while this one lasts. Single tokens are not: most of them would lapse. */
  isLow(nowMs: number): boolean {
    const size = this.size(nowMs);
    return size > 1 && this.#inHand(nowMs) < size / 2 && !this.isBucketEmpty(nowMs);
  }

  /** True when asking would be for nothing: the bucket has no whole token yet. */
  isBucketEmpty(nowMs: number): boolean {
    return this.#inBucket(nowMs) < 1;
  }

  /** What may still be used at this moment: in hand, and in the bucket as far as is known. */
  remaining(nowMs: number): number {
    return Math.min(this.#perSecond, Math.floor(this.#inHand(nowMs) + this.#inBucket(nowMs)));
  }

  /** Until the bucket has a token again. */
  retryAfterSeconds(nowMs: number): number {
    return Math.max(1, Math.ceil((1 - this.#inBucket(nowMs)) / this.#perSecond));
  }

  #inHand(nowMs: number): number {
    return nowMs < this.#lapseAtMs ? this.#tokens : 0;
  }

  #inBucket(nowMs: number): number {
    const missingMs = Math.max(0, this.#fullAtMs - nowMs);
    return ((SECOND_MS - missingMs) * this.#perSecond) / SECOND_MS;
  }

  #turnSecond(nowMs: number): void {
    const elapsedMs = nowMs - this.#secondFromMs;
    if (elapsedMs >= 0 && elapsedMs < SECOND_MS) return;
    this.#usedBefore = elapsedMs < 2 * SECOND_MS && elapsedMs >= 0 ? this.#usedNow : 0;
    this.#usedNow = 0;
    this.#secondFromMs = elapsedMs < 2 * SECOND_MS && elapsedMs >= 0 ? this.#secondFromMs + SECOND_MS : nowMs;
  }
}
