import { toOrderId } from '../../src/orders/order.ts';
import type { ShopOrder, ShopState } from '../simulators/shop.ts';
import type { Upstream } from './upstream.ts';

/** A purchase as a supplier has it. */
export interface Purchased {
  upstream: Upstream;
  order: ShopOrder;
}

const REFERENCE = /TG[0-9A-Z]{26}(?=-\d)/i;

/** Which purchases at all suppliers were made for which order of ours: what only somebody outside can know. */
export class Books {
  readonly #byOrder = new Map<string, Purchased[]>();
  /** Of suppliers that take no reference of ours; there each player orders once, which tells whose purchase it is. */
  readonly #unnamed: Purchased[] = [];

  enter(purchased: Purchased, request: string): void {
    const reference = REFERENCE.exec(request)?.[0].toUpperCase();
    if (reference === undefined) this.#unnamed.push(purchased);
    else this.#byOrder.set(reference, [...(this.#byOrder.get(reference) ?? []), purchased]);
  }

  purchasesOf({ id, userId }: { id: string; userId: string }): Purchased[] {
    const unnamed = this.#unnamed.filter(({ order }) => order.account.includes(userId));
    return [...(this.#byOrder.get(toOrderId(id)) ?? []), ...unnamed];
  }

  statesOf(order: { id: string; userId: string }): ShopState[] {
    return this.purchasesOf(order).map(({ upstream, order: purchase }) => upstream.shop.stateOf(purchase));
  }
}
