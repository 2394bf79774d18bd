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
  signingSecret: string;
}

/** The hooks that guard reseller routes, one for each scope a route may need. */
export interface Gates {
  read: onRequestAsyncHookHandler;
  order: onRequestAsyncHookHandler;
}

const callers = new WeakMap<FastifyRequest, Caller>();

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Only on routes behind a gate. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error('Invariant broken: the route is not behind a gate');
  return caller;
}
