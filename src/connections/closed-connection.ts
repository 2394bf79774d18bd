import type { Hold, SupplierKind, Unknown } from '../suppliers/index.ts';
import type { Connection } from './connection.ts';
import { readSettings } from './settings.ts';

/**
 * Stands where a supplier's connection would be that cannot be opened as it is configured. It gets no orders, answers no
 * question, and says why, so that the service, its other suppliers and the orders of this one go on.
 */
export function closedConnection(code: string, kind: SupplierKind, setup: { callbackKey: string; reason: string }): Connection {
  const hold: Hold = { kind: 'misconfigured', reason: `it cannot be used as it is configured: ${setup.reason}` };
  const unknown: Unknown = { kind: 'unknown', reason: hold.reason };
  return {
    code,
    kind,
    settings: readSettings(kind, {}),
    foreignCurrency: null,
    isAcceptingOrders: () => false,
    health: 'Working',
    hold,
    // Only another configuration can open it.
    setHold() {},
    placeOrder: async () => ({ kind: 'not_sent' }),
    checkOrder: async () => unknown,
    lookupNickname: async () => ({ kind: 'unavailable', reason: hold.reason }),
    readBalance: async () => unknown,
    probeAccount: async () => unknown,
    listServices: async () => ({ kind: 'not_asked', reason: hold.reason }),
    readCallback: () => (kind.capabilities.callback ? { kind: 'unreadable', reason: hold.reason } : null),
    callbackKey: setup.callbackKey,
    // Its secrets may be what cannot be read, so nothing is known to be none.
    redact: () => '(not kept)',
  };
}
