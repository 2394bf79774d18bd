import type { Db, Tx } from '../db/database.ts';
import { inTransaction, readOne } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import { findAttempts } from './attempt-store.ts';
import type { ViewSettings } from './contract.ts';
import { isClosed, type Order } from './order.ts';
import { decideResolution, type Resolution } from './resolution.ts';
import { saveSettlements } from './settle-orders.ts';
import { findOrderById, lockingOrders, updateOrders } from './store.ts';

export interface ReviewDeps {
  db: Db;
  clock: Clock;
  view: ViewSettings;
}

export type ResolveOutcome =
  | { kind: 'resolved'; order: Order }
  | { kind: 'not_found' }
  | { kind: 'not_possible'; state: Order['state'] };

/** Ends an order by an operator's decision, with its reason in the audit log. */
export async function resolveOrder(
  deps: ReviewDeps,
  actor: Actor,
  request: { orderId: string; outcome: Resolution['outcome']; reason: string; serialNumber: string | null },
): Promise<ResolveOutcome> {
  return withLockedOrder(deps, request.orderId, async (tx, order) => {
    const attempts = await findAttempts(tx, [order]);
    const decision = decideResolution(
      order,
      attempts,
      { outcome: request.outcome, serialNumber: request.serialNumber, operator: actor.name },
      deps.clock.now(),
    );
    if (decision.kind === 'not_possible') return decision;
    const settled = await saveSettlements(tx, deps, [{ before: order, settlement: decision.settlement }]);
    await recordAction(tx, deps.clock, actor, {
      action: 'order.resolve',
      subject: order.id,
      details: { from: order.state, to: request.outcome, reason: request.reason, serial_number: request.serialNumber },
    });
    return { kind: 'resolved' as const, order: settled.get(order.id) ?? order };
  });
}

export type RecheckOutcome =
  | { kind: 'scheduled'; order: Order }
  | { kind: 'not_found' }
  | { kind: 'not_possible'; state: Order['state'] };

/** Has the supplier asked again at once. Moves no money by itself. */
export async function recheckOrder(deps: ReviewDeps, actor: Actor, orderId: string): Promise<RecheckOutcome> {
  return withLockedOrder(deps, orderId, async (tx, order) => {
    const attempts = await findAttempts(tx, [order]);
    const canBeAsked =
      order.state === 'Process' || (order.state !== 'Refunded' && attempts.some((attempt) => !isClosed(attempt)));
    if (!canBeAsked) return { kind: 'not_possible' as const, state: order.state };
    // A worker that holds the order is asking at this moment; its answer will do.
    const scheduled: Order = order.lease === null ? { ...order, nextActionAt: deps.clock.now() } : order;
    await updateOrders(tx, [scheduled]);
    await recordAction(tx, deps.clock, actor, { action: 'order.recheck', subject: order.id });
    return { kind: 'scheduled' as const, order: scheduled };
  });
}

async function withLockedOrder<Outcome>(
  deps: ReviewDeps,
  orderId: string,
  work: (tx: Tx, order: Order) => Promise<Outcome>,
): Promise<Outcome | { kind: 'not_found' }> {
  const found = await findOrderById(deps.db, orderId);
  if (found === null) return { kind: 'not_found' };
  return inTransaction(deps.db, async (tx) => {
    const [order] = await readOne(tx, lockingOrders([found]));
    return order ? work(tx, order) : { kind: 'not_found' };
  });
}
