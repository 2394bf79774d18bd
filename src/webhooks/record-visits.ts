import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { GroupCommit } from '../lib/group-commit.ts';
import { newChance } from '../lib/ids.ts';
import { type Attempt, decideAfterAttempt, isGone, isSuccess, type Result } from './delivery.ts';
import { findDeliveries, saveAttempts } from './delivery-store.ts';
import { decideHealth, type Endpoint } from './endpoint.ts';
import { lockEndpoints, updateEndpoints } from './endpoint-store.ts';

/** What a worker brings back from an endpoint. */
export interface VisitReport {
  endpointId: string;
  /** The lease under which it was there. */
  lease: string;
  results: { deliveryId: string; result: Result }[];
}

export interface VisitQueue {
  /** Resolves when the visit is on disk, with the endpoint as it is then. Rejects when the queue is full: the lease then runs out. */
  submit(report: VisitReport): Promise<Endpoint>;
  drain(): Promise<void>;
}

const MAX_BATCH = 64;
const MAX_QUEUE = 1_000;

/** Writes visits as they come back, in batches: one transaction, one fsync, for all that came back meanwhile. */
export function openVisitQueue(deps: { db: Db; clock: Clock }): VisitQueue {
  const queue = new GroupCommit<VisitReport, Endpoint>({
    maxBatch: MAX_BATCH,
    maxQueue: MAX_QUEUE,
    flush: (reports) => recordVisits(deps, reports),
  });
  return {
    submit: (report) => queue.tryAdd(report) ?? Promise.reject(new Error('The queue of webhook visits is full.')),
    drain: () => queue.drain(),
  };
}

async function recordVisits({ db, clock }: { db: Db; clock: Clock }, reports: VisitReport[]): Promise<Endpoint[]> {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    const endpointIds = [...new Set(reports.map(({ endpointId }) => endpointId))];
    const endpoints = new Map((await lockEndpoints(tx, endpointIds)).map((endpoint) => [endpoint.id, endpoint]));
    // Everybody who writes deliveries holds the lock of their endpoint, so these stay as they are read.
    const deliveryIds = new Set(reports.flatMap(({ results }) => results.map(({ deliveryId }) => deliveryId)));
    const deliveries = new Map((await findDeliveries(tx, [...deliveryIds])).map((delivery) => [delivery.id, delivery]));
    const attempts: (Attempt & { deliveryId: string })[] = [];
    for (const report of reports) {
      for (const { deliveryId, result } of report.results) {
        const { retryAfterMs: _, ...kept } = result;
        const delivery = decideAfterAttempt(
          required(deliveries.get(deliveryId), 'the delivery of an attempt'),
          result,
          newChance(),
        );
        deliveries.set(deliveryId, delivery);
        attempts.push({ ...kept, deliveryId, number: delivery.attempts });
      }
      const endpoint = required(endpoints.get(report.endpointId), 'the endpoint of a visit');
      endpoints.set(endpoint.id, afterVisit(endpoint, report, now));
    }
    await saveAttempts(tx, [...deliveries.values()], attempts);
    await updateEndpoints(tx, [...endpoints.values()], now);
    return reports.map(({ endpointId }) => required(endpoints.get(endpointId), 'the endpoint of a visit'));
  });
}

/** A visit whose lease ran out meanwhile tells of the endpoint's health all the same, but another worker may hold it now. */
function afterVisit(before: Endpoint, { lease, results }: VisitReport, now: Date): Endpoint {
  const released = before.lease === lease ? { ...before, lease: null } : before;
  return decideHealth(released, {
    at: now,
    succeeded: results.some(({ result }) => isSuccess(result)),
    failed: results.some(({ result }) => !isSuccess(result)),
    gone: results.some(({ result }) => isGone(result)),
  });
}
