import { after, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { FeedEvent } from './event.ts';

export const DELIVERY_STATES = ['Pending', 'Delivered', 'Failed', 'Cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event on its way to one endpoint. */
export interface Delivery {
  id: string;
  endpointId: string;
  event: FeedEvent;
  state: DeliveryState;
  /** Attempts since it was created or last sent again: where it is on the schedule. */
  tries: number;
  /** All attempts ever; the number of the last one. */
  attempts: number;
  /** Set exactly while Pending. */
  nextAttemptAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What came of one call. An answer outside 2xx is a failure, a redirect too. */
export interface Result {
  at: Date;
  durationMs: number;
  /** Null when there was no answer; then `error` says why. */
  status: number | null;
  error: AttemptError | null;
  /** The beginning of the answer. */
  response: string | null;
  /** What `Retry-After` asked for. */
  retryAfterMs: number | null;
}

export type AttemptError =
  | 'timeout'
  | 'connection_failed'
  | 'host_not_found'
  | 'address_not_allowed'
  | 'tls_failed'
  | 'redirect'
  | 'unreadable_answer';

/** One call as it is kept and shown. */
export interface Attempt extends Omit<Result, 'retryAfterMs'> {
  number: number;
}

/** Waits before each attempt, counted from the one before (contract §6, after the example of Standard Webhooks 1.0). */
export const RETRY_WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** Retries of many deliveries that failed together must not come back together. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = DAY_MS;

export function isSuccess(result: Pick<Result, 'status'>): boolean {
  return result.status !== null && result.status >= 200 && result.status < 300;
}

/** 410 says that the endpoint is gone for good. */
export function isGone(result: Pick<Result, 'status'>): boolean {
  return result.status === 410;
}

/**
 * The delivery after one more attempt. `chance` is between 0 and 1 and spreads the retries. An attempt that ended after the
 * delivery did (it was cancelled meanwhile, say) is counted, and changes the state only by a success.
 */
export function decideAfterAttempt(delivery: Delivery, result: Result, chance: number): Delivery {
  const endedAt = after(result.at, result.durationMs);
  const counted = { ...delivery, tries: delivery.tries + 1, attempts: delivery.attempts + 1, updatedAt: endedAt };
  if (isSuccess(result)) return { ...counted, state: 'Delivered', nextAttemptAt: null };
  if (delivery.state !== 'Pending') return counted;
  const waitMs = RETRY_WAITS_MS[counted.tries];
  if (waitMs === undefined) return { ...counted, state: 'Failed', nextAttemptAt: null };
  const spreadMs = Math.round(waitMs * (1 + JITTER * chance));
  const askedMs = Math.min(result.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { ...counted, nextAttemptAt: after(endedAt, Math.max(spreadMs, askedMs)) };
}
