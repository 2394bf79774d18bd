import type { ObservedCall } from '../suppliers/index.ts';

/** What came of the calls to one supplier in some span of time; spans are added up. */
export interface HealthCounts {
  delivered: number;
  pending: number;
  /** Rejected because the order itself was at fault: the player, the region, a limit of the game. */
  rejected: number;
  /** Rejected for any other reason: out of stock, closed, too fast, our balance. */
  refused: number;
  /** No answer, or none that says what happened. */
  unknown: number;
  notSent: number;
  misconfigured: number;
  /** Taken at first, and refused when asked about later for a reason other than the order. */
  failedLater: number;
  checks: number;
  unknownChecks: number;
  /** Answers to purchases by how long they took, as many as there are `LATENCY_CLASSES_MS`. */
  latencies: number[];
}

/** How a supplier has answered lately. Null where nothing was asked of it: not known is not the same as bad, or as good. */
export interface Health {
  successRate: number | null;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  /** Purchases sent, or tried to send. */
  calls: number;
}

/** Upper ends of the classes of latency. No call takes longer than the last: the longest time limit is 120 s. */
export const LATENCY_CLASSES_MS: readonly number[] = [
  25, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 120_000,
];

export const NO_HEALTH: Health = { successRate: null, latencyP50Ms: null, latencyP95Ms: null, calls: 0 };

export function noCounts(): HealthCounts {
  return {
    delivered: 0,
    pending: 0,
    rejected: 0,
    refused: 0,
    unknown: 0,
    notSent: 0,
    misconfigured: 0,
    failedLater: 0,
    checks: 0,
    unknownChecks: 0,
    latencies: LATENCY_CLASSES_MS.map(() => 0),
  };
}

/** Counts one call. Only purchases and questions about them tell how orders fare; lookups and lists do not. */
export function countCall(counts: HealthCounts, call: ObservedCall): void {
  if (call.call === 'check') {
    counts.checks += 1;
    if (call.outcome === 'unknown' || call.outcome === 'not_sent') counts.unknownChecks += 1;
    // Ends the purchase, so it is counted once.
    if (call.outcome === 'rejected' && !call.isOrderAtFault) counts.failedLater += 1;
  }
  if (call.call !== 'place') return;
  counts[counterOf(call)] += 1;
  if (call.outcome === 'not_sent') return;
  const found = LATENCY_CLASSES_MS.findIndex((endMs) => call.durationMs <= endMs);
  const place = found < 0 ? LATENCY_CLASSES_MS.length - 1 : found;
  counts.latencies[place] = (counts.latencies[place] ?? 0) + 1;
}

export function addCounts(one: HealthCounts, other: HealthCounts): HealthCounts {
  return {
    delivered: one.delivered + other.delivered,
    pending: one.pending + other.pending,
    rejected: one.rejected + other.rejected,
    refused: one.refused + other.refused,
    unknown: one.unknown + other.unknown,
    notSent: one.notSent + other.notSent,
    misconfigured: one.misconfigured + other.misconfigured,
    failedLater: one.failedLater + other.failedLater,
    checks: one.checks + other.checks,
    unknownChecks: one.unknownChecks + other.unknownChecks,
    latencies: one.latencies.map((count, place) => count + (other.latencies[place] ?? 0)),
  };
}

/**
 * Success rate = (delivered + pending + rejected because of the order - failed later) / all purchases that were sent or tried to
 * be sent. A player who does not exist is no failure of the supplier; an item out of stock, a lost answer and a refused
 * connection are. Some suppliers take everything at first, so what they refuse afterwards is taken off again.
 */
export function healthOf(counts: HealthCounts): Health {
  const taken = counts.delivered + counts.pending + counts.rejected;
  // What was taken in an earlier hour may have failed in this one.
  const good = Math.max(0, taken - counts.failedLater);
  const calls = taken + counts.refused + counts.unknown + counts.notSent + counts.misconfigured;
  if (calls === 0) return NO_HEALTH;
  return {
    successRate: good / calls,
    latencyP50Ms: percentile(counts.latencies, 0.5),
    latencyP95Ms: percentile(counts.latencies, 0.95),
    calls,
  };
}

/** A share of the answers took at most this long; within a class they are taken to be spread evenly. */
export function percentile(latencies: readonly number[], share: number): number | null {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let seen = 0;
  for (const [place, count] of latencies.entries()) {
    if (count > 0 && seen + count >= wanted) {
      const startMs = LATENCY_CLASSES_MS[place - 1] ?? 0;
      const endMs = LATENCY_CLASSES_MS[place] ?? startMs;
      return Math.round(startMs + ((wanted - seen) / count) * (endMs - startMs));
    }
    seen += count;
  }
  return null;
}

function counterOf({ outcome, isOrderAtFault }: ObservedCall) {
  switch (outcome) {
    case 'delivered':
    case 'pending':
    case 'misconfigured':
      return outcome;
    case 'rejected':
      return isOrderAtFault ? 'rejected' : 'refused';
    case 'not_sent':
      return 'notSent';
    default:
      return 'unknown';
  }
}
