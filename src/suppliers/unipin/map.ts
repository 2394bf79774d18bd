import type { LookupGames } from '../lookup-games.ts';
import type { Meaning } from '../meaning.ts';

/** The one status that says that an order was not made. Any other one but 1 is in no document. */
const FAILED = '0';

/**
 * UniPin publishes no table of reasons. These words are ours: the first that fit say that the order may be there after all, the
 * others why it is not.
 */
export const REASONS: readonly { words: RegExp; text: string; meaning: Meaning }[] = [
  { words: /duplicat|already|reference/i, text: 'the reference is used', meaning: { is: 'unknown' } },
  { words: /pending|process|time ?d? ?out/i, text: 'not ended yet', meaning: { is: 'unknown' } },
  { words: /insufficient|not enough (balance|credit)/i, text: 'our balance does not suffice', meaning: { is: 'low_balance' } },
  { words: /out of stock/i, text: 'out of stock', meaning: { is: 'elsewhere', code: 'out_of_stock' } },
];

const NOT_MADE: Meaning = { is: 'elsewhere', code: 'not_deliverable' };

/** What a refused order means, as long as UniPin has been asked once more and does not know the order either. */
export function meaningOfRefusedOrder({ status, reason, isOurs }: { status: string; reason: string; isOurs: boolean }): Meaning {
  if (isOurs) return { is: 'misconfigured' };
  if (status !== FAILED) return { is: 'unknown' };
  return REASONS.find(({ words }) => words.test(reason))?.meaning ?? NOT_MADE;
}

/** What a refused validation means: nothing was bought, whatever the reason. */
export function meaningOfRefusedPlayer({ status, isOurs }: { status: string; isOurs: boolean }): Meaning {
  if (isOurs) return { is: 'misconfigured' };
  return status === FAILED ? { is: 'rejected', code: 'player_rejected' } : NOT_SENT;
}

/** No order has left: it may be tried again, or elsewhere. */
export const NOT_SENT: Meaning = { is: 'busy', retryAfterMs: 15_000 };

/** The games that UniPin's documents name. */
export const GAMES: LookupGames = { MLBB: 'MLBBD_ID' };
