import type { VirtualTime } from './virtual-time.ts';

/** Counts what was met in a world, and keeps what happened to it as a whole. */
export class Tally {
  readonly counts = new Map<string, number>();
  readonly chronicle: string[] = [];
  readonly #time: Pick<VirtualTime, 'nowMs'>;

  constructor(time: Pick<VirtualTime, 'nowMs'> = { nowMs: 0 }) {
    this.#time = time;
  }

  /** Something that concerns more than one order. */
  happened(what: string): void {
    this.chronicle.push(`${new Date(this.#time.nowMs).toISOString()} ${what}`);
  }

  met(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  add(other: Tally): void {
    for (const [what, times] of other.counts) this.met(what, times);
  }

  toString(): string {
    return [...this.counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([what, times]) => `${what} ${times}`)
      .join(', ');
  }
}
