import type { TopgateError } from '../errors.ts';

/**
 * What a failed try means. `refused`: the answer is no, and stays no. `not_executed`: certainly nothing was done.
 * `unknown`: it may have been done, although no answer says so.
 */
export type Verdict = 'refused' | 'not_executed' | 'unknown';

export interface RetrySituation {
  verdict: Verdict;
  /** Doing it twice does no harm. */
  repeatable: boolean;
  /** Tries that have failed, this one included. */
  failures: number;
  maxRetries: number;
  error: Pick<TopgateError, 'retryAfterMs'>;
  /** How much of the whole call's time is left. */
  remainingMs: number;
  /** Between 0 and 1: spreads the tries of many clients that failed together. */
  chance: number;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;

/** How long to wait before the next try; null when there is none. */
export function decideRetry(situation: RetrySituation): number | null {
  const { verdict, error, repeatable, failures, maxRetries, remainingMs, chance } = situation;
  if (verdict === 'refused' || (verdict === 'unknown' && !repeatable)) return null;
  if (failures > maxRetries) return null;
  const backOffMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  // Between a half and the whole of the back-off, and never earlier than the service asked for.
  const waitMs = Math.round(Math.max(backOffMs * (0.5 + chance / 2), (error.retryAfterMs ?? 0) * (1 + chance / 10)));
  return waitMs < remainingMs ? waitMs : null;
}
