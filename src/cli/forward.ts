import { signWebhook, type TopgateEvent } from '../../sdk/src/index.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';

/** What came of sending one event on. `status` is null when there was no answer; then `reason` says why. */
export interface Forwarded {
  status: number | null;
  reason: string | null;
  durationMs: number;
}

export interface ForwardTarget {
  url: string;
  /** `whsec_…`: what the deliveries are signed with. */
  secret: string;
  clock: Clock;
  signal: AbortSignal;
}

/** As long as Topgate itself waits for a receiver. */
const LIMIT_MS = 15 * SECOND_MS;

/** Sends an event to an address exactly as Topgate would: the same body, the same headers, redirects not followed. */
export async function forward({ event_id, ...event }: TopgateEvent, target: ForwardTarget): Promise<Forwarded> {
  const { url, secret, clock, signal } = target;
  const payload = JSON.stringify(event);
  const startedAt = clock.now();
  const headers = await signWebhook({ payload, secret, id: event_id, timestamp: startedAt });
  const durationMs = () => clock.now().getTime() - startedAt.getTime();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, reason: null, durationMs: durationMs() };
  } catch (error) {
    return { status: null, reason: reasonOf(error), durationMs: durationMs() };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const cause = error instanceof Error ? error.cause : null;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return 'no answer';
}
