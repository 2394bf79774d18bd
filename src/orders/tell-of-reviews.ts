import type { Log } from '../lib/log.ts';
import { type Order, toOrderId } from './order.ts';

/** Tells the operator's log of orders that are in review now and were not before. */
export function tellOfReviews(log: Log, changes: { before: Order; order: Order }[]): void {
  for (const { before, order } of changes) {
    if (before.review !== null || order.review === null) continue;
    const details = { order: toOrderId(order.id), mode: order.mode, supplier: order.supplierCode, reason: order.review.reason };
    const message = 'An order waits for an operator; the review queue tells what may be done.';
    // Those of test mode are played on purpose.
    if (order.mode === 'live') log.warn(details, message);
    else log.info(details, message);
  }
}
