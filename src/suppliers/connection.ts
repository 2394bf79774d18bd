import { type Clock, withTimeLimit } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Amount } from '../lib/money.ts';
import { createCircuit } from './circuit.ts';
import type {
  CheckOutcome,
  LookupOutcome,
  LookupRequest,
  PlaceOutcome,
  Purchase,
  Supplier,
  SupplierKind,
  SupplierService,
  Unknown,
} from './supplier.ts';

/** Nothing left this process, because the supplier is resting: certain, unlike `unknown`. */
export interface NotSent {
  kind: 'not_sent';
}

export type SupplierStatus = 'Active' | 'Paused';

/**
 * A supplier behind its limits: every call ends in time, every failure becomes the outcome `unknown`, and after too many of
 * them in a row the supplier rests and comes back by itself.
 */
export interface Connection {
  readonly code: string;
  readonly kind: SupplierKind;
  /** False while an operator paused the supplier or its circuit is open: nothing new is sent, running orders are still checked. */
  isAcceptingOrders(): boolean;
  /** `Resting` while the circuit is open after too many failures. */
  readonly health: 'Working' | 'Resting';
  placeOrder(purchase: Purchase): Promise<PlaceOutcome | NotSent>;
  checkOrder(purchase: Purchase): Promise<CheckOutcome>;
  lookupNickname(player: LookupRequest): Promise<LookupOutcome>;
  readBalance(): Promise<{ kind: 'known'; balance: Amount } | Unknown | NotSupported>;
  listServices(): Promise<{ kind: 'known'; services: SupplierService[] } | Unknown | NotSupported>;
}

/** The adapter cannot do this. */
export interface NotSupported {
  kind: 'not_supported';
}

export interface ConnectionSetup {
  code: string;
  kind: SupplierKind;
  supplier: Supplier;
  status: SupplierStatus;
  clock: Clock;
  log: Log;
}

export function connect({ code, kind, supplier, status, clock, log }: ConnectionSetup): Connection {
  const circuit = kind.limits.circuit && createCircuit(clock, kind.limits.circuit);

  const call = async <Outcome>(limitMs: number, work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome | Unknown> => {
    try {
      const answer = await withTimeLimit(clock, limitMs, work);
      return answer.timedOut ? { kind: 'unknown', reason: `no answer within ${limitMs} ms` } : answer.value;
    } catch (error) {
      log.warn({ err: error, supplier: code }, 'A call to a supplier failed.');
      return { kind: 'unknown', reason: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    code,
    kind,
    isAcceptingOrders: () => status === 'Active' && (circuit === null || circuit.isClosed()),
    get health() {
      return circuit === null || circuit.isClosed() ? 'Working' : 'Resting';
    },
    async placeOrder(purchase) {
      if (circuit !== null && !circuit.tryEnter()) return { kind: 'not_sent' };
      const outcome = await call(kind.limits.placeLimitMs, (signal) => supplier.placeOrder(purchase, signal));
      circuit?.record(outcome.kind !== 'unknown');
      return outcome;
    },
    checkOrder: (purchase) => call(kind.limits.checkLimitMs, (signal) => supplier.checkOrder(purchase, signal)),
    async lookupNickname(player) {
      const lookup = supplier.lookupNickname;
      if (!lookup) return { kind: 'unavailable', reason: 'the supplier has no lookup' };
      const outcome = await call(kind.limits.lookupLimitMs, (signal) => lookup.call(supplier, player, signal));
      return outcome.kind === 'unknown' ? { kind: 'unavailable', reason: outcome.reason } : outcome;
    },
    async readBalance() {
      const read = supplier.balance;
      if (!read) return { kind: 'not_supported' };
      return call(kind.limits.checkLimitMs, async (signal) => ({
        kind: 'known' as const,
        balance: await read.call(supplier, signal),
      }));
    },
    async listServices() {
      const list = supplier.listServices;
      if (!list) return { kind: 'not_supported' };
      return call(kind.limits.placeLimitMs, async (signal) => ({
        kind: 'known' as const,
        services: await list.call(supplier, signal),
      }));
    },
  };
}
