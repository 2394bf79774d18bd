import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Dialect } from '../simulators/dialect.ts';
import { type Fate, Shop, type ShopOrder, type ShopState } from '../simulators/shop.ts';
import type { Fault } from '../simulators/simulator.ts';
import type { Chance } from './chance.ts';

/** The weather at a supplier, which comes and goes. */
export interface Conditions {
  /** Nobody answers at all. */
  isDown: boolean;
  /** How often a call goes wrong. */
  faults: number;
  /** Our address is not, or no longer, on its list. */
  refusesUs: boolean;
}

const GOOD_WEATHER: Conditions = { isDown: false, faults: 0.02, refusesUs: false };

/** A supplier of a simulated world: its book of what was really taken and delivered outlives every crash of ours. */
export class Upstream {
  readonly code: string;
  readonly dialect: Dialect;
  readonly shop: Shop;
  /** The latest time after a delivery at which it takes one back. */
  readonly reversesWithinMs: number | null;
  conditions: Conditions = { ...GOOD_WEATHER };
  readonly #chance: Chance;

  constructor(options: {
    code: string;
    dialect: Dialect;
    clock: Clock;
    chance: Chance;
    reversesWithinMs: number | null;
    onChange: (order: ShopOrder, state: ShopState) => void;
  }) {
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
      onChange: options.onChange,
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

  /** How long a message travels one way; at times so long that nobody waits for it any more when it arrives. */
  travelMs(): number {
    const isLate = this.#chance.happens(this.conditions.faults / 4);
    return isLate ? this.#chance.between(10 * SECOND_MS, 2 * MINUTE_MS) : this.#chance.between(20, 400);
  }

  /** Whether a connection that broke stays open without a word. */
  hangs(): boolean {
    return this.#chance.happens(0.5);
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
    if (plays.partial) fates.push([2, { is: 'partial', afterMs: at(SECOND_MS, 10 * MINUTE_MS) }]);
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
