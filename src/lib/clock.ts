import { DateTime, IANAZone } from 'luxon';

/** The only source of time. Everything that reads or waits for time takes one of these, so tests can own it. */
export interface Clock {
  now(): Date;
  /** Resolves after `durationMs`, or at once (without an error) when the signal aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  // Not the sleep of `node:timers/promises`, which makes an error with its stack for each that is called off: every supplier's
  // and webhook's time limit is.
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end);
    }),
};

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;

export function after(time: Date, durationMs: number): Date {
  return new Date(time.getTime() + durationMs);
}

/** The offsets of zones in the quarters of an hour that were asked for lately; no zone changes its offset within one. */
const offsets = new Map<string, number>();
const OFFSET_SPAN_MS = 15 * MINUTE_MS;
const MAX_OFFSETS = 1_000;

/**
 * ISO 8601 with the zone's numeric offset and whole seconds, e.g. `2026-03-01T02:40:15+07:00`.
 * Every time that leaves the service has this form.
 */
export function formatTime(time: Date, timeZone: string): string {
  const offsetMinutes = offsetOf(timeZone, time.getTime());
  const local = new Date(time.getTime() + offsetMinutes * MINUTE_MS).toISOString().slice(0, 19);
  const size = Math.abs(offsetMinutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
}

/** Asking for an offset costs some microseconds, and most answers have several times of the same minute in them. */
function offsetOf(timeZone: string, timeMs: number): number {
  const key = `${timeZone} ${Math.floor(timeMs / OFFSET_SPAN_MS)}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  const offset = Math.round(IANAZone.create(timeZone).offset(timeMs));
  offsets.set(key, offset);
  return offset;
}

/** The last midnight of the zone. */
export function startOfDay(time: Date, timeZone: string): Date {
  return DateTime.fromJSDate(time, { zone: timeZone }).startOf('day').toJSDate();
}

/** The date, `2026-03-01`, that it is in the zone. */
export function dateIn(time: Date, timeZone: string): string {
  return DateTime.fromJSDate(time, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** A whole day of the zone, from its midnight to before the next one; null when there is no such date. */
export function dayOf(date: string, timeZone: string): { from: Date; to: Date } | null {
  const start = DateTime.fromFormat(date, 'yyyy-MM-dd', { zone: timeZone }).startOf('day');
  return start.isValid ? { from: start.toJSDate(), to: start.plus({ days: 1 }).startOf('day').toJSDate() } : null;
}

/** Minutes since midnight of the zone, 0 to 1439. */
export function minuteOfDay(time: Date, timeZone: string): number {
  const minutes = Math.floor(time.getTime() / MINUTE_MS) + offsetOf(timeZone, time.getTime());
  return ((minutes % MINUTES_PER_DAY) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
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
    const first = await Promise.race([answer, limit]);
    if (first.timedOut) call.abort();
    return first;
  } finally {
    // With a reason, as without one an error is made for it.
    timer.abort('ended');
    // Whichever side lost the race may still reject; nobody is left to hear it.
    answer.catch(() => undefined);
  }
}
