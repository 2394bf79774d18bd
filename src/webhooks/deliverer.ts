import type { Db } from '../db/database.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import { findNextVisit, type Health } from './endpoint-store.ts';
import { openVisitQueue, type VisitQueue } from './record-visits.ts';
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
  /** Deliveries may be due now. */
  wake(): void;
  /** Takes nothing new and waits, at most `limitMs`, for the calls under way. What is not recorded by then is sent again. */
  stop(limitMs: number): Promise<void>;
}

/** Calls open at once to one healthy endpoint. */
export const MAX_CALLS_PER_ENDPOINT = 16;

/**
 * Endpoints that fail are visited beside the others, never in their place: however many of them hang for the whole time limit,
 * a healthy endpoint waits for none.
 */
const LANES: Record<Health, { endpoints: number; deliveriesEach: number }> = {
  healthy: { endpoints: 64, deliveriesEach: MAX_CALLS_PER_ENDPOINT },
  failing: { endpoints: 32, deliveriesEach: 4 },
};

const POLL_MS = SECOND_MS;

/** Delivers what is due, until it is stopped. */
export function startDeliverer(deps: DelivererDeps): Deliverer {
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const visits = openVisitQueue(deps);
  const lanes = (['healthy', 'failing'] as const).map(
    (health) =>
      new WorkLoop({
        clock: deps.clock,
        log: deps.log,
        stopping: stopping.signal,
        pollMs: POLL_MS,
        subject: `webhooks of ${health} endpoints`,
        takeDue: (loop) => visitDue(deps, { visits, abandoned: abandoned.signal }, health, loop),
      }),
  );
  return {
    wake() {
      for (const lane of lanes) lane.wake();
    },
    async stop(limitMs) {
      stopping.abort();
      const finished = Promise.all(lanes.map((lane) => lane.finish())).then(() => visits.drain());
      await finishWithin(deps.clock, limitMs, finished);
      // What is still open is cut off by us: that says nothing about the endpoint, so it is not recorded but made again.
      abandoned.abort();
      await deps.sender.close();
    },
  };
}

/** Where visits end: written down, or given up. */
interface VisitEnds {
  visits: VisitQueue;
  abandoned: AbortSignal;
}

async function visitDue(deps: DelivererDeps, ends: VisitEnds, health: Health, loop: WorkLoop): Promise<number> {
  const { endpoints, deliveriesEach } = LANES[health];
  const room = endpoints - loop.underWay;
  if (room <= 0) return POLL_MS;
  const plans = await claimVisits(deps, { health, endpoints: room, deliveriesEach });
  for (const plan of plans) {
    loop.start(
      () => visit(deps, ends, plan),
      // The endpoint may have more to take, and its place is free.
      () => loop.wake(),
    );
  }
  if (plans.length === room || loop.isWoken) return 0;
  const next = await findNextVisit(deps.db, health);
  return next === null ? POLL_MS : Math.max(1, next.getTime() - deps.clock.now().getTime());
}

async function visit(deps: DelivererDeps, { visits, abandoned }: VisitEnds, plan: VisitPlan): Promise<void> {
  const report = await makeVisit(deps, plan);
  if (abandoned.aborted) return;
  const after = await visits.submit(report);
  if (after.status !== 'Disabled' || after.disabledReason === 'by_request') return;
  const { id, accountId, disabledReason } = after;
  deps.log.warn({ endpoint: id, account: accountId, reason: disabledReason }, 'A webhook endpoint was disabled: tell its owner.');
}
