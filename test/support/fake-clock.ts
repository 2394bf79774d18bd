import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';

interface Sleeper {
  wakeAtMs: number;
  wake: () => void;
}

/** Every test that owns the time starts at this instant. */
export const TEST_START = new Date('2026-03-01T02:40:15.000Z');

/** A clock that stands still until it is told to go on. Sleepers wake in the order of their times. */
export class FakeClock implements Clock {
  #nowMs = TEST_START.getTime();
  #sleepers = new Set<Sleeper>();

  now(): Date {
    return new Date(this.#nowMs);
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + durationMs,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Lets time pass; whoever was due in between wakes at its own moment, and gets a turn to go on. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    for (;;) {
      const next = [...this.#sleepers].sort((one, other) => one.wakeAtMs - other.wakeAtMs)[0];
      if (!next || next.wakeAtMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
      next.wake();
      await nextTurn();
    }
    this.#nowMs = endMs;
    await nextTurn();
  }

  /** Lets time pass until `work` has ended: what ends by a time limit of its own, such as the stop of a service. */
  async passUntil<Value>(work: Promise<Value>): Promise<Value> {
    let ended = false;
    const watched = work.finally(() => {
      ended = true;
    });
    while (!ended) await this.advance(1_000);
    return watched;
  }

  /** Time passes at once, as for a machine that was suspended: everybody who was due meanwhile wakes at its end, once. */
  async jump(durationMs: number): Promise<void> {
    this.#nowMs += durationMs;
    const due = [...this.#sleepers].filter(({ wakeAtMs }) => wakeAtMs <= this.#nowMs);
    for (const sleeper of due) sleeper.wake();
    await nextTurn();
  }
}
