import type { Clock } from '../../src/lib/clock.ts';
import type { WebhookSender } from '../../src/webhooks/index.ts';

/** One call as the receiver saw it. */
export interface ScriptedCall {
  url: string;
  at: Date;
  id: string;
  event: { type: string; sequence: number; data: Record<string, unknown> };
}

/** What the other end of the network does: an HTTP status, no connection, or silence until the time limit. */
export type Script = number | 'refused' | 'hang';

const ATTEMPT_LIMIT_MS = 15_000;

/** The edge of the network for tests that own the time: takes calls as all receivers together would. */
export interface ScriptedReceivers extends WebhookSender {
  calls: ScriptedCall[];
  /** Calls that hang at this moment. */
  readonly hanging: number;
  /** Decides about calls to come; 200 until told otherwise. */
  script(decide: (call: ScriptedCall) => Script): void;
}

export function scriptedReceivers(clock: Clock): ScriptedReceivers {
  const calls: ScriptedCall[] = [];
  let decide: (call: ScriptedCall) => Script = () => 200;
  let hanging = 0;
  return {
    calls,
    get hanging() {
      return hanging;
    },
    script: (next) => {
      decide = next;
    },
    async send({ url, headers, body }) {
      const at = clock.now();
      const call = { url, at, id: headers['webhook-id'] ?? '', event: JSON.parse(body) };
      calls.push(call);
      const script = decide(call);
      const nothing = { at, durationMs: 0, status: null, response: null, retryAfterMs: null };
      if (script === 'refused') return { ...nothing, error: 'connection_failed' };
      if (script !== 'hang') return { ...nothing, status: script, error: null };
      hanging += 1;
      await clock.sleep(ATTEMPT_LIMIT_MS);
      hanging -= 1;
      return { ...nothing, durationMs: ATTEMPT_LIMIT_MS, error: 'timeout' };
    },
    close: async () => undefined,
  };
}
