import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { HOUR_MS, minuteOfDay } from '../lib/clock.ts';
import { type Health, NO_HEALTH } from '../supplier-health/health.ts';
import type { OfferedRoute } from './route.ts';
import { createRouteBook } from './route-book.ts';
import {
  DEFAULT_RULE,
  inPreferredOrder,
  isWithin,
  leastPrice,
  PREFERENCES,
  type RoutingRule,
  scoreOf,
  toWindow,
} from './route-choice.ts';

function offer(supplierCode: string, cost: bigint, fields: Partial<OfferedRoute> = {}): OfferedRoute {
  return {
    supplierCode,
    sku: 'ML85',
    cost,
    accountTemplate: null,
    oncePerDay: false,
    cutOff: null,
    isAvailable: true,
    ...fields,
  };
}

const health = (successRate: number, latencyP50Ms = 500, calls = 200): Health => ({
  successRate,
  latencyP50Ms,
  latencyP95Ms: latencyP50Ms * 2,
  calls,
});

const codes = (routes: { supplierCode: string }[]) => routes.map(({ supplierCode }) => supplierCode);

describe('the order of routes', () => {
  const routes = [offer('dear', 23_000n), offer('cheap', 21_000n), offer('middling', 22_000n), offer('also-cheap', 21_000n)];

  test('fixed is as listed; cheapest goes by cost, equals as listed', () => {
    expect(codes(inPreferredOrder(routes, 'fixed', () => NO_HEALTH))).toEqual(['dear', 'cheap', 'middling', 'also-cheap']);
    expect(codes(inPreferredOrder(routes, 'cheapest', () => NO_HEALTH))).toEqual(['cheap', 'also-cheap', 'middling', 'dear']);
  });

  test.each<[string, Record<string, Health>, string[]]>([
    ['with nothing known, the cheaper one', {}, ['cheap', 'dear']],
    ['equally good, the cheaper one', { dear: health(0.99), cheap: health(0.99) }, ['cheap', 'dear']],
    ['a cheap one that fails one in four comes after', { dear: health(0.99), cheap: health(0.75) }, ['dear', 'cheap']],
    ['a single failure of a new one does not end it', { dear: health(0.99), cheap: health(0, 500, 1) }, ['cheap', 'dear']],
    [
      'much faster does not outweigh ten percent of cost',
      { dear: health(0.99, 100), cheap: health(0.99, 1_000) },
      ['cheap', 'dear'],
    ],
  ])('best: %s', (_what, known, expected) => {
    const pair = [offer('dear', 23_000n), offer('cheap', 20_700n)];
    expect(codes(inPreferredOrder(pair, 'best', (code) => known[code] ?? NO_HEALTH))).toEqual(expected);
  });

  const anyHealth = fc.record({
    successRate: fc.double({ min: 0, max: 1, noNaN: true }),
    latencyP50Ms: fc.integer({ min: 1, max: 120_000 }),
    latencyP95Ms: fc.constant(null),
    calls: fc.integer({ min: 1, max: 100_000 }),
  });

  test('no preference loses a route or makes one up', () => {
    const costs = fc.array(fc.bigInt({ min: 0n, max: 1_000_000n }), { maxLength: 20 });
    fc.assert(
      fc.property(costs, fc.constantFrom(...PREFERENCES), anyHealth, (list, preference, known) => {
        const given = list.map((cost, index) => offer(`s${index}`, cost));
        expect(codes(inPreferredOrder(given, preference, () => known)).toSorted()).toEqual(codes(given).toSorted());
      }),
    );
  });

  test('a score lies between 0 and 1, and better never scores less', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 1_000_000n }),
        fc.bigInt({ min: 0n, max: 1_000_000n }),
        anyHealth,
        (cheapest, more, known) => {
          const score = scoreOf(cheapest + more, cheapest, known);
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(scoreOf(cheapest, cheapest, known)).toBeGreaterThanOrEqual(score);
          expect(scoreOf(cheapest + more, cheapest, { ...known, successRate: 1 })).toBeGreaterThanOrEqual(score);
          expect(scoreOf(cheapest + more, cheapest, { ...known, latencyP50Ms: 1 })).toBeGreaterThanOrEqual(score);
        },
      ),
    );
  });
});

describe('a cut-off', () => {
  test.each([
    ['23:30', '00:30', '23:29', false],
    ['23:30', '00:30', '23:30', true],
    ['23:30', '00:30', '00:00', true],
    ['23:30', '00:30', '00:29', true],
    ['23:30', '00:30', '00:30', false],
    ['23:30', '00:30', '12:00', false],
    ['01:00', '02:00', '00:59', false],
    ['01:00', '02:00', '01:59', true],
    ['01:00', '02:00', '02:00', false],
    ['00:00', '00:00', '00:00', false],
  ])('from %s to %s: at %s closed is %s', (start, end, time, closed) => {
    const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
    expect(isWithin(toWindow({ start, end }), minute)).toBe(closed);
  });

  test("is told in the installation's zone", () => {
    expect(minuteOfDay(new Date('2026-03-01T17:30:00Z'), 'Asia/Jakarta')).toBe(30);
    expect(minuteOfDay(new Date('2026-03-01T02:15:59Z'), 'America/New_York')).toBe(21 * 60 + 15);
    expect(minuteOfDay(new Date('1969-12-31T23:59:30Z'), 'UTC')).toBe(1_439);
  });
});

test.each<[string, Partial<RoutingRule>, bigint]>([
  ['never below cost', {}, 20_000n],
  ['with the floor on top', { marginFloor: 150n }, 20_150n],
  ['whatever it costs, when told so', { marginFloor: 150n, sellsBelowCost: true }, 0n],
])('a route is used %s', (_what, rule, least) => {
  expect(leastPrice(20_000n, { ...DEFAULT_RULE, ...rule })).toBe(least);
});

describe('the book of routes', () => {
  const open = (offered: OfferedRoute[], rule: Partial<RoutingRule> = {}) => {
    const clock = new FakeClock();
    const held = new Set<string>();
    const known = new Map<string, Health>();
    const book = createRouteBook({
      clock,
      timeZone: 'Asia/Jakarta',
      healthOf: (code) => known.get(code) ?? NO_HEALTH,
      isHeld: (code) => held.has(code),
    });
    const inForce = { ...DEFAULT_RULE, ...rule };
    const own = { preference: null, marginFloor: null, sellsBelowCost: null };
    book.load(new Map([['MLBB-85', offered]]), { standard: inForce, own: () => own, of: () => inForce, closedByList: new Set() });
    return { clock, held, known, book };
  };
  const two = [offer('one', 20_000n), offer('two', 21_000n)];

  test('knows nothing of services without routes', () => {
    const { book } = open(two);
    expect(book.forOrder('FF-70', 1n)).toBeNull();
    expect(book.forNewOrder('FF-70', 1n)).toBeNull();
  });

  test('hands out the same list every time while all is as usual', () => {
    const { book } = open(two);
    expect(book.forOrder('MLBB-85', 23_000n)).toBe(book.forOrder('MLBB-85', 23_000n));
  });

  test('a route that costs more than the reseller pays is not used', () => {
    const { book } = open(two, { marginFloor: 500n });
    expect(codes(book.forOrder('MLBB-85', 21_499n) ?? [])).toEqual(['one']);
    expect(codes(book.forOrder('MLBB-85', 21_500n) ?? [])).toEqual(['one', 'two']);
    expect(book.forNewOrder('MLBB-85', 20_499n)).toBe('none');
  });

  test('a held supplier gets no new order, and comes last for orders that were sold', () => {
    const { book, held } = open(two);
    held.add('one');
    expect(book.forNewOrder('MLBB-85', 23_000n)).toMatchObject({ supplierCode: 'two' });
    expect(codes(book.forOrder('MLBB-85', 23_000n) ?? [])).toEqual(['two', 'one']);
    held.add('two');
    expect(book.forNewOrder('MLBB-85', 23_000n)).toBe('none');
    expect(codes(book.forOrder('MLBB-85', 23_000n) ?? [])).toEqual(['one', 'two']);
  });

  test('what is not for sale is not used, and neither is what is cut off at this minute', async () => {
    // The clock of tests stands at 09:40 in Jakarta.
    const { book, clock } = open([
      offer('gone', 1n, { isAvailable: false }),
      offer('closed', 2n, { cutOff: { start: '09:00', end: '10:00' } }),
      offer('open', 3n),
    ]);
    expect(codes(book.forOrder('MLBB-85', 23_000n) ?? [])).toEqual(['open']);
    await clock.jump(HOUR_MS);
    expect(codes(book.forOrder('MLBB-85', 23_000n) ?? [])).toEqual(['closed', 'open']);
  });

  test('the best one changes with how suppliers answer, some seconds later', async () => {
    const { book, clock, known } = open(two, { preference: 'best' });
    expect(book.forNewOrder('MLBB-85', 23_000n)).toMatchObject({ supplierCode: 'one' });
    known.set('one', health(0.2));
    await clock.jump(10_000);
    expect(book.forNewOrder('MLBB-85', 23_000n)).toMatchObject({ supplierCode: 'two' });
  });
});
