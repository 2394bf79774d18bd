import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { Signal } from './signal.ts';

export interface WorkLoopOptions {
  clock: Clock;
  log: Log;
  /** Aborted when nothing new may be taken. */
  stopping: AbortSignal;
  /**
   * Takes what is due, hands it to `start`, and answers how long the loop may rest: 0 when there may be more to take. The loop
   * wakes earlier when it is woken, and looks again after `pollMs` at the latest.
   */
  takeDue: (loop: WorkLoop) => Promise<number>;
  /** The safety net: nothing depends on it but the worst case, as whoever makes work wakes the loop, and rows have their times. */
  pollMs: number;
  /** What the loop takes, for the log. */
  subject: string;
}

/**
 * Takes work as it falls due and does it beside taking more. Work that fails is logged and forgotten here: it must be found
 * again by itself, as a lease that runs out lets it be.
 */
export class WorkLoop {
  readonly #options: WorkLoopOptions;
  readonly #signal = new Signal();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** How many pieces of work are not done yet. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** True when somebody woke the loop since it began to look for work. */
  get isWoken(): boolean {
    return this.#signal.isRaised;
  }

  wake(): void {
    this.#signal.raise();
  }

  /** Does `work` beside the loop; `onEnd` is called when it has ended, well or not. */
  start(work: () => Promise<void>, onEnd: () => void): void {
    const started = work()
      .catch((error) => {
        const { log, subject } = this.#options;
        log.error({ err: error }, `Work on ${subject} failed; it is taken up again.`);
      })
      .finally(() => {
        this.#underWay.delete(started);
        onEnd();
      });
    this.#underWay.add(started);
  }

  /** After `stopping` was aborted: resolves when the loop and all its work have ended. */
  async finish(): Promise<void> {
    this.#signal.raise();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    const { stopping, takeDue, pollMs, log, subject } = this.#options;
    // Whoever opens the loop has it in hand before it begins.
    await null;
    while (!stopping.aborted) {
      try {
        this.#signal.lower();
        const idleMs = await takeDue(this);
        if (idleMs > 0) await this.#idle(Math.min(idleMs, pollMs));
      } catch (error) {
        log.error({ err: error }, `Could not take ${subject}; trying again.`);
        await this.#idle(pollMs);
      }
    }
  }

  async #idle(durationMs: number): Promise<void> {
    const timer = new AbortController();
    const stop = () => timer.abort();
    this.#options.stopping.addEventListener('abort', stop, { once: true });
    await this.#signal.wait(this.#options.clock.sleep(durationMs, timer.signal));
    this.#options.stopping.removeEventListener('abort', stop);
    timer.abort();
  }
}

/** Waits for loops that were told to stop, at most `limitMs`: what is not done by then is found again elsewhere. */
export async function finishWithin(clock: Clock, limitMs: number, ending: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([ending, clock.sleep(limitMs, timer.signal)]);
  timer.abort();
}
