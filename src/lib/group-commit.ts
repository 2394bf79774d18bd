import { setImmediate as nextTurn } from 'node:timers/promises';
import { invariant } from './assert.ts';

export interface GroupCommitOptions<Item, Result> {
  /** How many items one flush takes at the most. */
  maxBatch: number;
  /** How many items may wait; one more is refused by `tryAdd`. */
  maxQueue: number;
  /** Writes the whole batch and answers one result for each item, in the same order. */
  flush: (items: Item[]) => Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a batch is being written form the next batch. There is no timer, so an idle system
 * writes a single item at once, and a loaded one spreads the price of a commit over hundreds.
 *
 * When a batch fails, its items are tried again one by one, once: a single item that cannot be written then fails alone
 * instead of taking its neighbours with it. `flush` must therefore be safe to repeat, which orders are by their `ref_id`
 * and settlements by the order's state.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  constructor(options: GroupCommitOptions<Item, Result>) {
    invariant(options.maxBatch > 0 && options.maxQueue > 0, 'group commit needs room for at least one item');
    this.#options = options;
  }

  /** The promise of the item's result, or null when the queue is full and nothing was added. */
  tryAdd(item: Item): Promise<Result> | null {
    if (this.#queue.length >= this.#options.maxQueue) return null;
    const result = new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
    });
    this.#running ??= this.#run();
    return result;
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Resolves when everything added so far has been answered. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Requests that the event loop read in the same turn belong to the first batch.
    await nextTurn();
    let tellLast = () => {};
    while (this.#queue.length > 0) {
      const writing = this.#write(this.#queue.splice(0, this.#options.maxBatch));
      // First the next batch sets out, then the last one's results are told: what hundreds of waiting requests do with them
      // keeps this thread busy, and so it is busy while the disk is.
      await nextTurn();
      tellLast();
      tellLast = await writing;
    }
    tellLast();
    this.#running = null;
  }

  /** Answers a function that tells everyone who waits what became of their item. */
  async #write(batch: Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#options.flush(batch.map((waiting) => waiting.item));
      invariant(results.length === batch.length, 'a flush answers every item');
      return () => {
        for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
      };
    } catch (error) {
      if (batch.length === 1) return () => batch[0]?.reject(error);
      for (const waiting of batch) (await this.#write([waiting]))();
      return () => {};
    }
  }
}
