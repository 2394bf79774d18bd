import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toStorable } from './storable-outcome.ts';

test('texts keep what can be kept, at any depth, and lose nothing else', () => {
  const services = [{ sku: 'a', name: 'half \ud83d', cost: 5n, available: true, cutOff: { start: '00:00', end: '\u0000' } }];
  expect(toStorable({ kind: 'known', services })).toEqual({
    kind: 'known',
    services: [{ sku: 'a', name: 'half \ufffd', cost: 5n, available: true, cutOff: { start: '00:00', end: '\ufffd' } }],
  });
  expect(toStorable({ kind: 'delivered', serialNumber: null, charged: 0n })).toEqual({
    kind: 'delivered',
    serialNumber: null,
    charged: 0n,
  });
});

test('a charge that is no amount is not told', () => {
  for (const charged of [-1n, 10n ** 15n]) expect(toStorable({ kind: 'delivered', charged })).toEqual({ kind: 'delivered' });
});

test('whatever a supplier writes, the database takes it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (one, other) => {
      const { serialNumber } = toStorable({ serialNumber: `${one}\ud800${other}\u0000` });
      expect(serialNumber.isWellFormed() && !serialNumber.includes('\u0000')).toBe(true);
    }),
  );
});
