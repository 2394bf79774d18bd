import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';

export type RateDecision = { allowed: true; remaining: number } | { allowed: false; retryAfterSeconds: number };

/** Decides whether a reseller may make one more request now: at once where memory is enough. */
export interface RateLimit {
  readonly perSecond: number;
  take(resellerId: string): RateDecision | Promise<RateDecision>;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** So many resellers are remembered; whoever comes back later begins with a full bucket, which by then it is. */
export const MAX_RESELLERS = 50_000;

/** A token bucket per reseller in this process: `perSecond` requests, refilled evenly, with as many saved up at the most. */
export function createRateLimit(clock: Clock, perSecond: number): (resellerId: string) => RateDecision {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_RESELLERS });
  return (resellerId) => {
    const nowMs = clock.now().getTime();
    const bucket = buckets.get(resellerId) ?? { tokens: perSecond, filledAtMs: nowMs };
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
    const tokens = Math.min(perSecond, bucket.tokens + (elapsedMs * perSecond) / 1_000);
    const allowed = tokens >= 1;
    buckets.set(resellerId, { tokens: allowed ? tokens - 1 : tokens, filledAtMs: nowMs });
    if (allowed) return { allowed, remaining: Math.floor(tokens - 1) };
    return { allowed, retryAfterSeconds: Math.ceil((1 - tokens) / perSecond) };
  };
}
