import { expect, test } from 'vitest';
import { divideList } from './divide-list.ts';

const GOOD = { sku: 'F70', name: '70 Diamonds', cost: 9_000n, available: true };

test.each([
  ['no name', { sku: '' }],
  ['a name that no index could hold', { sku: 'F'.repeat(3_000) }],
  ['a cost below nothing', { cost: -1n }],
  ['a cost that is no amount', { cost: 10n ** 30n }],
])('an item with %s is left out, and costs no other', (_what, odd) => {
  const { listed, unread } = divideList([{ ...GOOD, ...odd }, GOOD]);
  expect(listed).toEqual([GOOD]);
  expect(unread).toHaveLength(1);
});

test('a cut-off at times that no clock has is not told', () => {
  const { listed, unread } = divideList([{ ...GOOD, cutOff: { start: '23:45', end: '24:00' }, oncePerDay: true }]);
  expect(listed).toEqual([{ ...GOOD, oncePerDay: true }]);
  expect(unread).toEqual([{ sku: 'F70', unread: 'cut-off: 23:45-24:00' }]);
});

test('what the adapter could not read is told beside what it could', () => {
  const odd = { sku: null, unread: 'price cannot be read' };
  expect(divideList([GOOD, odd])).toEqual({ listed: [GOOD], unread: [odd] });
});
