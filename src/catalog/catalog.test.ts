import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { priceFor, type Service, type Tier } from './catalog.ts';

const SERVICE: Service = {
  code: 'MLBB-85',
  productCode: 'MLBB',
  name: '85 Diamonds',
  cost: 20_000n,
  price: 23_600n,
  status: 'Available',
  createdAt: TEST_START,
  updatedAt: TEST_START,
};

function tier(fields: Partial<Tier>): Tier {
  return {
    code: 'gold',
    name: 'Gold',
    pricing: 'list',
    markup: 0n,
    roundTo: 1n,
    floorMargin: 0n,
    createdAt: TEST_START,
    updatedAt: TEST_START,
    ...fields,
  };
}

test.each([
  ['list prices', {}, undefined, 23_600n],
  ['2.5 % over cost', { pricing: 'percent', markup: 250n }, undefined, 20_500n],
  ['a fixed markup over cost', { pricing: 'fixed', markup: 750n }, undefined, 20_750n],
  ['rounded up to hundreds', { pricing: 'fixed', markup: 701n, roundTo: 100n }, undefined, 20_800n],
  ['a fraction is rounded up, never down', { pricing: 'percent', markup: 1n }, undefined, 20_002n],
  ['never below cost plus the floor', { pricing: 'percent', markup: 10n, floorMargin: 500n }, undefined, 20_500n],
  ['the floor holds for list prices too', { floorMargin: 5_000n }, undefined, 25_000n],
  ['an explicit price wins as it is', { pricing: 'percent', markup: 250n, floorMargin: 500n }, 19_000n, 19_000n],
] as [string, Partial<Tier>, bigint | undefined, bigint][])('%s', (_name, fields, explicit, price) => {
  expect(priceFor(SERVICE, tier(fields), explicit)).toBe(price);
});

test('a marked-up price is a multiple of the rounding and leaves at least the floor over cost', () => {
  const tiers = fc.record({
    pricing: fc.constantFrom('percent' as const, 'fixed' as const),
    markup: fc.bigInt({ min: 0n, max: 50_000n }),
    roundTo: fc.constantFrom(1n, 50n, 100n, 1_000n),
    floorMargin: fc.bigInt({ min: 0n, max: 5_000n }),
  });
  fc.assert(
    fc.property(tiers, fc.bigInt({ min: 1n, max: 10_000_000n }), (fields, cost) => {
      const price = priceFor({ ...SERVICE, cost }, tier(fields), undefined);
      expect(price % fields.roundTo).toBe(0n);
      expect(price).toBeGreaterThanOrEqual(cost + fields.floorMargin);
    }),
  );
});
