import { type Clock, withTimeLimit } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type CallKind,
  type Exchange,
  type Hold,
  type NotSent,
  type ObserveCall,
  type SupplierCall,
  type Unknown,
  type Wire,
  WireError,
} from '../suppliers/index.ts';
import { nameFailure } from './name-failure.ts';
import { toStorable } from './storable-outcome.ts';
import { traceCall } from './trace-call.ts';

export interface CallRequest {
  call: CallKind;
  limitMs: number;
  /** Our reference of the purchase that it is about; null for calls about none. */
  reference: string | null;
  /** A refusal because of our account holds the supplier; that of a purchase always does. */
  tellsOfAccount?: boolean;
  /** Where an answer may be longer than usual. */
  maxBytes?: number;
}

/** Does one call within its limit and tells those who keep records. Whatever goes wrong is `unknown`, or never left. */
export type CallSupplier = <Outcome extends { kind: string }>(
  request: CallRequest,
  work: (call: SupplierCall) => Promise<Outcome>,
) => Promise<Outcome | Unknown | NotSent>;

interface CallerSetup {
  code: string;
  wire: Wire;
  redact: (text: string) => string;
  observe: ObserveCall;
  clock: Clock;
  log: Log;
  /** Called when an answer tells what stops all further orders. */
  onHold: (hold: Hold) => void;
}

export function createCaller(setup: CallerSetup): CallSupplier {
  const { code, clock } = setup;
  return async (request, work) => {
    const at = clock.now();
    const exchanges: Exchange[] = [];
    const outcome = keepable(await attempt(setup, request, exchanges, work), setup.redact);
    const seen: { kind: string; reason?: string; detail?: string; retryElsewhere?: boolean } = outcome;
    const hold = holdOf(outcome);
    // A purchase that was taken and then failed because of our account tells as much as the refusal of the next one would.
    if (hold !== null && (request.call === 'place' || request.tellsOfAccount || outcome.kind === 'rejected')) setup.onHold(hold);
    if ('routeAtFault' in outcome)
      setup.log.warn(
        { supplier: code, reference: request.reference, detail: seen.detail },
        'A supplier has no item of the name that a route gives it; orders go elsewhere until the route is set right.',
      );
    setup.observe({
      supplierCode: code,
      call: request.call,
      reference: request.reference,
      outcome: outcome.kind,
      detail: seen.reason ?? seen.detail ?? null,
      isOrderAtFault: seen.retryElsewhere === false,
      hold,
      at,
      durationMs: Math.max(0, clock.now().getTime() - at.getTime()),
      exchanges,
    });
    return outcome;
  };
}

async function attempt<Outcome>(
  { code, wire, redact, clock, log }: CallerSetup,
  { limitMs, maxBytes }: CallRequest,
  exchanges: Exchange[],
  work: (call: SupplierCall) => Promise<Outcome>,
): Promise<Outcome | Unknown | NotSent> {
  try {
    const answer = await withTimeLimit(clock, limitMs, (signal) =>
      work({ ...traceCall({ wire, clock, redact, exchanges, signal, maxBytes }), limitMs }),
    );
    return answer.timedOut ? { kind: 'unknown', reason: `no answer within ${limitMs} ms` } : answer.value;
  } catch (error) {
    // A request that came after another one of the same call tells nothing of the first.
    if (exchanges.length === 1 && exchanges[0]?.status === null && isNeverLeft(error))
      return { kind: 'not_sent', reason: error.message };
    log.warn({ err: error, supplier: code }, 'A call to a supplier failed.');
    return { kind: 'unknown', reason: nameFailure(error) };
  }
}

/** An outcome as it may be stored and shown: a supplier may repeat in its words what it was sent, our key for instance. */
function keepable<Outcome extends { kind: string; reason?: string; detail?: string }>(
  outcome: Outcome,
  redact: (text: string) => string,
): Outcome {
  const { reason, detail } = outcome;
  return toStorable({
    ...outcome,
    ...(reason !== undefined && { reason: redact(reason) }),
    ...(detail !== undefined && { detail: redact(detail) }),
  });
}

function holdOf(outcome: {
  kind: string;
  detail?: string;
  lowBalance?: boolean;
  misconfigured?: boolean | 'for_operator';
}): Hold | null {
  if (outcome.misconfigured === 'for_operator') return { kind: 'needs_operator', reason: outcome.detail ?? '' };
  if (outcome.kind === 'misconfigured' || outcome.misconfigured) return { kind: 'misconfigured', reason: outcome.detail ?? '' };
  return outcome.lowBalance ? { kind: 'low_balance', reason: outcome.detail ?? '' } : null;
}

function isNeverLeft(error: unknown): error is WireError {
  return error instanceof WireError && error.neverLeft;
}
