import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import type { Catalog, Service } from '../catalog/index.ts';
import { after } from '../lib/clock.ts';
import type { OfferedRoute, RoutingRules } from '../routing/index.ts';
import { doubtList, type Item, type PlanContext, planList, type Rule } from './price-list.ts';

const EARLIER = after(TEST_START, -1_000);

function item(sku: string, fields: Partial<Item> = {}): Item {
  return {
    sku,
    name: sku,
    cost: 20_000n,
    available: true,
    cutOff: null,
    oncePerDay: null,
    firstSeenAt: EARLIER,
    goneAt: null,
    ...fields,
  };
}

function route(supplierCode: string, sku: string, fields: Partial<OfferedRoute> = {}): OfferedRoute {
  return {
    supplierCode,
    sku,
    cost: 20_000n,
    accountTemplate: null,
    oncePerDay: false,
    cutOff: null,
    isAvailable: true,
    ...fields,
  };
}

interface Setting {
  rule?: Rule;
  items?: Item[];
  routes?: OfferedRoute[];
  service?: Partial<Service>;
  marginFloor?: bigint;
  sellsBelowCost?: boolean;
  closedByList?: boolean;
  force?: boolean;
}

/** One service, FF-70, sold for 21,000. */
function plan(setting: Setting) {
  const service: Service = {
    code: 'FF-70',
    productCode: 'FF',
    name: '70 Diamonds',
    cost: 20_000n,
    price: 21_000n,
    status: 'Available',
    createdAt: EARLIER,
    updatedAt: EARLIER,
    ...setting.service,
  };
  const catalog: Catalog = {
    version: 1,
    products: new Map(),
    services: new Map([['FF-70', service]]),
    tiers: new Map([['standard', { code: 'standard' }]]) as unknown as Catalog['tiers'],
    price: ({ price }) => price,
    servicesOf: () => [service],
  };
  const inForce = {
    preference: 'fixed' as const,
    marginFloor: setting.marginFloor ?? 0n,
    sellsBelowCost: setting.sellsBelowCost ?? false,
  };
  const routing: RoutingRules = {
    standard: inForce,
    own: () => ({ preference: null, marginFloor: null, sellsBelowCost: null }),
    of: () => inForce,
    closedByList: new Set(setting.closedByList ? ['FF-70'] : []),
  };
  const context: PlanContext = {
    supplierCode: 'main',
    rule: setting.rule ?? 'costs',
    believesAnything: setting.force ?? false,
    readAt: TEST_START,
    items: new Map((setting.items ?? [item('F70')]).map((one) => [one.sku, one])),
    routes: new Map([['FF-70', setting.routes ?? [route('main', 'F70')]]]),
    routing,
    catalog,
  };
  return planList(context);
}

describe('a list', () => {
  test('that says what we have changes nothing', () => {
    expect(plan({})).toMatchObject({ newItems: [], costChanges: [], terms: [], services: [], belowFloor: [] });
  });

  test('names what is in it for the first time', () => {
    expect(plan({ items: [item('F70'), item('F140', { firstSeenAt: TEST_START })] }).newItems).toMatchObject([{ sku: 'F140' }]);
  });

  test('with another cost changes the cost of our route, and no price under the rule for costs', () => {
    const planned = plan({ items: [item('F70', { cost: 22_000n })] });
    expect(planned.costChanges).toEqual([{ serviceCode: 'FF-70', sku: 'F70', costBefore: 20_000n, cost: 22_000n }]);
    expect(planned.terms).toMatchObject([{ serviceCode: 'FF-70', supplierCode: 'main', sku: 'F70', cost: 22_000n }]);
    expect(planned.services).toEqual([]);
    expect(planned.belowFloor).toEqual([{ serviceCode: 'FF-70', tierCode: 'standard', price: 21_000n, leastPrice: 22_000n }]);
  });

  test.each([
    ['gone', item('F70', { goneAt: TEST_START })],
    ['unavailable', item('F70', { available: false })],
  ])('in which an item is %s takes its route out of choice', (reason, one) => {
    const planned = plan({ items: [one] });
    expect(planned.unavailable).toEqual([{ serviceCode: 'FF-70', sku: 'F70', reason }]);
    expect(planned.terms).toMatchObject([{ isAvailable: false }]);
  });

  test('in which it is back brings it back', () => {
    const planned = plan({ routes: [route('main', 'F70', { isAvailable: false })] });
    expect(planned.availableAgain).toEqual([{ serviceCode: 'FF-70', sku: 'F70' }]);
    expect(planned.terms).toMatchObject([{ isAvailable: true }]);
  });

  test('tells cut-offs and items once a day; what it does not tell stays', () => {
    const cutOff = { start: '23:30', end: '00:30' };
    const planned = plan({ items: [item('F70', { cutOff, oncePerDay: true })] });
    expect(planned.terms).toMatchObject([{ cutOff, oncePerDay: true }]);
    const before = { cutOff: null, oncePerDay: false };
    expect(planned.termsChanges).toEqual([{ serviceCode: 'FF-70', sku: 'F70', before, after: { cutOff, oncePerDay: true } }]);
    const untold = plan({ routes: [route('main', 'F70', { cutOff, oncePerDay: true })] });
    expect(untold).toMatchObject({ terms: [], termsChanges: [] });
    const over = plan({
      items: [item('F70', { cutOff: 'none', oncePerDay: false })],
      routes: [route('main', 'F70', { cutOff, oncePerDay: true })],
    });
    expect(over.terms).toMatchObject([{ cutOff: null, oncePerDay: false }]);
    expect(over.termsChanges).toMatchObject([{ before: { cutOff, oncePerDay: true }, after: before }]);
  });

  test('leaves routes to items that were never in it, and those of other suppliers, as they are', () => {
    const planned = plan({ routes: [route('main', 'TYPO'), route('other', 'F70', { cost: 1n })] });
    expect(planned).toMatchObject({ notListed: [{ serviceCode: 'FF-70', sku: 'TYPO' }], terms: [] });
  });
});

describe('a cost that cannot be', () => {
  test.each([
    ['nothing', 20_000n, 0n],
    ['more than twice of it', 20_000n, 40_001n],
    ['a hundred times of it', 13_000n, 1_300_000n],
    ['less than half of it', 20_000n, 9_999n],
  ])('of %s is held back: route, price and service stay as they are', (_what, costBefore, cost) => {
    const planned = plan({
      rule: 'catalogue',
      items: [item('F70', { cost })],
      routes: [route('main', 'F70', { cost: costBefore })],
    });
    expect(planned).toMatchObject({ heldBack: [{ serviceCode: 'FF-70', sku: 'F70', costBefore, cost }], costChanges: [] });
    expect(planned).toMatchObject({ terms: [], services: [], belowFloor: [] });
  });

  test.each([
    ['twice of it', 40_000n],
    ['half of it', 10_000n],
  ])('is not one of %s', (_what, cost) => {
    expect(plan({ items: [item('F70', { cost })] })).toMatchObject({ heldBack: [], costChanges: [{ cost }] });
  });

  test("is compared with the service's cost where the route has none", () => {
    const routes = [route('main', 'F70', { cost: 0n })];
    expect(plan({ routes, items: [item('F70', { cost: 21_000n })] })).toMatchObject({ heldBack: [], terms: [{ cost: 21_000n }] });
    expect(plan({ routes, items: [item('F70', { cost: 2_100_000n })] })).toMatchObject({ heldBack: [{ cost: 2_100_000n }] });
    const service = { cost: 0n };
    expect(plan({ routes, service, items: [item('F70', { cost: 2_100_000n })] })).toMatchObject({ heldBack: [], terms: [{}] });
  });

  test('does not keep the rest of what the list says from the route', () => {
    const planned = plan({ items: [item('F70', { cost: 0n, oncePerDay: true })] });
    expect(planned.terms).toMatchObject([{ cost: 20_000n, oncePerDay: true }]);
    // An item that cannot be had is often listed without a cost, which nobody needs to look at.
    expect(plan({ items: [item('F70', { cost: 0n, available: false })] })).toMatchObject({
      heldBack: [],
      terms: [{ cost: 20_000n, isAvailable: false }],
    });
  });

  test('is believed when an operator says so', () => {
    const planned = plan({ rule: 'prices', items: [item('F70', { cost: 60_000n })], force: true });
    expect(planned).toMatchObject({ heldBack: [], costChanges: [{ cost: 60_000n }], priceChanges: [{ price: 60_000n }] });
  });
});

describe('the rule for prices', () => {
  test('raises price and cost to the cheapest available route and the floor', () => {
    const planned = plan({
      rule: 'prices',
      items: [item('F70', { cost: 22_000n })],
      routes: [
        route('main', 'F70'),
        route('other', 'X', { cost: 23_000n }),
        route('third', 'Y', { cost: 1n, isAvailable: false }),
      ],
      marginFloor: 150n,
    });
    expect(planned.priceChanges).toEqual([{ serviceCode: 'FF-70', priceBefore: 21_000n, price: 22_150n }]);
    expect(planned.services).toEqual([{ code: 'FF-70', cost: 22_000n, price: 22_150n }]);
    expect(planned.belowFloor).toEqual([]);
  });

  test('leaves services alone that are sold below cost', () => {
    expect(plan({ rule: 'prices', items: [item('F70', { cost: 30_000n })], sellsBelowCost: true }).services).toEqual([]);
  });

  test('never lowers a price or a cost, and afterwards holds the floor', () => {
    const amount = fc.bigInt({ min: 0n, max: 100_000n });
    fc.assert(
      fc.property(amount, amount, amount, amount, (cost, price, serviceCost, marginFloor) => {
        const planned = plan({
          rule: 'prices',
          items: [item('F70', { cost })],
          service: { price, cost: serviceCost },
          marginFloor,
          force: true,
        });
        const [change] = planned.services;
        expect(change?.price ?? price).toBeGreaterThanOrEqual(price);
        expect(change?.cost ?? serviceCost).toBeGreaterThanOrEqual(serviceCost);
        expect(change?.price ?? price).toBeGreaterThanOrEqual(cost + marginFloor);
        expect(planned.belowFloor).toEqual([]);
      }),
    );
  });
});

describe('the rule for the catalogue', () => {
  const gone = [item('F70', { goneAt: TEST_START })];

  test('closes a service that nobody can deliver; the other rules do not', () => {
    expect(plan({ rule: 'catalogue', items: gone })).toMatchObject({ closed: ['FF-70'], services: [{ status: 'Unavailable' }] });
    expect(plan({ rule: 'prices', items: gone })).toMatchObject({ closed: [], services: [] });
  });

  test('leaves open what another supplier can deliver', () => {
    expect(plan({ rule: 'catalogue', items: gone, routes: [route('main', 'F70'), route('other', 'X')] }).closed).toEqual([]);
  });

  test('opens again what it has closed, and nothing that an operator has', () => {
    const service = { status: 'Unavailable' as const };
    expect(plan({ rule: 'catalogue', service, closedByList: true }).opened).toEqual(['FF-70']);
    expect(plan({ rule: 'catalogue', service }).opened).toEqual([]);
    expect(plan({ rule: 'catalogue', service: { status: 'Maintenance' }, closedByList: true }).opened).toEqual([]);
  });
});

test.each([
  ['an empty one', [], ['A'], true],
  ['an empty one with nothing in use', [], [], true],
  ['one that lost most of what is in use', ['X'], ['A', 'B', 'C'], true],
  ['one that lost half of it', ['A', 'B', 'C'], ['A', 'B', 'C', 'D', 'E', 'F'], false],
  ['one that lost more than half', ['A', 'B'], ['A', 'B', 'C', 'D', 'E'], true],
  ['one that lost one of two', ['A'], ['A', 'B'], false],
  ['one that lost the only two', ['X'], ['A', 'B'], false],
  ['one that has everything', ['A', 'B'], ['A', 'B'], false],
])('%s is doubted: %s', (_what, listed, inUse, isDoubted) => {
  expect(doubtList(new Set(listed), inUse) !== null).toBe(isDoubted);
});
