/** A wake-up that is never lost: raising it while nobody waits makes the next wait return at once. */
export class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  /** Forgets what was raised so far: whoever is about to look needs no telling. */
  lower(): void {
    this.#raised = false;
  }

  /** True when the next wait would return at once. */
  get isRaised(): boolean {
    return this.#raised;
  }

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** Resolves when the signal is raised (or was, since the last wait), or when `limit` resolves. */
  async wait(limit: Promise<void>): Promise<void> {
    if (!this.#raised) {
      const raised = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([raised, limit]);
    }
    this.#raised = false;
    this.#wake = null;
  }
}
