import { setTimeout as delay } from 'node:timers/promises';
import { DateTime, IANAZone } from 'luxon';

/** The only source of time. Everything that reads or waits for time takes one of these, so tests can own it. */
export interface Clock {
  now(): Date;
  /** Resolves after `durationMs`, or at once (without an error) when the signal aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(durationMs, signal) {
    try {
      await delay(durationMs, undefined, signal ? { signal } : {});
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  },
};

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function after(time: Date, durationMs: number): Date {
  return new Date(time.getTime() + durationMs);
}

/**
 * ISO 8601 with the zone's numeric offset and whole seconds, e.g. `2026-03-01T02:40:15+07:00`.
 * Every time that leaves the service has this form.
 */
export function formatTime(time: Date, timeZone: string): string {
  const text = DateTime.fromJSDate(time, { zone: timeZone })
    .startOf('second')
    .toISO({ suppressMilliseconds: true, includeOffset: true });
  if (text === null) throw new Error(`Cannot format ${String(time)} in ${timeZone}`);
  // Luxon writes UTC as "Z"; the interface promises a numeric offset.
  return text.endsWith('Z') ? `${text.slice(0, -1)}+00:00` : text;
}

export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

/**
 * Waits for `work` at most `limitMs` and then aborts its signal.
 * Answers `{ timedOut: true }` instead of throwing, because a late answer is an expected outcome of every external call.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ timedOut: false; value: T } | { timedOut: true }> {
  const call = new AbortController();
  const timer = new AbortController();
  const limit = clock.sleep(limitMs, timer.signal).then(() => ({ timedOut: true as const }));
  const answer = work(call.signal).then((value) => ({ timedOut: false as const, value }));
  try {
    return await Promise.race([answer, limit]);
  } finally {
    timer.abort();
    call.abort();
    // Whichever side lost the race may still reject; nobody is left to hear it.
    answer.catch(() => undefined);
  }
}
