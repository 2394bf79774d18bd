import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Gates, setCaller, setRefusedCaller } from '../http/caller.ts';
import { Problem } from '../http/problems.ts';
import { bearerToken, requireAnswerAccepted, unauthenticated } from '../http/request.ts';
import { unreachable } from '../lib/assert.ts';
import type { Access, AccessOutcome } from './access.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Scope } from './reseller.ts';

export interface GateDeps {
  access: Access;
  /** Null: no limit. */
  rateLimit: RateLimit | null;
  /** What the operator tells while the service is closed; null while it is open. */
  maintenance: () => string | null;
}

const MAINTENANCE_RETRY_SECONDS = 60;

/** The hooks before every reseller route. */
export function openGates(deps: GateDeps): Gates {
  return { read: gate(deps, 'read'), order: gate(deps, 'order') };
}

/** Checks in the order the interface promises: token, suspended, address, scope, rate. */
function gate(deps: GateDeps, scope: Scope) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = bearerToken(request);
    const outcome =
      token === null ? { kind: 'unauthenticated' as const } : await deps.access.authorize({ token, scope, address: request.ip });
    if (outcome.kind !== 'granted') {
      if (outcome.kind !== 'unauthenticated') setRefusedCaller(request, outcome.caller);
      throw toProblem(outcome.kind, scope, request.ip);
    }
    setCaller(request, outcome.caller);
    if (deps.rateLimit) await limitRate(deps.rateLimit, outcome.caller.resellerId, reply);
    const closed = deps.maintenance();
    if (closed !== null) throw new Problem('maintenance', closed, { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS });
    requireAnswerAccepted(request);
  };
}

function toProblem(refusal: Exclude<AccessOutcome['kind'], 'granted'>, scope: Scope, address: string): Problem {
  switch (refusal) {
    case 'unauthenticated':
      return unauthenticated();
    case 'suspended':
      return new Problem('account_suspended');
    case 'ip_not_allowed':
      return new Problem('ip_not_allowed', `This token may not be used from ${address}. Ask the operator to add the address.`, {
        details: { address },
      });
    case 'insufficient_scope':
      return new Problem('insufficient_scope', `This request needs a token with the scope "${scope}".`);
    default:
      return unreachable(refusal);
  }
}

async function limitRate(rateLimit: RateLimit, resellerId: string, reply: FastifyReply): Promise<void> {
  const taken = rateLimit.take(resellerId);
  // Memory decides most requests, and those need not wait for a turn.
  const decision = taken instanceof Promise ? await taken : taken;
  const remaining = decision.allowed ? decision.remaining : 0;
  reply.header('ratelimit-policy', `"default";q=${rateLimit.perSecond};w=1`);
  reply.header('ratelimit', `"default";r=${remaining};t=1`);
  if (!decision.allowed) throw new Problem('rate_limited', undefined, { retryAfterSeconds: decision.retryAfterSeconds });
}
