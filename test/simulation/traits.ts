import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Refusal } from '../simulators/shop.ts';

/** How an invented supplier differs from the others; together they have every habit that real ones are known to have. */
export interface Traits {
  kind: string;
  /** What it makes of a reference that it knows. */
  duplicates: 'answers again' | 'refuses' | 'buys again';
  /** How it is asked what became of a purchase. `by buying`: the same request as the purchase. */
  asked: 'by reference' | 'by its own name' | 'by buying';
  /** How long a new purchase is unknown to whoever asks for it; with more than none, "never heard of it" means nothing. */
  knowsAfterMs: number;
  /** May take a delivery back, always before this time is over. */
  reversesWithinMs: number | null;
  refusals: readonly Refusal[];
  rejectsLater: boolean;
  partial: boolean;
  /** Its answer to a purchase is final. */
  atOnceOnly: boolean;
  perSecond: number | null;
  oneAtATimePerPlayer: boolean;
  placeLimitMs: number;
}

/** How the names of invented kinds begin. */
export const INVENTED = 'world-';

const PLAIN: Omit<Traits, 'kind'> = {
  duplicates: 'answers again',
  asked: 'by reference',
  knowsAfterMs: 0,
  reversesWithinMs: null,
  refusals: ['out_of_stock', 'wrong_player', 'low_balance'],
  rejectsLater: true,
  partial: false,
  atOnceOnly: false,
  perSecond: null,
  oneAtATimePerPlayer: false,
  placeLimitMs: 30 * SECOND_MS,
};

export const WORLD_TRAITS: readonly Traits[] = [
  { ...PLAIN, kind: 'world-plain', partial: true },
  // Sending again is its way to be asked, and it may take back what it delivered.
  {
    ...PLAIN,
    kind: 'world-same-request',
    asked: 'by buying',
    partial: true,
    reversesWithinMs: 3 * HOUR_MS,
    placeLimitMs: 45 * SECOND_MS,
  },
  // Buys again whatever comes, and for a while does not know what it has taken.
  { ...PLAIN, kind: 'world-buys-again', duplicates: 'buys again', knowsAfterMs: 10 * MINUTE_MS, partial: true },
  // Knows no reference of ours: a purchase whose answer is lost cannot be asked about.
  {
    ...PLAIN,
    kind: 'world-own-names',
    duplicates: 'buys again',
    asked: 'by its own name',
    oneAtATimePerPlayer: true,
  },
  // Refuses a reference that it has seen without saying what became of it.
  { ...PLAIN, kind: 'world-refuses', duplicates: 'refuses', reversesWithinMs: 6 * HOUR_MS },
  // Delivers or refuses at once; nothing is ever pending.
  { ...PLAIN, kind: 'world-at-once', duplicates: 'refuses', knowsAfterMs: 2 * MINUTE_MS, atOnceOnly: true, placeLimitMs: 20_000 },
  // Wants its calls slowly, and turns away who is faster or comes again for the same player.
  { ...PLAIN, kind: 'world-slow-lane', refusals: ['too_fast', 'same_player_again', 'out_of_stock'], perSecond: 2 },
];
