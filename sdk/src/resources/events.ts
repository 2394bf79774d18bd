import type { TopgateEvent } from '../contract.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';
import { TopgateError } from '../errors.ts';

export interface EventListParams {
  /** Events after this sequence number; 0 starts with the oldest that is kept. */
  after?: number | undefined;
  /** At most 200. */
  limit?: number | undefined;
}

export interface FollowOptions {
  /** The last `sequence` you have handled. Default: 0, the oldest event that is kept. */
  after?: number | undefined;
  /** Ends the loop, without an error. */
  signal?: AbortSignal | undefined;
  /** How often to ask when there is nothing new. Default: 1,000. */
  pollMs?: number | undefined;
}

const PAGE = 200;
const POLL_MS = 1_000;
/** After a failure that outlasted all tries of one call. */
const RECOVER_MS = 5_000;

/** The feed of everything you are told: the same events as webhooks bring, numbered without a gap. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Events after a sequence number, oldest first. */
  list(params: EventListParams = {}, options?: RequestOptions): Promise<TopgateEvent[]> {
    return this.#transport.request({ method: 'GET', path: '/api/events', query: { ...params }, repeatable: true }, options);
  }

  /**
   * All events after a sequence number, and then each new one, for as long as you go on. Remember the `sequence` of what you have
   * handled and pass it as `after` next time. Outages are waited out (`onAttempt` tells of them); a refusal, such as a revoked
   * token, is thrown, and so is a gap in the numbers (`event_gap`). Events are kept for a time: to go on after one that is long gone
   * is refused as `events_expired`, with the first that is kept in its details.
   */
  async *follow({ after = 0, signal, pollMs = POLL_MS }: FollowOptions = {}): AsyncGenerator<TopgateEvent, void, undefined> {
    const { clock } = this.#transport.options;
    let last = after;
    while (!signal?.aborted) {
      const events = await this.#listPatiently({ after: last, limit: PAGE }, signal);
      for (const event of events ?? []) {
        // From the beginning means from the oldest that is kept, whatever its number.
        if (last !== 0 && event.sequence !== last + 1) throw gap(last + 1, event.sequence);
        last = event.sequence;
        yield event;
        if (signal?.aborted) return;
      }
      if (events === null) await clock.sleep(RECOVER_MS, signal);
      else if (events.length < PAGE) await clock.sleep(pollMs, signal);
    }
  }

  /** The `sequence` of the newest event, 0 when there is none: where to begin when only the future matters. */
  async lastSequence(options?: RequestOptions): Promise<number> {
    let known = 0;
    let end: number | null = null;
    let step = 0;
    while (end === null || known < end) {
      // Steps that double until they pass the end, then halves between what is known and the end.
      const probe: number = end === null ? known + step : known + Math.floor((end - known) / 2);
      const events = await this.list({ after: probe, limit: PAGE }, options);
      const newest = events.at(-1)?.sequence;
      if (newest === undefined) end = probe;
      else if (events.length < PAGE) return newest;
      else known = newest;
      step = Math.max(PAGE, step * 2);
    }
    return known;
  }

  /** Null when the service could not answer at the moment. */
  async #listPatiently(params: EventListParams, signal: AbortSignal | undefined): Promise<TopgateEvent[] | null> {
    try {
      return await this.list(params, { signal });
    } catch (error) {
      if (signal?.aborted || (error instanceof TopgateError && error.retryable)) return null;
      throw error;
    }
  }
}

function gap(expected: number, received: number): TopgateError<'event_gap'> {
  return new TopgateError({
    code: 'event_gap',
    message: `The event ${expected} is missing: ${received} came instead. Was the token changed for one of another reseller or mode?`,
    details: { expected, received },
  });
}
