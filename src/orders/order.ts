import { fromPublicId, toPublicId } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';

export const ORDER_STATES = ['Process', 'Success', 'Failed', 'Refunded'] as const;

/**
 * `Process`: paid, being delivered. `Success`: delivered. `Failed`: not delivered, the money went back. `Refunded`: was
 * delivered, then taken back, and so was the money.
 */
export type OrderState = (typeof ORDER_STATES)[number];

/** Nothing else, ever; a trigger of the database holds the same table. */
export const TRANSITIONS: Record<OrderState, readonly OrderState[]> = {
  Process: ['Success', 'Failed'],
  Success: ['Refunded'],
  Failed: [],
  Refunded: [],
};

export interface Failure {
  code: string;
  message: string;
  fixableByPlayer: boolean;
}

/** One top-up of one player, as sold. */
export interface Order {
  accountId: string;
  id: string;
  mode: Mode;
  refId: string;
  productCode: string;
  serviceCode: string;
  serviceName: string;
  userId: string;
  zone: string;
  nickname: string;
  price: Amount;
  maxPrice: Amount | null;
  state: OrderState;
  serialNumber: string | null;
  failure: Failure | null;
  /** The supplier whose worker looks at the order next. */
  supplierCode: string;
  /** When somebody looks at the order again: always set in Process; after Success while the delivery may be taken back. */
  nextActionAt: Date | null;
  /** The worker run that holds the order; null when nobody does. */
  lease: string | null;
  /** Set when an operator has to decide, or to know. */
  review: { since: Date; reason: string } | null;
  resolvedBy: string | null;
  /** The numbers of the transfers that took the price and, if it was, gave it back. */
  debitSeq: bigint;
  refundSeq: bigint | null;
  createdAt: Date;
  updatedAt: Date;
}

export const ATTEMPT_STATES = ['Queued', 'Sending', 'Pending', 'Unknown', 'Delivered', 'Rejected', 'Reversed'] as const;

export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** One try to have one supplier deliver one order. */
export interface Attempt {
  accountId: string;
  orderId: string;
  /** 1, 2, 3… within the order. */
  number: number;
  supplierCode: string;
  sku: string;
  cost: Amount;
  accountText: string | null;
  /** Our name for the purchase at the supplier. */
  reference: string;
  /** Theirs, once they have told it. */
  supplierReference: string | null;
  /** What the supplier says it charged; null when it has not said. */
  charged: Amount | null;
  /** Item and player, where the supplier limits purchases of the same item for the same player. */
  limitedTarget: string | null;
  state: AttemptState;
  sends: number;
  checks: number;
  /** When the request that could buy was sent whose answer is still awaited; null when none is under way. */
  underWayAt: Date | null;
  /** When the latest request that could buy was sent that was never answered: it may still arrive. */
  unansweredAt: Date | null;
  /** The supplier has told that it delivered a part: what is to be done about that is an operator's decision. */
  isPartial: boolean;
  /** Why it was rejected, or why nothing is known; for operators. */
  code: string | null;
  message: string | null;
  serialNumber: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Names an item for a player, where a supplier limits purchases of the same. No part can hold a line feed. */
export function limitedTargetOf(player: Pick<Order, 'userId' | 'zone'>, route: { sku: string }): string {
  return [route.sku, player.userId, player.zone].join('\n');
}

/** The supplier has said that the purchase is there. */
export function isConfirmed({ state, supplierReference, code }: Attempt): boolean {
  const isDelivered = state === 'Delivered' && code !== BY_OPERATOR;
  return state === 'Pending' || isDelivered || supplierReference !== null;
}

/** A request to buy has left: also what the supplier says it does not have may still be on its way there. */
export function wasSent({ state, sends }: Attempt): boolean {
  return state !== 'Queued' || sends > 0;
}

/** The code of an attempt whose end is what an operator said, not the supplier. */
export const BY_OPERATOR = 'operator_decision';

const MAX_REASON = 512;

/** Puts an order before an operator. Every reason is told, as the later one may be the worse. */
export function withReview(order: Order, reason: string, now: Date): Order {
  if (order.review === null) return { ...order, review: { since: now, reason } };
  if (order.review.reason.includes(reason)) return order;
  return { ...order, review: { ...order.review, reason: `${order.review.reason}; ${reason}`.slice(0, MAX_REASON) } };
}

/** An attempt that has ended without a delivery; only when all are, may another supplier be tried. */
export function isClosed(attempt: Attempt): boolean {
  return attempt.state === 'Rejected' || attempt.state === 'Reversed';
}

/** A worker is busy with the order: it calls a supplier, or settles what that told. A lease that has run out holds nothing. */
export function isHeld(order: Order, now: Date): boolean {
  return order.lease !== null && order.nextActionAt !== null && order.nextActionAt > now;
}

/** The order and the number of the attempt that our reference at a supplier names; null when it is none of ours. */
export function parseReference(reference: string): { orderId: string; number: number } | null {
  const [, order = '', number = ''] = /^(.+)-([1-9]\d{0,2})$/.exec(reference) ?? [];
  const orderId = fromOrderId(order);
  return orderId === null ? null : { orderId, number: Number(number) };
}

const ORDER_PREFIX = 'TG';

export function toOrderId(uuid: string): string {
  return toPublicId(ORDER_PREFIX, uuid);
}

export function fromOrderId(text: string): string | null {
  return fromPublicId(ORDER_PREFIX, text);
}
