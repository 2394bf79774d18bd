import { changeService } from '../../src/catalog/edit-catalog.ts';
import { setSupplierStatus } from '../../src/connections/configure-supplier.ts';
import type { Caller } from '../../src/http/caller.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { parseReference } from '../../src/orders/order.ts';
import { closeAsNotDelivered, recheckOrder, rerouteOrder, resolveOrder } from '../../src/orders/resolve-order.ts';
import { adjustBalance, creditDeposit } from '../../src/resellers/credit-balance.ts';
import type { Route } from '../../src/routing/index.ts';
import { setRoutes } from '../../src/routing/set-routes.ts';
import type { Books } from './books.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import type { WorldEngine } from './engine.ts';
import type { Fleet, Running } from './fleet.ts';
import type { Tally } from './tally.ts';
import type { Upstream } from './upstream.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface OperatorDeps {
  time: VirtualTime;
  engine: WorldEngine;
  chance: Chance;
  fleet: Fleet;
  books: Books;
  tally: Tally;
  upstreams: ReadonlyMap<string, Upstream>;
  callers: Caller[];
  routes: ReadonlyMap<string, Route[]>;
  climate: Climate;
  /** The configuration changed, so every process looks soon. */
  onChange: () => void;
}

const ACTOR = { name: 'operator', requestId: null };
const ANSWER_LIMIT_MS = MINUTE_MS;
/** A request that was under way when an order was flagged has arrived by then, so the supplier's book can be believed. */
const CERTAIN_AFTER_MS = 15 * MINUTE_MS;
/** Enough for the longest time that nobody serves. */
const MAX_TRIES = 100;

/** The staff: they decide what is flagged, move money, pause suppliers, and make the mistakes that the rules allow. */
export class Operators {
  /** What was paid in, by reference. */
  readonly deposits = new Map<string, bigint>();
  /** Orders that stood before an operator when a supplier had delivered them. */
  readonly told = new Set<string>();
  readonly #deps: OperatorDeps;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  async act(): Promise<void> {
    await this.#deps.chance.weighted<() => Promise<void>>([
      [30, () => this.review(0.7)],
      [10, () => this.#recheckSomething()],
      [5, () => this.#refundWithoutKnowing()],
      [4, () => this.#takeBackADelivery()],
      [6, () => this.#deliverByHand()],
      [8, () => this.#pauseAWhile()],
      [8, () => this.#changeRoutes()],
      [6, () => this.#changePrice()],
      [18, () => this.#depositSomething()],
      [5, () => this.#correctABalance()],
    ])();
  }

  /** Credits a payment; tries until it is certain, as the reference makes it harmless. */
  async deposit(caller: Caller, amount: bigint): Promise<void> {
    const reference = `payment ${this.deposits.size + 1}`;
    this.deposits.set(reference, amount);
    const { chance } = this.#deps;
    const request = { resellerId: caller.resellerId, mode: 'live' as const, amount, reference };
    await this.#certainly(({ parts }) => creditDeposit({ ...parts, ...parts.view }, ACTOR, request));
    if (chance.happens(0.2)) await this.#try(({ parts }) => creditDeposit({ ...parts, ...parts.view }, ACTOR, request));
  }

  /** Goes through what is flagged and decides by what the suppliers' own books say, as a call to each would tell. */
  async review(share: number): Promise<void> {
    const { engine, books, chance } = this.#deps;
    const certainMs = CERTAIN_AFTER_MS + 2 * this.#deps.climate.skewMs;
    const known = new Date(this.#deps.time.nowMs - certainMs).toISOString();
    const flagged = await engine.read(`select id, state from orders where review_since < '${known}' order by id`);
    for (const { id, state } of flagged) {
      if (!chance.happens(share)) continue;
      const orderId = String(id);
      const states = books.statesOf(orderId);
      const isDelivered = states.includes('delivered');
      const isOpen = states.some((found) => found === 'pending' || found === 'partial' || found === 'strange');
      if (state !== 'Process') {
        const isReversed = state === 'Success' && states.length > 0 && !isDelivered && !isOpen;
        await this.#resolve(orderId, isReversed ? 'Refunded' : (state as 'Success' | 'Failed'));
      } else if (isDelivered) await this.#resolve(orderId, 'Success');
      else if (!isOpen && books.underWay(orderId) === 0) await this.#endOrGoOn(orderId);
      else if (isOpen && chance.happens(0.3)) await this.#resolve(orderId, 'Failed');
    }
  }

  /** Whatever stops a supplier is mended: money is sent, the address is registered, and it is taken up again. */
  async mend(upstream: Upstream): Promise<void> {
    upstream.conditions.refusesUs = false;
    upstream.shop.balance += 5_000_000n;
    for (const status of ['Paused', 'Active'] as const)
      await this.#certainly(({ parts }) => setSupplierStatus(parts, ACTOR, upstream.code, status));
    this.#deps.onChange();
  }

  async recheck(orderId: string): Promise<void> {
    await this.#try(async ({ parts }) => {
      const outcome = await recheckOrder(parts, ACTOR, orderId);
      if (outcome.kind === 'done') parts.wakeDispatcher();
    });
  }

  /** Somebody sees at once that an answer was lost, and cannot wait: asks again, or wants the order sent another way. */
  async meddle(reference: string): Promise<void> {
    const { chance, time, tally } = this.#deps;
    const orderId = parseReference(reference)?.orderId;
    if (orderId === undefined || !chance.happens(0.3)) return;
    const way = chance.pick(['ask', 'send another way', 'refund', 'deliver by hand'] as const);
    await time.sleep(chance.between(5 * SECOND_MS, 12 * MINUTE_MS), null);
    tally.met(`operator: hastily ${way}`);
    if (way === 'ask') return this.recheck(orderId);
    if (way === 'refund') return this.#resolve(orderId, 'Failed');
    if (way === 'deliver by hand') return this.#resolve(orderId, 'Success', true);
    await this.#try(async ({ parts }) => {
      await rerouteOrder(parts, ACTOR, { orderId, reason: 'it takes too long', route: null });
      parts.wakeDispatcher();
    });
  }

  async #resolve(orderId: string, outcome: 'Success' | 'Failed' | 'Refunded', byOtherMeans = false): Promise<void> {
    const { tally, engine, books } = this.#deps;
    tally.met(`operator: ${outcome}`);
    const flagged = await engine.read(`select id from orders where id = '${orderId}' and review_since is not null`);
    if (flagged.length > 0 && books.statesOf(orderId).includes('delivered')) this.told.add(orderId);
    await this.#try(({ parts }) =>
      resolveOrder(parts, ACTOR, {
        orderId,
        outcome,
        byOtherMeans,
        reason: 'looked into',
        serialNumber: outcome === 'Success' ? 'by hand' : null,
      }),
    );
  }

  /** No supplier has it and none will: the money goes back, or the order goes another way. */
  async #endOrGoOn(orderId: string): Promise<void> {
    const { chance, tally } = this.#deps;
    const request = { orderId, reason: 'the supplier never had it', route: null };
    const way = chance.pick(['give the money back', 'go on', 'send another way'] as const);
    if (way === 'give the money back') return this.#resolve(orderId, 'Failed');
    tally.met(`operator: ${way}`);
    await this.#try(async ({ parts }) => {
      const outcome = await closeAsNotDelivered(parts, ACTOR, request);
      if (way === 'send another way' && outcome.kind !== 'done') await rerouteOrder(parts, ACTOR, request);
      parts.wakeDispatcher();
    });
  }

  async #recheckSomething(): Promise<void> {
    const orderId = await this.#someOrder(`state <> 'Refunded'`);
    if (orderId !== null) await this.recheck(orderId);
  }

  async #refundWithoutKnowing(): Promise<void> {
    const orderId = await this.#someOrder(`state = 'Process'`);
    if (orderId !== null) await this.#resolve(orderId, 'Failed');
  }

  async #takeBackADelivery(): Promise<void> {
    const orderId = await this.#someOrder(`state = 'Success'`);
    if (orderId !== null) await this.#resolve(orderId, 'Refunded');
  }

  /** The player cannot wait. That the supplier holds a purchase for the order as well is at times said, at times forgotten. */
  async #deliverByHand(): Promise<void> {
    const orderId = await this.#someOrder(`state = 'Process'`);
    if (orderId !== null) await this.#resolve(orderId, 'Success', this.#deps.chance.happens(0.6));
  }

  async #pauseAWhile(): Promise<void> {
    const { chance, time, tally, upstreams, onChange } = this.#deps;
    const upstream = chance.pick([...upstreams.values()]);
    await this.#certainly(({ parts }) => setSupplierStatus(parts, ACTOR, upstream.code, 'Paused'));
    tally.happened(`${upstream.code}: paused by an operator`);
    onChange();
    await time.sleep(chance.waitMs(chance.happens(0.1) ? 2 * HOUR_MS : 5 * MINUTE_MS), null);
    await this.#certainly(({ parts }) => setSupplierStatus(parts, ACTOR, upstream.code, 'Active'));
    onChange();
  }

  async #changeRoutes(): Promise<void> {
    const { chance, routes, onChange } = this.#deps;
    const [serviceCode, all] = chance.pick([...routes]);
    const wanted = chance.shuffled(all).slice(0, chance.between(1, all.length));
    await this.#try(({ parts }) => setRoutes(parts, ACTOR, serviceCode, wanted));
    onChange();
  }

  async #changePrice(): Promise<void> {
    const { chance, routes, onChange } = this.#deps;
    const serviceCode = chance.pick([...routes.keys()]);
    const price = BigInt(chance.between(8_000, 120_000));
    await this.#try(({ parts }) =>
      changeService({ ...parts, tell: async () => undefined, onStatesSet: async () => undefined }, ACTOR, serviceCode, { price }),
    );
    onChange();
  }

  async #depositSomething(): Promise<void> {
    const { chance, callers } = this.#deps;
    await this.deposit(chance.pick(callers), BigInt(chance.between(50_000, 900_000)));
  }

  /** Not repeated when its answer is lost: nothing but the statement could tell whether it was done. */
  async #correctABalance(): Promise<void> {
    const { chance, callers } = this.#deps;
    const amount = BigInt(chance.between(-20_000, 20_000) || 1);
    const { resellerId } = chance.pick(callers);
    await this.#try(({ parts }) =>
      adjustBalance({ ...parts, ...parts.view }, ACTOR, { resellerId, mode: 'live', amount, reason: 'a correction' }),
    );
  }

  async #someOrder(condition: string): Promise<string | null> {
    const { engine, chance } = this.#deps;
    const found = await engine.read(`select id from orders where ${condition} order by id desc limit 20`);
    return found.length === 0 ? null : String(chance.pick(found)['id']);
  }

  async #certainly(work: (running: Running) => Promise<unknown>): Promise<void> {
    const { time, chance } = this.#deps;
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      if (await this.#try(work)) return;
      await time.sleep(chance.waitMs(attempt * 10 * SECOND_MS), null);
    }
    throw new Error('An operator was not let do something for hours.');
  }

  /** Whether an answer came. */
  async #try(work: (running: Running) => Promise<unknown>): Promise<boolean> {
    const { time, chance, fleet } = this.#deps;
    const running = fleet.pick(chance);
    if (running === null) return false;
    const timer = new AbortController();
    const silence = Promise.race([time.sleep(ANSWER_LIMIT_MS, null, timer.signal), running.process.death]).then(() => false);
    const answer = running.process.reach(work(running)).then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([answer, silence]);
    timer.abort();
    return answered;
  }
}
