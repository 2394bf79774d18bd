import { newId } from '../../src/lib/ids.ts';
import type { StepContext } from '../../src/orders/next-step.ts';
import { type Attempt, type Order, toOrderId } from '../../src/orders/order.ts';
import type { Route } from '../../src/routing/index.ts';
import { TEST_START } from './fake-clock.ts';

/** Plain values for tests of decisions about orders. */
export const ROUTES: Route[] = ['first', 'second', 'third'].map((supplierCode) => ({
  supplierCode,
  sku: 'ML85',
  cost: 90n,
  accountTemplate: null,
  oncePerDay: false,
  cutOff: null,
}));

export const STEP_CONTEXT: StepContext = {
  routes: ROUTES,
  isAcceptingOrders: () => true,
  checkMayBuy: () => false,
  targetOf: () => 'unlimited',
  now: TEST_START,
};

const ID = newId(TEST_START);

/** An order in process that nobody holds, unless `fields` say otherwise. */
export function orderWith(fields: Partial<Order> = {}): Order {
  return {
    accountId: newId(TEST_START),
    id: ID,
    mode: 'live',
    refId: 'REF-1',
    productCode: 'MLBB',
    serviceCode: 'MLBB-85',
    serviceName: '85 Diamonds',
    userId: '12345678',
    zone: '2001',
    nickname: '',
    price: 100n,
    maxPrice: null,
    state: 'Process',
    serialNumber: null,
    failure: null,
    supplierCode: 'first',
    nextActionAt: new Date(TEST_START.getTime() + 60_000),
    lease: null,
    review: null,
    resolvedBy: null,
    debitSeq: 1n,
    refundSeq: null,
    createdAt: TEST_START,
    updatedAt: TEST_START,
    ...fields,
  };
}

/** The order's only attempt, at the first supplier. */
export function attemptWith(fields: Partial<Attempt> = {}): Attempt {
  const number = fields.number ?? 1;
  return {
    accountId: newId(TEST_START),
    orderId: ID,
    number,
    supplierCode: 'first',
    sku: 'ML85',
    cost: 90n,
    accountText: null,
    reference: `${toOrderId(ID)}-${number}`,
    supplierReference: null,
    charged: null,
    limitedTarget: null,
    state: 'Unknown',
    sends: 1,
    checks: 0,
    underWayAt: null,
    unansweredAt: null,
    isPartial: false,
    code: null,
    message: null,
    serialNumber: null,
    createdAt: TEST_START,
    updatedAt: TEST_START,
    ...fields,
  };
}
