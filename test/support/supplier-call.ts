import type { Purchase } from '../../src/suppliers/supplier.ts';
import type { SupplierCall, WireRequest } from '../../src/suppliers/wire.ts';
import type { Simulator } from '../simulators/simulator.ts';
import { TEST_START } from './fake-clock.ts';

/** A way to the network at whose other end somebody always answers the same; what was sent is kept. */
export function answering(body: unknown, status = 200): SupplierCall & { sent: WireRequest[] } {
  const sent: WireRequest[] = [];
  return {
    sent,
    signal: new AbortController().signal,
    async send(request) {
      sent.push(request);
      return { status, text: JSON.stringify(body) };
    },
  };
}

/** A way to a simulator, without limits or a record. */
export function callTo(simulator: Simulator): SupplierCall {
  const { signal } = new AbortController();
  return { signal, send: (request) => simulator.wire().send(request, signal) };
}

export function examplePurchase(changes: Partial<Purchase> = {}): Purchase {
  return {
    reference: 'TG-1',
    supplierReference: null,
    sku: 'ml86',
    userId: '12345678',
    zone: '2001',
    accountText: null,
    cost: 19_500n,
    sends: 1,
    createdAt: TEST_START,
    ...changes,
  };
}
