import { bumpRevision } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { toJsonAmount } from '../lib/money.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { RoutingRule } from './route-choice.ts';
import { type ServiceRouting, saveServiceRouting, saveStandardRouting } from './rule-store.ts';
import type { SetRoutesDeps } from './set-routes.ts';
import { hasService } from './store.ts';

/** Sets how routes are chosen where a service says nothing else. */
export async function setStandardRouting(deps: SetRoutesDeps, actor: Actor, rule: RoutingRule): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await saveStandardRouting(tx, rule, deps.clock.now());
    await bumpRevision(tx, 'suppliers');
    await recordAction(tx, deps.clock, actor, { action: 'routing.set', subject: 'all services', details: toDetails(rule) });
  });
  await deps.revisions.check();
}

/** Sets how the routes of one service are chosen; false when there is no such service. */
export async function setServiceRouting(
  deps: SetRoutesDeps,
  actor: Actor,
  serviceCode: string,
  routing: ServiceRouting,
): Promise<boolean> {
  const isKnown = await inTransaction(deps.db, async (tx) => {
    if (!(await hasService(tx, serviceCode))) return false;
    await saveServiceRouting(tx, serviceCode, routing, deps.clock.now());
    await bumpRevision(tx, 'suppliers');
    await recordAction(tx, deps.clock, actor, { action: 'routing.set', subject: serviceCode, details: toDetails(routing) });
    return true;
  });
  if (isKnown) await deps.revisions.check();
  return isKnown;
}

function toDetails({ preference, marginFloor, sellsBelowCost }: ServiceRouting): Record<string, unknown> {
  return {
    preference,
    margin_floor: marginFloor === null ? null : toJsonAmount(marginFloor),
    sells_below_cost: sellsBelowCost,
  };
}
