import type { KeyObject } from 'node:crypto';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
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

const callers = new WeakMap<FastifyRequest, Caller>();
/** Kept apart, so that no handler can ever take a refused caller for one that was let in. */
const refusedCallers = new WeakMap<FastifyRequest, Caller>();

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Whose token it was, when the gate knew it and did not let the request in. */
export function setRefusedCaller(request: FastifyRequest, caller: Caller): void {
  refusedCallers.set(request, caller);
}

/** Whose request it is, let in or refused; null when nobody's token was recognised. */
export function knownCallerOf(request: FastifyRequest): Caller | null {
  return callers.get(request) ?? refusedCallers.get(request) ?? null;
}

/** Only on routes behind a gate. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error('Invariant broken: the route is not behind a gate');
  return caller;
}
