import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/caller.ts';
import { Problem } from '../http/problems.ts';

/** The endpoint a request names, within the caller's account. */
export function keyOf(request: FastifyRequest<{ Params: { webhook_id: string | null } }>): { accountId: string; id: string } {
  const id = request.params.webhook_id;
  if (id === null) throw new Problem('webhook_not_found');
  return { accountId: callerOf(request).accountId, id };
}

export function requireEndpoint<Found>(found: Found | null): Found {
  if (found === null) throw new Problem('webhook_not_found');
  return found;
}
