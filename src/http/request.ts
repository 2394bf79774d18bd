import type { FastifyRequest } from 'fastify';
import { Problem } from './problems.ts';

/** The token of `Authorization: Bearer <token>`, or null when there is none of that form. */
export function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

export function unauthenticated(): Problem {
  return new Problem('unauthenticated', undefined, { headers: { 'www-authenticate': 'Bearer' } });
}

const problems = new WeakMap<FastifyRequest, Problem>();

/** Remembers the error a request is answered with, for hooks that run after the answer. */
export function setProblem(request: FastifyRequest, problem: Problem): void {
  problems.set(request, problem);
}

export function problemOf(request: FastifyRequest): Problem | null {
  return problems.get(request) ?? null;
}

/**
 * Any form of "what this route answers is fine": nothing said, `*\/*`, its own type (JSON unless it `produces` another), all of
 * its kind, or JSON, in which errors come; unless with a weight of zero.
 */
export function requireAnswerAccepted(request: FastifyRequest): void {
  const accept = request.headers.accept;
  if (accept === undefined || accept.trim() === '') return;
  const answers = ['application/json', ...(request.routeOptions.schema?.produces ?? [])];
  const fine = new Set(['*/*', ...answers, ...answers.map((type) => type.replace(/\/.*$/, '/*'))]);
  const accepts = accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && fine.has(type);
  });
  if (!accepts) throw new Problem('not_acceptable');
}
