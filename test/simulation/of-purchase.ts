import type { Purchase, SupplierKind } from '../../src/suppliers/supplier.ts';
import type { SupplierCall } from '../../src/suppliers/wire.ts';

/** The header that says for which purchase of ours a request is. No supplier reads it. */
export const OF_PURCHASE = 'x-of-purchase';
/** Whether it is to buy, or to ask about the purchase. */
export const OF_CALL = 'x-of-call';

/** The same kind, whose requests name the purchase: some suppliers take no reference, and the world wants to know all the same. */
export function ofPurchase(kind: SupplierKind): SupplierKind {
  return {
    ...kind,
    create(setup) {
      const supplier = kind.create(setup);
      return {
        ...supplier,
        placeOrder: (purchase, call) => supplier.placeOrder(purchase, named('place', call, purchase)),
        checkOrder: (purchase, call) => supplier.checkOrder(purchase, named('check', call, purchase)),
      };
    },
  };
}

function named(kind: 'place' | 'check', { signal, send }: SupplierCall, { reference }: Purchase): SupplierCall {
  const names = { [OF_PURCHASE]: reference, [OF_CALL]: kind };
  return { signal, send: (request) => send({ ...request, headers: { ...request.headers, ...names } }) };
}
