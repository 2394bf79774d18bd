import { SECOND_MS } from '../../src/lib/clock.ts';
import type {
  CallbackMessage,
  CallbackReading,
  CheckOutcome,
  LookupOutcome,
  PlaceOutcome,
  Purchase,
  SupplierKind,
  SupplierSetup,
} from '../../src/suppliers/supplier.ts';

/** A supplier at the far end of the port that answers what a test tells it to, and keeps what it was asked. */
export interface ScriptedSupplier {
  kind: SupplierKind;
  /** The configuration each account at it was opened with. */
  setups: SupplierSetup[];
  placed: Purchase[];
  checked: Purchase[];
  lookups: string[];
  onPlace: (purchase: Purchase, signal: AbortSignal) => Promise<PlaceOutcome>;
  onCheck: (purchase: Purchase) => Promise<CheckOutcome>;
  onLookup: (userId: string) => Promise<LookupOutcome>;
  onCallback: (message: CallbackMessage) => CallbackReading;
}

export function scriptedSupplier(): ScriptedSupplier {
  const script: ScriptedSupplier = {
    setups: [],
    placed: [],
    checked: [],
    lookups: [],
    onPlace: async () => ({ kind: 'delivered', serialNumber: 'SN-1' }),
    onCheck: async () => ({ kind: 'pending' }),
    onLookup: async (userId) => ({ kind: 'found', nickname: `Player ${userId}` }),
    onCallback: () => ({ kind: 'unreadable', reason: 'not scripted' }),
    kind: {
      kind: 'scripted',
      label: 'Scripted',
      capabilities: {
        nickname: true,
        balance: false,
        priceList: false,
        callback: true,
        lookup: true,
        safeResend: false,
        trustworthyNotFound: false,
        checkMayBuy: false,
        priceGuard: false,
      },
      fields: [
        { key: 'base_url', label: 'Base URL', secret: false, required: true },
        { key: 'api_key', label: 'API key', secret: true, required: true },
      ],
      limits: {
        concurrency: 8,
        perSecond: null,
        placeLimitMs: 10 * SECOND_MS,
        checkLimitMs: 5 * SECOND_MS,
        lookupLimitMs: 3 * SECOND_MS,
        lookAgainAfterMs: [5 * SECOND_MS, 30 * SECOND_MS],
        reviewAfterMs: 60 * SECOND_MS,
        circuit: { failures: 3, restMs: 30 * SECOND_MS },
        priceListEveryMs: 60 * SECOND_MS,
        oneAtATimePerPlayer: false,
      },
      accountTemplate: null,
      create(setup) {
        script.setups.push(setup);
        return {
          placeOrder(purchase, call) {
            script.placed.push(purchase);
            return script.onPlace(purchase, call.signal);
          },
          checkOrder(purchase) {
            script.checked.push(purchase);
            return script.onCheck(purchase);
          },
          lookupNickname({ userId }) {
            script.lookups.push(userId);
            return script.onLookup(userId);
          },
          readCallback: (message) => script.onCallback(message),
        };
      },
    },
  };
  return script;
}
