import { expect, test } from 'vitest';
import { convertAmount, lenientDecimal, lenientText, toAmount } from './lenient.ts';

test('numbers are read from numbers and from text alike', () => {
  expect([19_500, '19500', '19500.00', 0.75].map((value) => lenientDecimal.parse(value))).toEqual([
    '19500',
    '19500',
    '19500.00',
    '0.75',
  ]);
  expect(lenientText.parse(3)).toBe('3');
  expect(lenientDecimal.safeParse('about 5').success).toBe(false);
  expect(lenientDecimal.safeParse('1e9').success).toBe(false);
});

test('what binary fractions add behind a number is no part of it', () => {
  expect(lenientDecimal.parse(0.1 + 0.2)).toBe('0.30000000');
  expect(toAmount(lenientDecimal.parse('19500.000000000004'), 'up')).toBe(19_500n);
  expect(toAmount(lenientDecimal.parse('980500.30000000005'), 'down')).toBe(980_500n);
});

test.each([
  ['19500', '19500', '19500'],
  ['19500.00', '19500', '19500'],
  ['19500.01', '19501', '19500'],
  ['0.75', '1', '0'],
  ['-0.5', '0', '-1'],
])('a broken unit of %s counts against us: price %s, balance %s', (decimal, price, balance) => {
  expect(toAmount(decimal, 'up')).toBe(BigInt(price));
  expect(toAmount(decimal, 'down')).toBe(BigInt(balance));
});

test('another currency is converted exactly before it is rounded', () => {
  expect(convertAmount('3.90', '16500', 'up')).toBe(64_350n);
  expect(convertAmount('0.1', '16500.5', 'up')).toBe(1_651n);
  expect(convertAmount('832.21', '16500.5', 'down')).toBe(13_731_881n);
});
