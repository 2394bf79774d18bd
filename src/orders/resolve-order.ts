import type { SupplierRegistry } from '../connections/index.ts';
import type { Db, Tx } from '../db/database.ts';
import { inTransaction, readOne } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Routing } from '../routing/index.ts';
import { decideRecheck, type NotPossible } from './ask-again.ts';
import { findAttempts, saveAttempts } from './attempt-store.ts';
import type { ViewSettings } from './contract.ts';
import type { StepContext } from './next-step.ts';
import { decideNotDelivered, decideReroute, type Redirection } from './not-at-supplier.ts';
import type { Attempt, Order } from './order.ts';
import { decideResolution, type Resolution } from './resolution.ts';
import { saveSettlements } from './settle-orders.ts';
import { findOrderById, lockingOrders, updateOrders } from './store.ts';
import { openTargetBook, type StepDeps, stepContext } from './target-book.ts';

export interface ReviewDeps {
  db: Db;
  clock: Clock;
  registry: SupplierRegistry;
  routing: Routing;
  view: ViewSettings;
}

/** What came of an operator's action on an order. */
export type ActionOutcome = { kind: 'done'; order: Order } | { kind: 'not_found' } | NotPossible;

/** Ends an order by an operator's decision, with its reason in the audit log. */
export async function resolveOrder(
  deps: ReviewDeps,
  actor: Actor,
  request: Pick<Resolution, 'outcome' | 'serialNumber' | 'byOtherMeans'> & { orderId: string; reason: string },
): Promise<ActionOutcome> {
  const { outcome, reason, serialNumber, byOtherMeans = false } = request;
  return withLockedOrder(deps, request.orderId, async (tx, order, attempts) => {
    const resolution = { outcome, serialNumber, byOtherMeans, operator: actor.name };
    const decision = decideResolution(order, attempts, resolution, deps.clock.now());
    if (decision.kind === 'not_possible') return decision;
    const settled = await saveSettlements(tx, deps, [{ before: order, settlement: decision.settlement }]);
    await recordAction(tx, deps.clock, actor, {
      action: 'order.resolve',
      subject: order.id,
      details: { from: order.state, to: outcome, reason, serial_number: serialNumber, by_other_means: byOtherMeans },
    });
    return { kind: 'done', order: settled.get(order.id) ?? order };
  });
}

/** Has the supplier asked again at once. Moves no money by itself. */
export async function recheckOrder(deps: ReviewDeps, actor: Actor, orderId: string): Promise<ActionOutcome> {
  return withLockedOrder(deps, orderId, async (tx, order, attempts) => {
    const decision = decideRecheck(order, attempts, await contextOf(deps, tx, order));
    if (decision.kind === 'not_possible') return decision;
    if (decision.attempt) await saveAttempts(tx, [decision.attempt]);
    await updateOrders(tx, [decision.order]);
    await recordAction(tx, deps.clock, actor, { action: 'order.recheck', subject: order.id });
    return { kind: 'done', order: decision.order };
  });
}

/** Closes the open purchase because an operator knows from the supplier that it was not delivered. */
export async function closeAsNotDelivered(
  deps: ReviewDeps,
  actor: Actor,
  request: { orderId: string; reason: string },
): Promise<ActionOutcome> {
  const { reason } = request;
  return withLockedOrder(deps, request.orderId, async (tx, order, attempts) => {
    const decision = decideNotDelivered(order, attempts, { operator: actor.name, reason }, deps.clock.now());
    return redirect(deps, tx, actor, { action: 'order.not_delivered', order, attempts, decision, reason });
  });
}

/** Sends the order by a route that was not tried: the one named, or the next. */
export async function rerouteOrder(
  deps: ReviewDeps,
  actor: Actor,
  request: { orderId: string; reason: string; route: { supplierCode: string; sku: string } | null },
): Promise<ActionOutcome> {
  const { reason, route } = request;
  return withLockedOrder(deps, request.orderId, async (tx, order, attempts) => {
    const decision = decideReroute(order, attempts, route, await contextOf(deps, tx, order));
    return redirect(deps, tx, actor, { action: 'order.reroute', order, attempts, decision, reason });
  });
}

async function redirect(
  deps: ReviewDeps,
  tx: Tx,
  actor: Actor,
  change: { action: string; order: Order; attempts: Attempt[]; decision: Redirection; reason: string },
): Promise<ActionOutcome> {
  const { action, order, decision, reason } = change;
  if (decision.kind === 'not_possible') return decision;
  await saveAttempts(tx, decision.attempts);
  await updateOrders(tx, [decision.order]);
  const before = new Map(change.attempts.map((attempt) => [attempt.number, attempt.state]));
  await recordAction(tx, deps.clock, actor, {
    action,
    subject: order.id,
    details: {
      reason,
      attempts: decision.attempts.map(({ number, supplierCode, sku, state }) => ({
        number,
        supplier: supplierCode,
        sku,
        from: before.get(number) ?? null,
        to: state,
      })),
    },
  });
  return { kind: 'done', order: decision.order };
}

/** Everything that bears on what may be done about an order. */
export async function contextOf(deps: ReviewDeps, db: Db, order: Order): Promise<StepContext> {
  const stepDeps: StepDeps = { clock: deps.clock, registry: deps.registry, routing: deps.routing, timeZone: deps.view.timeZone };
  const targets = await openTargetBook(stepDeps, db, [order]);
  return stepContext(stepDeps, order, (route) => targets.stateOf(order, route));
}

async function withLockedOrder(
  deps: Pick<ReviewDeps, 'db'>,
  orderId: string,
  work: (tx: Tx, order: Order, attempts: Attempt[]) => Promise<ActionOutcome>,
): Promise<ActionOutcome> {
  const found = await findOrderById(deps.db, orderId);
  if (found === null) return { kind: 'not_found' };
  return inTransaction(deps.db, async (tx) => {
    const [order] = await readOne(tx, lockingOrders([found]));
    return order ? work(tx, order, await findAttempts(tx, [order])) : { kind: 'not_found' };
  });
}
