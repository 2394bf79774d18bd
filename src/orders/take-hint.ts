import type { SupplierRegistry } from '../connections/index.ts';
import type { Tx } from '../db/database.ts';
import { readOne } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Purchase } from '../suppliers/index.ts';
import { decideContradiction, decideHint } from './ask-again.ts';
import { findAttemptBySupplierReference, findAttempts, saveAttempts } from './attempt-store.ts';
import { toPurchase } from './dispatcher.ts';
import { type Attempt, parseReference } from './order.ts';
import { findOrderById, lockingOrders, updateOrders } from './store.ts';
import { tellOfReviews } from './tell-of-reviews.ts';

/** What a supplier told unasked about a purchase. */
export interface SupplierHint {
  supplierCode: string;
  /** Our name for the purchase, as the supplier repeats it. */
  reference: string | null;
  /** Its own. */
  supplierReference: string | null;
  status: string;
}

export type HintOutcome =
  | { kind: 'unmatched' }
  | { kind: 'asked' | 'held' | 'settled' | 'late'; orderId: string }
  /** The supplier is to be asked about this purchase, outside the transaction; `flagContradiction` takes what matters of the answer. */
  | { kind: 'verify'; orderId: string; accountId: string; purchase: Purchase };

/**
 * Has the supplier asked about the purchase that a message of it is about. The purchase must be one at this supplier: nobody
 * reports about others' orders. Settles nothing and moves no money.
 */
export async function takeHint(
  tx: Tx,
  deps: { clock: Clock; log: Log; registry: SupplierRegistry },
  hint: SupplierHint,
): Promise<HintOutcome> {
  const named = await findNamed(tx, hint);
  if (named === null) return { kind: 'unmatched' };
  const { orderId } = named;
  const [order] = await readOne(tx, lockingOrders([{ accountId: named.accountId, id: orderId }]));
  const attempts = order ? await findAttempts(tx, [order]) : [];
  const attempt = attempts.find(({ number }) => number === named.number);
  if (!order || !attempt) return { kind: 'unmatched' };
  const { kind } = deps.registry.connection(hint.supplierCode);
  const saysDelivered = hint.status === kind.deliveredStatus;
  const decision = decideHint(
    order,
    attempt,
    { ...hint, saysDelivered },
    {
      now: deps.clock.now(),
      checkMayBuy: (code) => deps.registry.connection(code).kind.capabilities.checkMayBuy,
    },
  );
  if (decision.kind === 'verify')
    return { kind: 'verify', orderId, accountId: order.accountId, purchase: toPurchase(order, attempt) };
  if (decision.kind === 'held' || decision.kind === 'settled') return { kind: decision.kind, orderId };
  if (decision.kind === 'ask' && decision.attempt) await saveAttempts(tx, [decision.attempt]);
  await updateOrders(tx, [decision.order]);
  tellOfReviews(deps.log, [{ before: order, order: decision.order }]);
  return { kind: decision.kind === 'ask' ? 'asked' : 'late', orderId };
}

/** By our own name if the message has it, as that one is unique for ever; by theirs only where it has none of ours. */
async function findNamed(tx: Tx, { supplierCode, reference, supplierReference }: SupplierHint): Promise<Attempt | null> {
  const ours = reference === null ? null : parseReference(reference);
  if (ours === null)
    return supplierReference === null ? null : findAttemptBySupplierReference(tx, supplierCode, supplierReference);
  const order = await findOrderById(tx, ours.orderId);
  const attempts = order ? await findAttempts(tx, [order]) : [];
  return attempts.find((attempt) => attempt.number === ours.number && attempt.supplierCode === supplierCode) ?? null;
}

/** Puts an order in review because its supplier contradicts an earlier rejection. Changes nothing else. */
export async function flagContradiction(
  tx: Tx,
  { clock, log }: { clock: Clock; log: Log },
  key: { accountId: string; orderId: string },
  finding: { kind: string },
): Promise<void> {
  const [order] = await readOne(tx, lockingOrders([{ accountId: key.accountId, id: key.orderId }]));
  if (!order) return;
  const flagged = decideContradiction(order, finding, clock.now());
  await updateOrders(tx, [flagged]);
  tellOfReviews(log, [{ before: order, order: flagged }]);
}
