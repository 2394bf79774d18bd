import { TEST_START } from '../support/fake-clock.ts';

/** Who sleeps: a simulated process that may be stopped in its sleep, or nobody in particular. */
export interface Sleepers {
  isAsleep: boolean;
}

interface Sleeper {
  atMs: number;
  sequence: number;
  /** A look for work in case nobody told of it: it may come late without changing what is right. */
  isPoll: boolean;
  owner: Sleepers | null;
  wake: () => void;
}

/** The functions whose waits end something; all other waits that can be called off are pauses between two looks for work. */
const TIME_LIMITS = /withTimeLimit|finishWithin/;

/**
 * The time of a simulated world. It stands still until everything that can be done at a moment is done, then goes on to the next
 * moment at which something happens. Days pass in seconds because looks that would find nothing are skipped: whoever looks again
 * and again is woken when something is due, and now and then.
 */
export class VirtualTime {
  nowMs = TEST_START.getTime();
  #sleepers = new Set<Sleeper>();
  #sequence = 0;

  sleep(durationMs: number, owner: Sleepers | null, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const isPoll = signal !== undefined && !TIME_LIMITS.test(new Error().stack ?? '');
      const sleeper = { atMs: this.nowMs + durationMs, sequence: ++this.#sequence, isPoll, owner, wake: end };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', end);
    });
  }

  /** Everything a dead process waits for is forgotten. */
  forget(owner: Sleepers): void {
    for (const sleeper of this.#sleepers) if (sleeper.owner === owner) this.#sleepers.delete(sleeper);
  }

  /** When something happens by itself; infinitely far when nothing does. */
  nextEventMs(): number {
    return this.#earliest((sleeper) => !sleeper.isPoll);
  }

  /** Wakes everybody who looks for work, and answers how many did. */
  wakePolls(): void {
    for (const sleeper of this.#due(({ isPoll }) => isPoll)) sleeper.wake();
  }

  /** Wakes the first of those whose time has come; false when there is nobody. */
  wakeNext(): boolean {
    const [first] = this.#due(({ isPoll }) => !isPoll).sort(
      (one, other) => one.atMs - other.atMs || one.sequence - other.sequence,
    );
    first?.wake();
    return first !== undefined;
  }

  #due(matches: (sleeper: Sleeper) => boolean): Sleeper[] {
    return [...this.#sleepers].filter((sleeper) => sleeper.atMs <= this.nowMs && !sleeper.owner?.isAsleep && matches(sleeper));
  }

  #earliest(matches: (sleeper: Sleeper) => boolean): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const sleeper of this.#sleepers)
      if (sleeper.atMs < earliest && !sleeper.owner?.isAsleep && matches(sleeper)) earliest = sleeper.atMs;
    return earliest;
  }
}
