import { expect, test } from 'vitest';
import { GroupCommit } from './group-commit.ts';

/** A flush that waits to be let go, so that a test decides what is in flight. */
function gate() {
  const batches: { items: number[]; finish: () => void }[] = [];
  const flush = (items: number[]) =>
    new Promise<number[]>((resolve) => batches.push({ items, finish: () => resolve(items.map((item) => item * 10)) }));
  return { batches, flush };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a lone item is written at once, and what arrives meanwhile forms the next batch', async () => {
  const { batches, flush } = gate();
  const queue = new GroupCommit({ maxBatch: 10, maxQueue: 100, flush });
  const first = queue.tryAdd(1);
  await turns();
  const others = [2, 3, 4].map((item) => queue.tryAdd(item));
  await turns();
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]?.finish();
  await turns();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
  batches[1]?.finish();
  expect(await Promise.all([first, ...others])).toEqual([10, 20, 30, 40]);
});

test('while items wait, the next batch sets out before the results of the last one are told', async () => {
  const { batches, flush } = gate();
  const queue = new GroupCommit({ maxBatch: 10, maxQueue: 100, flush });
  let batchesWhenTold = 0;
  const told = queue.tryAdd(1)?.then(() => {
    batchesWhenTold = batches.length;
  });
  await turns();
  void queue.tryAdd(2);
  batches[0]?.finish();
  await told;
  expect(batchesWhenTold).toBe(2);
  batches[1]?.finish();
  await queue.drain();
});

test('no batch is larger than its limit', async () => {
  const sizes: number[] = [];
  const queue = new GroupCommit<number, number>({
    maxBatch: 3,
    maxQueue: 100,
    flush: async (items) => {
      sizes.push(items.length);
      return items;
    },
  });
  await Promise.all(Array.from({ length: 8 }, (_, item) => queue.tryAdd(item)));
  expect(sizes).toEqual([3, 3, 2]);
});

test('a full queue refuses the next item and does nothing with it', async () => {
  const { batches, flush } = gate();
  const queue = new GroupCommit({ maxBatch: 1, maxQueue: 2, flush });
  const taken = [queue.tryAdd(1), queue.tryAdd(2)];
  expect(queue.tryAdd(3)).toBeNull();
  await turns();
  batches[0]?.finish();
  await turns();
  batches[1]?.finish();
  await Promise.all(taken);
  expect(batches.flatMap(({ items }) => items)).toEqual([1, 2]);
});

test('one item that cannot be written fails alone', async () => {
  const queue = new GroupCommit<number, number>({
    maxBatch: 10,
    maxQueue: 100,
    flush: async (items) => {
      if (items.includes(13)) throw new Error('unlucky');
      return items;
    },
  });
  const results = await Promise.allSettled([1, 13, 2].map((item) => queue.tryAdd(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('draining waits for everything that was added', async () => {
  const written: number[] = [];
  const queue = new GroupCommit<number, number>({
    maxBatch: 1,
    maxQueue: 100,
    flush: async (items) => {
      await turns();
      written.push(...items);
      return items;
    },
  });
  for (const item of [1, 2, 3]) void queue.tryAdd(item);
  await queue.drain();
  expect(written).toEqual([1, 2, 3]);
});
