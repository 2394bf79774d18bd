import type { Db } from '../db/database.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import { isSuccess } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import { findNextVisit, type Health } from './endpoint-store.ts';
import { openVisitQueue } from './record-visits.ts';
import type { WebhookSender } from './send.ts';
import { claimVisits, makeVisit, type VisitPlan } from './visit-endpoints.ts';

export interface DelivererDeps {
  db: Db;
  clock: Clock;
  log: Log;
  secretBox: SecretBox;
  sender: WebhookSender;
  timeZone: string;
}

export interface Deliverer {
  /** What was done since the start: calls that succeeded or failed, endpoints that were disabled for failing. */
  readonly totals: Readonly<Record<'succeeded' | 'failed' | 'disabled', number>>;
  /** Deliveries may be due now. */
  wake(): void;
  /** Takes nothing new and waits, at most `limitMs`, for the calls under way. What is not recorded by then is sent again. */
  stop(limitMs: number): Promise<void>;
}

/** Calls open at once to one healthy endpoint. */
export const MAX_CALLS_PER_ENDPOINT = 16;
const MAX_CALLS_TO_FAILING = 4;
/**
 * Shared by the endpoints that are taken together. A single one gets all of them, so that it does not wait for the database after
 * every few calls; among many, each gets one for each of its calls, so that what is written together stays short.
 */
const MAX_DELIVERIES_SHARED = 128;

/**
 * Endpoints that fail are visited beside the others, never in their place: however many of them hang for the whole time limit,
 * a healthy endpoint waits for none.
 */
const LANES: Record<Health, { endpoints: number; callsEach: number; deliveriesShared: number }> = {
  healthy: { endpoints: 64, callsEach: MAX_CALLS_PER_ENDPOINT, deliveriesShared: MAX_DELIVERIES_SHARED },
  failing: { endpoints: 32, callsEach: MAX_CALLS_TO_FAILING, deliveriesShared: MAX_CALLS_TO_FAILING },
};

const POLL_MS = SECOND_MS;

/** Delivers what is due, until it is stopped. */
export function startDeliverer(deps: DelivererDeps): Deliverer {
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const totals = { succeeded: 0, failed: 0, disabled: 0 };
  const visits = openVisitQueue(deps);
  const openLane = (health: Health): WorkLoop =>
    new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      stopping: stopping.signal,
      pollMs: POLL_MS,
      subject: `webhooks of ${health} endpoints`,
      takeDue: (loop) => visitDue(deps, health, loop, (plan) => visit(plan, health)),
    });
  const lanes: Record<Health, WorkLoop> = { healthy: openLane('healthy'), failing: openLane('failing') };

  const visit = async (plan: VisitPlan, health: Health): Promise<void> => {
    const report = await makeVisit(deps, plan, LANES[health].callsEach);
    if (abandoned.signal.aborted) return;
    const after = await visits.submit(report);
    for (const { result } of report.results) totals[isSuccess(result) ? 'succeeded' : 'failed'] += 1;
    // What else waits for it is the other lane's from now on.
    const healthAfter = after.failingSince === null ? 'healthy' : 'failing';
    if (healthAfter !== health) lanes[healthAfter].wake();
    if (after.status !== 'Disabled' || after.disabledReason === 'by_request') return;
    totals.disabled += 1;
    tellDisabled(deps.log, after);
  };

  return {
    totals,
    wake() {
      for (const lane of Object.values(lanes)) lane.wake();
    },
    async stop(limitMs) {
      stopping.abort();
      const finished = Promise.all(Object.values(lanes).map((lane) => lane.finish())).then(() => visits.drain());
      await finishWithin(deps.clock, limitMs, finished);
      // What is still open is cut off by us: that says nothing about the endpoint, so it is not recorded but made again.
      abandoned.abort();
      await deps.sender.close();
    },
  };
}

/** Starts visits to what is due and answers how long the lane may rest; 0 when there may be more to take. */
async function visitDue(
  deps: DelivererDeps,
  health: Health,
  loop: WorkLoop,
  visit: (plan: VisitPlan) => Promise<void>,
): Promise<number> {
  const { endpoints, callsEach, deliveriesShared } = LANES[health];
  const room = endpoints - loop.underWay;
  if (room <= 0) return POLL_MS;
  const plans = await claimVisits(deps, { health, endpoints: room, callsEach, deliveriesShared });
  // The endpoint may have more to take, and its place is free.
  for (const plan of plans)
    loop.start(
      () => visit(plan),
      () => loop.wake(),
    );
  if (plans.length === room || loop.isWoken) return 0;
  const next = await findNextVisit(deps.db, health);
  return next === null ? POLL_MS : Math.max(1, next.getTime() - deps.clock.now().getTime());
}

function tellDisabled(log: Log, { id, accountId, disabledReason }: Endpoint): void {
  log.warn({ endpoint: id, account: accountId, reason: disabledReason }, 'A webhook endpoint was disabled: tell its owner.');
}
