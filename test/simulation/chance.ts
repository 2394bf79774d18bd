/**
 * The only source of chance in a simulated world: sfc32 by Chris Doty-Humphrey (PractRand, public domain), filled from a text by
 * the FNV-1a hash. Each part of the world draws from a stream of its own, so that a change in one leaves the others as they were.
 */
export class Chance {
  readonly #seed: string;
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  constructor(seed: string) {
    this.#seed = seed;
    this.#a = hash(`${seed} a`);
    this.#b = hash(`${seed} b`);
    this.#c = hash(`${seed} c`);
    for (let round = 0; round < 12; round++) this.#next();
  }

  /** A stream of its own, that depends on the seed and the name alone. */
  stream(name: string): Chance {
    return new Chance(`${this.#seed}/${name}`);
  }

  /** From 0 up to, but not including, 1. */
  share(): number {
    return this.#next() / 2 ** 32;
  }

  happens(probability: number): boolean {
    return this.share() < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  }

  /** One of several, each as likely as its weight says. */
  weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    let left = this.share() * items.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(items)[1];
  }

  /** A waiting time around `meanMs`: mostly shorter, at times much longer. */
  waitMs(meanMs: number): number {
    return Math.ceil(-Math.log(1 - this.share()) * meanMs);
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.share() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }

  fill(buffer: Buffer): void {
    for (let index = 0; index < buffer.length; index++) buffer[index] = this.#next() & 0xff;
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of Buffer.from(text)) value = Math.imul(value ^ character, 0x01000193);
  return value | 0;
}
