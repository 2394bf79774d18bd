import type { Caller } from '../../src/http/caller.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { toOrderId } from '../../src/orders/order.ts';
import { type PlaceOrderOutcome, type PlaceOrderRequest, placeOrder } from '../../src/orders/place-order.ts';
import type { Chance } from './chance.ts';
import type { Fleet } from './fleet.ts';
import type { Tally } from './tally.ts';
import type { VirtualTime } from './virtual-time.ts';

/** An order that was confirmed to a reseller, which can never be unmade. */
export interface Confirmed {
  accountId: string;
  orderId: string;
  request: PlaceOrderRequest;
}

export interface ResellerDeps {
  time: VirtualTime;
  chance: Chance;
  fleet: Fleet;
  tally: Tally;
  callers: Caller[];
  serviceCodes: string[];
  report: (violation: string) => void;
}

const ANSWER_LIMIT_MS = MINUTE_MS;
const MAX_TRIES = 20;

/** The programs of the resellers: they order, repeat what got no answer, and believe what they are told. */
export class Resellers {
  readonly confirmed = new Map<string, Confirmed>();
  readonly #deps: ResellerDeps;
  #sent: { caller: Caller; request: PlaceOrderRequest }[] = [];
  #players = 0;

  constructor(deps: ResellerDeps) {
    this.#deps = deps;
  }

  /** Something a reseller does: mostly a new order, at times one of the things that go wrong in their programs. */
  async act(): Promise<void> {
    const { chance } = this.#deps;
    const [first = this.#newOrder()] = this.#sent.length > 5 && chance.happens(0.08) ? [chance.pick(this.#sent)] : [];
    const deed = chance.weighted([
      [80, 'once'],
      [10, 'at the same time'],
      [5, 'other content'],
      [5, 'too cheap'],
    ] as const);
    if (deed === 'once') await this.#order(first);
    else if (deed === 'at the same time') await Promise.all([this.#order(first), this.#order(first), this.#order(first)]);
    else if (deed === 'too cheap') {
      const { caller, request } = this.#newOrder();
      await this.#order({ caller, request: { ...request, maxPrice: 5n } });
    } else {
      await this.#order(first);
      await this.#order({ ...first, request: { ...first.request, zone: '2002' } });
    }
  }

  #newOrder(): { caller: Caller; request: PlaceOrderRequest } {
    const { chance, callers, serviceCodes } = this.#deps;
    // A few resellers bring most of the orders.
    const caller = chance.happens(0.5) ? chance.pick(callers.slice(0, 2)) : chance.pick(callers);
    this.#players += 1;
    const player = chance.happens(0.8) ? 81_000_000 + this.#players * 10 : 82_000_000 + chance.between(1, 5) * 10;
    const request = {
      serviceCode: chance.pick(serviceCodes),
      refId: `INV-${this.#players}`,
      userId: String(player),
      zone: '2001',
      maxPrice: chance.happens(0.2) ? 1_000_000n : null,
    };
    this.#sent.push({ caller, request });
    return { caller, request };
  }

  /** Orders, and orders again until there is an answer. */
  async #order({ caller, request }: { caller: Caller; request: PlaceOrderRequest }): Promise<void> {
    const { time, chance, tally } = this.#deps;
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const outcome = await this.#send(caller, request);
      if (outcome !== 'no answer' && outcome.kind !== 'overloaded') {
        tally.met(`answer: ${outcome.kind}`);
        this.#note(caller, request, outcome);
        return;
      }
      tally.met('requests without an answer');
      await time.sleep(chance.waitMs(attempt * 10 * SECOND_MS), null);
    }
  }

  async #send(caller: Caller, request: PlaceOrderRequest): Promise<PlaceOrderOutcome | 'no answer'> {
    const { time, chance, fleet } = this.#deps;
    const running = fleet.pick(chance);
    if (running === null) return 'no answer';
    const { parts, process } = running;
    const timer = new AbortController();
    const silence = Promise.race([time.sleep(ANSWER_LIMIT_MS, null, timer.signal), process.death]).then(
      () => 'no answer' as const,
    );
    // Any failure is answered 500, which says nothing about what became of the order.
    const answer = process.reach(placeOrder(parts, caller, request)).catch(() => 'no answer' as const);
    const outcome = await Promise.race([answer, silence]);
    timer.abort();
    return outcome;
  }

  #note(caller: Caller, request: PlaceOrderRequest, outcome: PlaceOrderOutcome): void {
    if (outcome.kind !== 'placed' && outcome.kind !== 'replayed') return;
    const { report } = this.#deps;
    const key = `${caller.accountId} ${request.refId}`;
    const before = this.confirmed.get(key);
    if (before && before.orderId !== outcome.order.id)
      report(`${request.refId} was confirmed as ${toOrderId(before.orderId)} and as ${toOrderId(outcome.order.id)}`);
    this.confirmed.set(key, { accountId: caller.accountId, orderId: outcome.order.id, request });
  }
}
