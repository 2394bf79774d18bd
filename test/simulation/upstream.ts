import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Dialect, SimulatorAnswer } from '../simulators/dialect.ts';
import { type Fate, Shop, type ShopOrder, type ShopState } from '../simulators/shop.ts';
import type { Fault } from '../simulators/simulator.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';

/** The weather at a supplier, which comes and goes. */
export interface Conditions {
  /** Nobody answers at all. */
  isDown: boolean;
  /** How often a call goes wrong. */
  faults: number;
  /** Our address is not, or no longer, on its list. */
  refusesUs: boolean;
  /** How often a request is so late, in some proxy for instance, that nobody waits for it any more. */
  late: number;
}

const GOOD_WEATHER: Conditions = { isDown: false, faults: 0.02, refusesUs: false, late: 0.03 };

export interface UpstreamOptions {
  code: string;
  dialect: Dialect;
  clock: Clock;
  chance: Chance;
  reversesWithinMs: number | null;
  /** How it turns away a request about a purchase that it was asked about before, as if our account were at fault, or too fast. */
  turnsAwayWith: readonly SimulatorAnswer[];
  climate: Climate;
  onChange: (order: ShopOrder, state: ShopState) => void;
}

/** A supplier of a simulated world: its book of what was really taken and delivered outlives every crash of ours. */
export class Upstream {
  readonly code: string;
  readonly dialect: Dialect;
  readonly shop: Shop;
  /** The latest time after a delivery at which it takes one back. */
  readonly reversesWithinMs: number | null;
  conditions: Conditions = { ...GOOD_WEATHER };
  /** What it has delivered a part of, at some time. */
  readonly inParts = new Set<ShopOrder>();
  /** From now on nothing odd happens any more. */
  isOver = false;
  readonly #options: UpstreamOptions;
  readonly #chance: Chance;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const { code, dialect, clock, chance } = options;
    this.code = code;
    this.dialect = dialect;
    this.reversesWithinMs = options.reversesWithinMs;
    this.#chance = chance;
    this.shop = new Shop({
      clock,
      items: dialect.items.map((item) => ({ ...item })),
      balance: 3_000_000n,
      fateOf: () => this.#fateOf(),
      onChange: (order, state) => this.#changed(order, state),
      ...(dialect.nameOf && { nameOf: dialect.nameOf }),
    });
  }

  clear(): void {
    this.conditions = { ...GOOD_WEATHER };
  }

  faultOf(): Fault {
    const { isDown, faults } = this.conditions;
    if (isDown) return { is: 'refused' };
    if (!this.#chance.happens(faults)) return { is: 'none' };
    return this.#chance.weighted<Fault>([
      [2, { is: 'refused' }],
      [2, { is: 'lost_request' }],
      [3, { is: 'lost_answer' }],
      [1, { is: 'error_page', status: 500, done: false }],
      [2, { is: 'error_page', status: 502, done: true }],
      [1, { is: 'garbage', body: '{"sta' }],
      [1, { is: 'garbage', body: '{"state":"something new","rc":"999"}' }],
      [3, { is: 'slow', delayMs: this.#chance.waitMs(40 * SECOND_MS) }],
    ]);
  }

  /** How long a request travels; at times so long that nobody waits for it any more when it arrives. */
  requestMs(): number {
    const { latestMs } = this.#options.climate;
    const isLate = this.#chance.happens(this.conditions.late) && latestMs > 0 && !this.isOver;
    return isLate ? this.#chance.between(10 * SECOND_MS, latestMs) : this.#chance.between(20, 400);
  }

  /** How long its answer travels. */
  answerMs(): number {
    const isLate = this.#chance.happens(this.conditions.faults / 4);
    return isLate ? this.#chance.between(10 * SECOND_MS, 2 * MINUTE_MS) : this.#chance.between(20, 400);
  }

  /**
   * What it says without looking to a request about a purchase that it was asked about before; null where it looks. One that is so
   * crowded that an earlier request has not arrived yet does so more often.
   */
  turnsAway(isCrowded: boolean): SimulatorAnswer | null {
    const { turnsAwayWith } = this.#options;
    if (turnsAwayWith.length === 0 || this.isOver) return null;
    return this.#chance.happens(isCrowded ? 0.6 : 0.1) ? this.#chance.pick(turnsAwayWith) : null;
  }

  /** Whether a connection that broke stays open without a word. */
  hangs(): boolean {
    return this.#chance.happens(0.5);
  }

  #changed(order: ShopOrder, state: ShopState): void {
    this.#options.onChange(order, state);
    if (state !== 'partial') return;
    this.inParts.add(order);
    if (this.#chance.happens(0.7)) void this.#goOn(order);
  }

  /** What was delivered in part comes to an end after all. */
  async #goOn(order: ShopOrder): Promise<void> {
    const { clock, onChange } = this.#options;
    const { plays } = this.dialect;
    await clock.sleep(this.#chance.waitMs(20 * MINUTE_MS));
    const afterMs = clock.now().getTime() - order.takenAt.getTime();
    const ends: [number, Fate][] = [[2, { is: 'delivered', afterMs }]];
    if (plays.refusals.length > 0) ends.push([2, { is: 'rejected', why: laterReason(this.#chance, plays.refusals), afterMs }]);
    if (plays.reversal) ends.push([1, { is: 'delivered', afterMs, reversedAfterMs: 0 }]);
    order.fate = this.#chance.weighted(ends);
    onChange(order, this.shop.stateOf(order));
  }

  #fateOf(): Fate {
    const chance = this.#chance;
    const { plays } = this.dialect;
    const at = (soonest: number, latest: number): number => (plays.deliversAtOnceOnly ? 0 : chance.between(soonest, latest));
    const fates: [number, Fate][] = [
      [46, { is: 'delivered', afterMs: 0 }],
      [22, { is: 'delivered', afterMs: at(SECOND_MS, 10 * MINUTE_MS) }],
      [5, { is: 'delivered', afterMs: at(10 * MINUTE_MS, 9 * HOUR_MS) }],
    ];
    if (plays.refusals.length > 0) fates.push([9, { is: 'rejected', why: chance.pick(plays.refusals), afterMs: 0 }]);
    if (plays.rejectsLater && plays.refusals.length > 0)
      fates.push([6, { is: 'rejected', why: laterReason(chance, plays.refusals), afterMs: at(SECOND_MS, HOUR_MS) }]);
    if (plays.partial) fates.push([3, { is: 'partial', afterMs: at(SECOND_MS, 10 * MINUTE_MS) }]);
    if (!plays.deliversAtOnceOnly) fates.push([2, { is: 'never' }], [1, { is: 'strange' }]);
    if (plays.reversal && this.reversesWithinMs !== null) {
      const reversedAfterMs = chance.between(MINUTE_MS, this.reversesWithinMs - MINUTE_MS);
      fates.push([4, { is: 'delivered', afterMs: at(0, MINUTE_MS), reversedAfterMs }]);
    }
    return chance.weighted(fates);
  }
}

/** What can still be wrong once an order was taken. */
function laterReason(chance: Chance, refusals: Dialect['plays']['refusals']) {
  const possible = refusals.filter((refusal) => refusal === 'out_of_stock' || refusal === 'wrong_player');
  return possible.length > 0 ? chance.pick(possible) : chance.pick(refusals);
}
