import type { Clock } from './clock.ts';

/** Knows for how long work has been under way, so that whoever watches sees that it hangs. */
export class UnderWay {
  readonly #clock: Clock;
  /** When each began, the oldest first. */
  readonly #begun = new Set<{ at: Date }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async track<Result>(work: () => Promise<Result>): Promise<Result> {
    const entry = { at: this.#clock.now() };
    this.#begun.add(entry);
    try {
      return await work();
    } finally {
      this.#begun.delete(entry);
    }
  }

  /** How long the oldest has been under way; 0 when nothing is. */
  get longestMs(): number {
    const [oldest] = this.#begun;
    return oldest ? this.#clock.now().getTime() - oldest.at.getTime() : 0;
  }
}
