import { parseReference } from '../../src/orders/order.ts';
import type { ShopOrder, ShopState } from '../simulators/shop.ts';
import type { Upstream } from './upstream.ts';

/** A purchase as a supplier has it. */
export interface Purchased {
  upstream: Upstream;
  order: ShopOrder;
  /** For which attempt of ours it was made. */
  attempt: number;
}

/** Which purchases at all suppliers were made for which order of ours: what only somebody outside can know. */
export class Books {
  /** When a supplier's message that it had delivered a purchase was last taken. */
  readonly heardMs = new Map<ShopOrder, number>();
  readonly #byOrder = new Map<string, Purchased[]>();
  readonly #underWay = new Map<string, number>();
  readonly #sent = new Set<string>();

  /** A request leaves: whether there was one about the same purchase before, and what is to be called when it has arrived. */
  depart(reference: string | null): { isRepeated: boolean; arrive: () => void } {
    const orderId = reference === null ? null : (parseReference(reference)?.orderId ?? null);
    if (reference === null || orderId === null) return { isRepeated: false, arrive: () => undefined };
    const isRepeated = this.#sent.has(reference);
    this.#sent.add(reference);
    this.#underWay.set(orderId, this.underWay(orderId) + 1);
    return { isRepeated, arrive: () => this.#underWay.set(orderId, this.underWay(orderId) - 1) };
  }

  /** How many requests for an order have left and not arrived. */
  underWay(orderId: string): number {
    return this.#underWay.get(orderId) ?? 0;
  }

  enter(purchased: Omit<Purchased, 'attempt'>, reference: string | null): void {
    const named = reference === null ? null : parseReference(reference);
    if (named === null) throw new Error(`A purchase at ${purchased.upstream.code} says not for which attempt it is.`);
    this.#byOrder.set(named.orderId, [...this.purchasesOf(named.orderId), { ...purchased, attempt: named.number }]);
  }

  purchasesOf(orderId: string): Purchased[] {
    return this.#byOrder.get(orderId) ?? [];
  }

  statesOf(orderId: string): ShopState[] {
    return this.purchasesOf(orderId).map(({ upstream, order }) => upstream.shop.stateOf(order));
  }
}
