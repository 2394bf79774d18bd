import { expect, test } from 'vitest';
import { describeChange } from './describe-change.ts';

test('a change is told by the fields that differ, with amounts as numbers and without times', () => {
  const before = { code: 'FF-70', listPrice: 10_000n, name: '70', updatedAt: new Date(1) };
  const after = { code: 'FF-70', listPrice: 11_000n, name: '70', note: 'new', updatedAt: new Date(2) };
  expect(describeChange(before, after)).toEqual({
    before: { list_price: 10_000, note: null },
    after: { list_price: 11_000, note: 'new' },
  });
});
