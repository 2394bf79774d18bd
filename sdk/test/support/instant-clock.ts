import type { Clock } from '../../src/index.ts';

/** Nobody waits: a sleep moves the time on, and is remembered. */
export class InstantClock implements Clock {
  readonly waits: number[] = [];
  #nowMs = Date.parse('2026-03-01T02:40:15Z');

  now(): Date {
    return new Date(this.#nowMs);
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.waits.push(durationMs);
    this.#nowMs += durationMs;
  }
}
