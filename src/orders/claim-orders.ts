import { type Connection, PACE_PATIENCE_MS } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, SECOND_MS } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { findAttempts, saveAttempts } from './attempt-store.ts';
import { decideStep, type Step } from './next-step.ts';
import type { Attempt, Order } from './order.ts';
import { claimDueOrders } from './store.ts';
import { openTargetBook, type StepDeps, stepContext } from './target-book.ts';

/** An order this worker holds until `until`, and what to do with it. The attempt of a send or check is on disk already. */
export interface Claim {
  order: Order;
  step: Step;
  lease: string;
  until: Date;
}

/** A lease outlasts the longest call to the supplier by this, which is for settling the answer: a living worker never loses it. */
const LEASE_SLACK_MS = 10 * SECOND_MS;

export function leaseEnd(supplier: Connection, now: Date): Date {
  return after(now, Math.max(longestCallMs(supplier, 'send'), longestCallMs(supplier, 'check')) + LEASE_SLACK_MS);
}

/** How long a call may take, with the wait for its turn. */
export function longestCallMs({ settings: { limits } }: Connection, kind: 'send' | 'check'): number {
  return PACE_PATIENCE_MS + (kind === 'send' ? limits.placeLimitMs : limits.checkLimitMs);
}

/** Takes due orders of one supplier and writes down what is about to be done with each, in one transaction. */
export async function claimOrders(deps: StepDeps & { db: Db }, supplier: Connection, limit: number): Promise<Claim[]> {
  const now = deps.clock.now();
  const until = leaseEnd(supplier, now);
  const lease = newId(now);
  return inTransaction(deps.db, async (tx) => {
    const orders = await claimDueOrders(tx, { supplierCode: supplier.code, now, leaseUntil: until, lease, limit });
    const attempts = Map.groupBy(await findAttempts(tx, orders), (attempt) => attempt.orderId);
    const targets = await openTargetBook(deps, tx, orders);
    const claims = orders.map((order): Claim => {
      const context = stepContext(deps, order, (route) => targets.stateOf(order, route));
      const step = decideStep(order, attempts.get(order.id) ?? [], context);
      if (step.kind === 'send') targets.add(step.attempt);
      return { order, lease, until, step };
    });
    await saveAttempts(
      tx,
      claims.flatMap(({ step }): Attempt[] => (step.kind === 'send' || step.kind === 'check' ? [step.attempt] : [])),
    );
    return claims;
  });
}
