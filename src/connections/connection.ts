import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Amount } from '../lib/money.ts';
import { createPace } from '../lib/pace.ts';
import type {
  CallbackMessage,
  CallbackReading,
  CheckOutcome,
  ForeignCurrency,
  Hold,
  ListedItem,
  LookupOutcome,
  LookupRequest,
  Misconfigured,
  NotSent,
  ObserveCall,
  PlaceOutcome,
  Purchase,
  Supplier,
  SupplierCall,
  SupplierKind,
  Unknown,
  Wire,
} from '../suppliers/index.ts';
import { AccountFault } from '../suppliers/index.ts';
import { createCaller } from './call-supplier.ts';
import { createCircuit } from './circuit.ts';
import { MAX_LIST_BYTES } from './http-wire.ts';
import type { SupplierSettings } from './settings.ts';

/** Whatever may come of sending a purchase or asking about it. */
export type SupplierAnswer = CheckOutcome | NotSent;

export type SupplierStatus = 'Active' | 'Paused';

/** What a question can bring: a fault of our configuration says nothing about an earlier purchase. */
export type Finding = Exclude<CheckOutcome, Misconfigured>;

/**
 * A supplier behind its limits: every call ends in time, every failure becomes the outcome `unknown`, and after too many of
 * them in a row the supplier rests and comes back by itself.
 */
export interface Connection {
  readonly code: string;
  readonly kind: SupplierKind;
  readonly settings: SupplierSettings;
  /** What the supplier counts in with us, when it is not our currency. */
  readonly foreignCurrency: ForeignCurrency | null;
  /**
   * False while paused, on hold or resting: no purchase is sent. Orders under way are still asked about, which may buy one that never
   * arrived where the kind says `checkMayBuy`.
   */
  isAcceptingOrders(): boolean;
  /** `Resting` while the circuit is open after too many failures. */
  readonly health: 'Working' | 'Resting';
  readonly hold: Hold | null;
  /** Begins or ends the hold as the installation knows it; what this process met by itself holds at once. */
  setHold(hold: Hold | null): void;
  placeOrder(purchase: Purchase): Promise<PlaceOutcome>;
  checkOrder(purchase: Purchase): Promise<Finding>;
  lookupNickname(player: LookupRequest): Promise<LookupOutcome>;
  readBalance(): Promise<{ kind: 'known'; balance: Amount | null } | Misconfigured | Unknown | NotSupported>;
  /** Where no balance is told: whether our account is good, by the price list of nothing. */
  probeAccount(): Promise<{ kind: 'accepted' } | Misconfigured | Unknown | NotSupported>;
  /** What a message at our callback address is; null where suppliers of this kind send none. */
  readCallback(message: CallbackMessage): CallbackReading | null;
  /** The part of the callback address that only the supplier knows; null: it has no such address. */
  readonly callbackKey: string | null;
  /** Masks this supplier's secrets in a text. */
  redact(text: string): string;
  listServices(wanted: readonly string[]): Promise<{ kind: 'known'; services: ListedItem[] } | Unknown | NotAsked | NotSupported>;
}

/** Nothing was asked: a setting is missing, or the supplier was not reached. It may be tried again at once. */
export interface NotAsked {
  kind: 'not_asked';
  reason: string;
}

/** The adapter cannot do this. */
export interface NotSupported {
  kind: 'not_supported';
}

export interface ConnectionSetup {
  code: string;
  kind: SupplierKind;
  settings: SupplierSettings;
  supplier: Supplier;
  status: SupplierStatus;
  hold: Hold | null;
  callbackKey?: string;
  wire: Wire;
  /** Masks secrets in what is kept of exchanges. */
  redact: (text: string) => string;
  observe: ObserveCall;
  clock: Clock;
  log: Log;
}

/** How long a call may wait for its turn where calls per second are limited. */
export const PACE_PATIENCE_MS = 5 * SECOND_MS;
/** Somebody waits for the name before placing an order. */
const LOOKUP_PATIENCE_MS = SECOND_MS;
const TOO_MANY = 'too many calls are waiting for their turn';
/** A price list may have to be read game by game. */
const LIST_LIMIT_MS = 120 * SECOND_MS;

export function connect(setup: ConnectionSetup): Connection {
  const { code, kind, settings, supplier, status, clock } = setup;
  const { limits } = settings;
  const circuit = limits.circuit && createCircuit(clock, limits.circuit);
  const pace = createPace(clock, limits.perSecond);
  let { hold } = setup;

  const invoke = createCaller({
    ...setup,
    onHold(found) {
      hold = found;
    },
  });

  /** A call of many requests, each of which counts against the limit of the supplier. */
  const inTurn = (call: SupplierCall): SupplierCall => ({
    ...call,
    async send(request) {
      if (!(await pace.enter(PACE_PATIENCE_MS))) throw new Error(TOO_MANY);
      return call.send(request);
    },
  });

  return {
    code,
    kind,
    settings,
    foreignCurrency: supplier.foreignCurrency ?? null,
    isAcceptingOrders: () => status === 'Active' && hold === null && (circuit === null || circuit.isClosed()),
    get health() {
      return circuit === null || circuit.isClosed() ? 'Working' : 'Resting';
    },
    get hold() {
      return hold;
    },
    callbackKey: setup.callbackKey ?? null,
    redact: setup.redact,
    readCallback(message) {
      if (!supplier.readCallback) return null;
      try {
        return supplier.readCallback(message);
      } catch (error) {
        return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
      }
    },
    setHold(known) {
      hold = known;
    },
    async placeOrder(purchase) {
      if (!(await pace.enter(PACE_PATIENCE_MS))) return { kind: 'not_sent', reason: TOO_MANY };
      const record = circuit?.enter();
      if (record === null) return { kind: 'not_sent', reason: 'the supplier is resting' };
      const outcome = await invoke({ call: 'place', limitMs: limits.placeLimitMs, reference: purchase.reference }, (call) =>
        supplier.placeOrder(purchase, call),
      );
      record?.(outcome.kind !== 'unknown' && outcome.kind !== 'not_sent');
      return outcome;
    },
    async checkOrder(purchase) {
      if (!(await pace.enter(PACE_PATIENCE_MS))) return { kind: 'unknown', reason: TOO_MANY };
      const outcome = await invoke({ call: 'check', limitMs: limits.checkLimitMs, reference: purchase.reference }, (call) =>
        supplier.checkOrder(purchase, call),
      );
      if (outcome.kind === 'not_sent') return { kind: 'unknown', reason: 'the supplier could not be reached' };
      return outcome.kind === 'misconfigured' ? { kind: 'unknown', reason: outcome.detail } : outcome;
    },
    async lookupNickname(player) {
      const lookup = supplier.lookupNickname;
      if (!lookup) return { kind: 'unavailable', reason: 'the supplier has no lookup' };
      if (!(await pace.enter(LOOKUP_PATIENCE_MS))) return { kind: 'unavailable', reason: TOO_MANY };
      const outcome = await invoke({ call: 'lookup', limitMs: limits.lookupLimitMs, reference: null }, (call) =>
        lookup.call(supplier, player, call),
      );
      if (outcome.kind === 'not_sent') return { kind: 'unavailable', reason: 'the supplier could not be reached' };
      return outcome.kind === 'unknown' ? { kind: 'unavailable', reason: outcome.reason } : outcome;
    },
    async readBalance() {
      const read = supplier.balance;
      if (!read) return { kind: 'not_supported' };
      if (!(await pace.enter(PACE_PATIENCE_MS))) return { kind: 'unknown', reason: TOO_MANY };
      const request = { call: 'balance', limitMs: limits.checkLimitMs, reference: null, tellsOfAccount: true } as const;
      const outcome = await invoke(request, (call) =>
        tellingFault(async () => ({ kind: 'known' as const, balance: await read.call(supplier, call) })),
      );
      return outcome.kind === 'not_sent' ? { kind: 'unknown', reason: 'the supplier could not be reached' } : outcome;
    },
    async probeAccount() {
      const list = supplier.listServices;
      if (!list) return { kind: 'not_supported' };
      const request = { call: 'list', limitMs: limits.checkLimitMs, reference: null, tellsOfAccount: true } as const;
      const outcome = await invoke({ ...request, maxBytes: MAX_LIST_BYTES }, (call) =>
        tellingFault(async () => {
          await list.call(supplier, inTurn(call), []);
          return { kind: 'accepted' as const };
        }),
      );
      return outcome.kind === 'not_sent' ? { kind: 'unknown', reason: 'the supplier could not be reached' } : outcome;
    },
    async listServices(wanted) {
      const list = supplier.listServices;
      if (!list) return { kind: 'not_supported' };
      let isAsked = false;
      const request = { call: 'list', limitMs: LIST_LIMIT_MS, reference: null, maxBytes: MAX_LIST_BYTES } as const;
      const outcome = await invoke(request, async (call) => {
        const asking: SupplierCall = {
          ...call,
          send(question) {
            isAsked = true;
            return call.send(question);
          },
        };
        return { kind: 'known' as const, services: await list.call(supplier, inTurn(asking), wanted) };
      });
      if (outcome.kind === 'not_sent') return { kind: 'not_asked', reason: 'the supplier could not be reached' };
      return outcome.kind === 'unknown' && !isAsked ? { kind: 'not_asked', reason: outcome.reason } : outcome;
    },
  };
}

/** What a question about no purchase brought; its refusal because of our account is an outcome and no failure. */
async function tellingFault<Outcome>(ask: () => Promise<Outcome>): Promise<Outcome | Misconfigured> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AccountFault) return { kind: 'misconfigured', detail: error.message };
    throw error;
  }
}
