import { after, type Clock } from '../../src/lib/clock.ts';

/** Why a supplier says no. Each dialect has its own words for those it knows. */
export type Refusal = 'out_of_stock' | 'wrong_player' | 'low_balance' | 'too_fast' | 'same_player_again';

/** What becomes of a purchase; chosen by whoever runs the simulator, before it is made. */
export type Fate =
  | { is: 'delivered'; afterMs: number; reversedAfterMs?: number }
  /** `afterMs: 0`: in the answer to the order, which is then never made. */
  | { is: 'rejected'; why: Refusal; afterMs: number }
  /** A part of it is delivered, where the supplier knows such a state; some time after that it may still get an end. */
  | { is: 'partial'; afterMs: number; end?: { is: 'delivered' | 'rejected'; afterMs: number } }
  | { is: 'never' }
  /** A state that the supplier's documentation does not have. */
  | { is: 'strange' };

export type ShopState = 'pending' | 'delivered' | 'rejected' | 'partial' | 'reversed' | 'strange';

export interface ShopItem {
  sku: string;
  name: string;
  /** In whole units of the simulator's currency, as our routes' costs are. */
  price: bigint;
  available: boolean;
}

/** A purchase as a dialect read it from a request. */
export interface ShopRequest {
  /** Our reference; null where the dialect has none. */
  reference: string | null;
  sku: string;
  /** The player's account as the supplier got it. */
  account: string;
}

export interface ShopOrder extends ShopRequest {
  /** The supplier's own name for it. */
  id: string;
  number: number;
  price: bigint;
  fate: Fate;
  takenAt: Date;
}

export interface ShopOptions {
  clock: Clock;
  items: ShopItem[];
  balance?: bigint;
  fateOf: (request: ShopRequest) => Fate;
  /** Called when the state of an order has changed after the answer to it. */
  onChange?: (order: ShopOrder, state: ShopState) => void;
  /** The form of its own names for orders. */
  nameOf?: (number: number) => string;
}

/** What any supplier has, whatever its dialect: items, our balance, and a book of what it took and delivered. */
export class Shop {
  readonly orders: ShopOrder[] = [];
  readonly items: ShopItem[];
  balance: bigint;
  fateOf: (request: ShopRequest) => Fate;
  onChange: (order: ShopOrder, state: ShopState) => void;
  readonly clock: Clock;
  readonly #nameOf: (number: number) => string;

  constructor(options: ShopOptions) {
    this.clock = options.clock;
    this.items = options.items;
    this.balance = options.balance ?? 1_000_000_000n;
    this.fateOf = options.fateOf;
    this.onChange = options.onChange ?? (() => undefined);
    this.#nameOf = options.nameOf ?? ((number) => `SIM${String(number).padStart(8, '0')}`);
  }

  item(sku: string): ShopItem | undefined {
    return this.items.find((item) => item.sku === sku);
  }

  /** Takes an order, or says why not. A reference that is known already is taken again: whether it may be is the dialect's rule. */
  take(request: ShopRequest): ShopOrder | Refusal | 'unknown_item' {
    const item = this.item(request.sku);
    if (!item) return 'unknown_item';
    if (!item.available) return 'out_of_stock';
    const fate = this.fateOf(request);
    if (fate.is === 'rejected' && fate.afterMs === 0) return fate.why;
    if (this.balance < item.price) return 'low_balance';
    const number = this.orders.length + 1;
    const order: ShopOrder = {
      ...request,
      number,
      id: this.#nameOf(number),
      price: item.price,
      fate,
      takenAt: this.clock.now(),
    };
    this.orders.push(order);
    this.balance -= item.price;
    this.#announce(order);
    return order;
  }

  /** Writes down an order that is refused: some suppliers remember those as well. */
  writeDown(request: ShopRequest, why: Refusal): ShopOrder {
    const number = this.orders.length + 1;
    const fate: Fate = { is: 'rejected', why, afterMs: 0 };
    const price = this.item(request.sku)?.price ?? 0n;
    const order: ShopOrder = { ...request, number, id: this.#nameOf(number), price, fate, takenAt: this.clock.now() };
    this.orders.push(order);
    return order;
  }

  /** The latest with this reference, where a supplier buys again. */
  byReference(reference: string): ShopOrder | undefined {
    return this.orders.findLast((order) => order.reference === reference);
  }

  byId(id: string): ShopOrder | undefined {
    return this.orders.find((order) => order.id === id);
  }

  stateOf({ fate, takenAt }: ShopOrder): ShopState {
    const agoMs = this.clock.now().getTime() - takenAt.getTime();
    if (fate.is === 'strange') return 'strange';
    if (fate.is === 'never' || agoMs < fate.afterMs) return 'pending';
    if (fate.is === 'partial') return fate.end && agoMs >= fate.afterMs + fate.end.afterMs ? fate.end.is : 'partial';
    if (fate.is !== 'delivered') return fate.is;
    const isReversed = fate.reversedAfterMs !== undefined && agoMs >= fate.afterMs + fate.reversedAfterMs;
    return isReversed ? 'reversed' : 'delivered';
  }

  serialOf(order: ShopOrder): string {
    return `SN-${order.id}`;
  }

  /** How often the player got something for this reference. */
  deliveredFor(reference: string): number {
    return this.orders.filter((order) => order.reference === reference && this.stateOf(order) === 'delivered').length;
  }

  /** Tells of every change at its time. The book needs no timers: it follows the clock. */
  #announce(order: ShopOrder): void {
    const { fate } = order;
    if (fate.is === 'never' || fate.is === 'strange') return;
    const times = [fate.afterMs];
    if (fate.is === 'delivered' && fate.reversedAfterMs !== undefined) times.push(fate.afterMs + fate.reversedAfterMs);
    if (fate.is === 'partial' && fate.end) times.push(fate.afterMs + fate.end.afterMs);
    for (const time of times) {
      if (time === 0) continue;
      const due = after(order.takenAt, time);
      const tell = async () => {
        await this.clock.sleep(due.getTime() - this.clock.now().getTime());
        const state = this.stateOf(order);
        if (state === 'rejected' || state === 'reversed') this.balance += order.price;
        this.onChange(order, state);
      };
      void tell();
    }
  }
}
