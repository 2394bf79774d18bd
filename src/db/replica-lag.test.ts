import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completeUntil } from './replica-lag.ts';

test('a replica is as old as the newest mark it has reached', () => {
  const marks = [
    { atMs: 1_000, written: 100n },
    { atMs: 2_000, written: 150n },
    { atMs: 3_000, written: 400n },
  ];
  expect(completeUntil(marks, 400n)).toBe(3_000);
  expect(completeUntil(marks, 399n)).toBe(2_000);
  expect(completeUntil(marks, 99n)).toBeNull();
});

test('on an idle primary, which writes nothing, the newest mark is reached however old the last commit is', () => {
  const marks = [1_000, 2_000, 3_000].map((atMs) => ({ atMs, written: 100n }));
  expect(completeUntil(marks, 100n)).toBe(3_000);
});

test('a replica that replayed all it received, but receives nothing any more, grows old', () => {
  const received = 100n;
  const marks = [1_000, 2_000, 3_000].map((atMs, index) => ({ atMs, written: BigInt(100 + index * 10) }));
  expect(completeUntil(marks, received)).toBe(1_000);
});

test('it never counts as newer for having replayed less', () => {
  const mark = fc.record({ atMs: fc.nat(), written: fc.bigInt({ min: 0n, max: 1_000n }) });
  fc.assert(
    fc.property(
      fc.array(mark),
      fc.bigInt({ min: 0n, max: 1_000n }),
      fc.bigInt({ min: 0n, max: 100n }),
      (marks, replayed, less) => {
        const newest = completeUntil(marks, replayed) ?? -1;
        expect(completeUntil(marks, replayed - less) ?? -1).toBeLessThanOrEqual(newest);
      },
    ),
  );
});
