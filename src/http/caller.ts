import type { KeyObject } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';

/** Who makes a request of the reseller interface, as the gate let them in. */
export interface Caller {
  resellerId: string;
  name: string;
  username: string;
  registeredAt: Date;
  tierCode: string;
  lowBalanceThreshold: Amount | null;
  mode: Mode;
  /** The ledger account of the reseller in this mode. */
  accountId: string;
  /** What the caller's orders are signed with. */
  signingKey: KeyObject;
}

/** The hooks that guard reseller routes, one for each scope a route may need. */
export interface Gates {
  read: onRequestAsyncHookHandler;
  order: onRequestAsyncHookHandler;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the gate let in. */
    admitted: Caller | null;
    /** Whose token it was, when the gate knew it and did not let the request in. Kept apart, so that no handler can take it for one that was. */
    refused: Caller | null;
  }
}

/** Call once, before the routes: requests have a place for their caller from the start. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest('admitted', null);
  app.decorateRequest('refused', null);
}

export function setCaller(request: FastifyRequest, caller: Caller): void {
  request.admitted = caller;
}

export function setRefusedCaller(request: FastifyRequest, caller: Caller): void {
  request.refused = caller;
}

/** Whose request it is, let in or refused; null when nobody's token was recognised. */
export function knownCallerOf(request: FastifyRequest): Caller | null {
  return request.admitted ?? request.refused;
}

/** Only on routes behind a gate. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = request.admitted;
  if (!caller) throw new Error('Invariant broken: the route is not behind a gate');
  return caller;
}
