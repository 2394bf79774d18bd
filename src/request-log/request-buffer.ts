import { SECOND_MS } from '../lib/clock.ts';
import type { RequestEntry } from './entry.ts';

export const MAX_WAITING = 10_000;
/** Of one account in one second, in one process. Failures get more room: they are what somebody will look for. */
export const MAX_SUCCESSES_PER_SECOND = 20;
export const MAX_FAILURES_PER_SECOND = 50;
/** Of all accounts together in one second, in one process: a busy service has better things to write than its successes. */
export const MAX_SUCCESSES_OF_ALL = 200;

/** Requests that wait to be written. Nothing here waits or fails: what does not fit is left out and counted. */
export class RequestBuffer {
  #waiting: RequestEntry[] = [];
  #dropped = 0;
  #second = 0;
  #successes = 0;
  /** By account, for the running second alone, so the map is never larger than the callers of a second. */
  #seen = new Map<string, { successes: number; failures: number }>();

  get length(): number {
    return this.#waiting.length;
  }

  /** Whether one more request of the account is kept in this second. Asked first, as the rest of an entry costs more. */
  hasRoomFor(accountId: string, failed: boolean, now: Date): boolean {
    const second = Math.floor(now.getTime() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#successes = 0;
      this.#seen.clear();
    }
    let seen = this.#seen.get(accountId);
    if (!seen) {
      seen = { successes: 0, failures: 0 };
      this.#seen.set(accountId, seen);
    }
    if (failed) return ++seen.failures <= MAX_FAILURES_PER_SECOND;
    return ++seen.successes <= MAX_SUCCESSES_PER_SECOND && ++this.#successes <= MAX_SUCCESSES_OF_ALL;
  }

  add(entry: RequestEntry): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(entry);
    else this.#dropped += 1;
  }

  /** The oldest entries; whoever takes them writes them, or says that they are lost. */
  take(limit: number): RequestEntry[] {
    return this.#waiting.splice(0, limit);
  }

  addLost(count: number): void {
    this.#dropped += count;
  }

  /** How many were dropped or lost since the last time this was asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
