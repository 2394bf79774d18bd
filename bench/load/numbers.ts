/** The value below which a share of the sorted values lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Numbers from 0 up to, but not including, 1 that look random and are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers from 0 to `count` - 1 by Zipf's law with exponent 1: the first is drawn twice as often as the second, and so on. */
export function zipf(count: number, random: () => number): () => number {
  const ends = new Float64Array(count);
  let total = 0;
  for (let rank = 0; rank < count; rank++) {
    total += 1 / (rank + 1);
    ends[rank] = total;
  }
  return () => {
    const point = random() * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > point) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/**
 * Arrival times in milliseconds of users who do not know of each other: exponential gaps around the mean. Fixed by the rate
 * alone, so every run at a rate has the same bursts.
 */
export function arrivalTimes(perSecond: number, durationMs: number): Float64Array {
  const random = seededRandom(perSecond);
  const times: number[] = [];
  for (let at = gap(); at < durationMs; at += gap()) times.push(at);
  return Float64Array.from(times);

  function gap(): number {
    return (-Math.log(1 - random()) * 1_000) / perSecond;
  }
}
