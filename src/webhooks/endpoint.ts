import { after, DAY_MS } from '../lib/clock.ts';
import type { EventType } from './event.ts';

/** Deleted endpoints are kept for the history of their deliveries and shown to nobody. */
export const ENDPOINT_STATUSES = ['Active', 'Disabled', 'Deleted'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** `by_request`: the reseller disabled it; `gone`: it answered 410; `failing`: nothing got through for five days. */
export const DISABLED_REASONS = ['by_request', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Where a reseller wants to be told, in one mode. */
export interface Endpoint {
  id: string;
  accountId: string;
  url: string;
  /** Empty: all types. */
  types: EventType[];
  status: EndpointStatus;
  disabledReason: DisabledReason | null;
  /** Since when every attempt has failed; null while the last one succeeded. */
  failingSince: Date | null;
  /** Whose visit it is, while a worker calls it. */
  lease: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Endpoints of one reseller in one mode. */
export const MAX_ENDPOINTS = 10;

/** An endpoint that has failed for this long is disabled, as nobody is looking after it. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;

/** A rotated secret signs for this long beside its successor, so that receivers change over without a gap. */
export const ROTATION_OVERLAP_MS = DAY_MS;

/** What a visit showed of the endpoint itself: does it take anything, is it gone? */
export interface Visit {
  at: Date;
  succeeded: boolean;
  failed: boolean;
  gone: boolean;
}

/**
 * The endpoint after a visit. One success clears its name, whatever else failed; a 410 disables it at once, five days of nothing
 * but failures as well. A status the reseller set meanwhile stays.
 */
export function decideHealth(endpoint: Endpoint, visit: Visit): Endpoint {
  if (endpoint.status !== 'Active') return endpoint;
  if (visit.gone) return disable(endpoint, 'gone', visit.at);
  if (visit.succeeded || !visit.failed) return visit.succeeded ? { ...endpoint, failingSince: null } : endpoint;
  const failingSince = endpoint.failingSince ?? visit.at;
  if (after(failingSince, DISABLE_AFTER_MS) <= visit.at) return disable({ ...endpoint, failingSince }, 'failing', visit.at);
  return { ...endpoint, failingSince };
}

/** Also for a reseller's own wish. */
export function disable(endpoint: Endpoint, reason: DisabledReason, at: Date): Endpoint {
  return { ...endpoint, status: 'Disabled', disabledReason: reason, lease: null, updatedAt: at };
}

/** Back in use, with a clean name: the five days start anew. */
export function enable(endpoint: Endpoint, at: Date): Endpoint {
  return { ...endpoint, status: 'Active', disabledReason: null, failingSince: null, updatedAt: at };
}
