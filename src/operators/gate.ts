import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { bearerToken, requireAnswerAccepted, unauthenticated } from '../http/request.ts';
import type { Actor } from './audit-log.ts';

/** The hook before every admin route: the bearer token must be the installation's admin token. */
export function adminGate(adminToken: string) {
  const expected = digest(adminToken);
  return async (request: FastifyRequest): Promise<void> => {
    const token = bearerToken(request);
    // Digests of equal length, compared in constant time, tell nothing about how much of a guess was right.
    if (token === null || !timingSafeEqual(digest(token), expected)) throw unauthenticated();
    requireAnswerAccepted(request);
  };
}

export function actorOf(request: FastifyRequest): Actor {
  return { name: 'admin', requestId: request.id };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
