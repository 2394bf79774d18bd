import type { LookupGames } from '../lookup-games.ts';
import { isAboutPlayer, isSystemFault, type Meaning, PLAYER_WORDS } from '../meaning.ts';

/** The status of a refusal. Any other one but 1 is in no document. */
const FAILED = '0';

/** UniPin says no, or something that is not known to mean anything. `isOurs`: because of who asks, whatever was asked. */
export interface Refusal {
  status: string;
  reason: string;
  isOurs: boolean;
}

/** What may be said of an order that is there, or is just being made. */
const MAY_BE_THERE = /duplicat|already|exists|in use|been used|pending|process|progress|success/i;

const OUR_ACCOUNT = /partner|signature|credential|unauthori[sz]ed/i;

/** Without it, "failed to top up the account" would be the player's fault. */
const WRONG = '(invalid|unknown|wrong|incorrect|expired|inactive|no such|not (a )?valid|not found|not exist|not available)';

const wrong = (subject: string) => new RegExp(`${WRONG}.*(${subject})|(${subject}).*${WRONG}`, 'i');

const PLAYER_REJECTED: Meaning = { is: 'rejected', code: 'player_rejected' };

/**
 * UniPin publishes no table of reasons. These words are ours, and the first that fit count. Only what they name is a no: a reason
 * that nobody thought of says nothing of the order.
 */
export const REASONS: readonly { words: RegExp; text: string; meaning: Meaning }[] = [
  { words: MAY_BE_THERE, text: 'the order may be there', meaning: { is: 'unknown' } },
  { words: OUR_ACCOUNT, text: 'our account is at fault', meaning: { is: 'misconfigured' } },
  { words: /(out of|insufficient|no) stock|sold out/i, text: 'out of stock', meaning: { is: 'elsewhere', code: 'out_of_stock' } },
  { words: /insufficient|not enough (balance|credit)/i, text: 'our balance does not suffice', meaning: { is: 'low_balance' } },
  { words: wrong('token'), text: 'the validation does not hold', meaning: { is: 'busy', retryAfterMs: 15_000 } },
  { words: wrong('denomination|game|product|item'), text: 'no such item', meaning: { is: 'elsewhere', code: 'not_deliverable' } },
  { words: wrong(PLAYER_WORDS), text: 'no such player', meaning: PLAYER_REJECTED },
];

/**
 * What a refused order means, as long as UniPin has been asked once more and does not know the order either. Words that a reseller
 * may have chosen count only where they make us more careful.
 */
export function meaningOfRefusedOrder({ status, reason, isOurs }: Refusal, chosen = ''): Meaning {
  if (isOurs) return { is: 'misconfigured' };
  if (status !== FAILED || isSystemFault(reason)) return { is: 'unknown' };
  const found = REASONS.find(({ words, meaning }) => words.test(reason) && (meaning.is === 'unknown' || !words.test(chosen)));
  return found?.meaning ?? { is: 'unknown' };
}

/** Whether a refused question says that the order is not there: not if the question itself failed, nor if it speaks of an order. */
export function isOrderUnknown({ status, reason, isOurs }: Refusal): boolean {
  return (
    status === FAILED && !isOurs && !isSystemFault(reason) && ![MAY_BE_THERE, OUR_ACCOUNT].some((words) => words.test(reason))
  );
}

/**
 * What a refused validation means: nothing was bought, whatever the reason. Words about the player are the player's fault, and only
 * they; words that a reseller chose are nobody's. Null: UniPin has failed, so the order waits.
 */
export function meaningOfRefusedPlayer({ status, reason, isOurs }: Refusal, chosen: string): Meaning | null {
  if (isOurs) return { is: 'misconfigured' };
  if (status !== FAILED || (isSystemFault(reason) && !isSystemFault(chosen))) return null;
  const isNamed = (words: RegExp) => words.test(reason) && !words.test(chosen);
  const found = REASONS.find(({ words, meaning }) => meaning.is !== 'unknown' && isNamed(words));
  if (found) return found.meaning;
  return isAboutPlayer(reason) ? PLAYER_REJECTED : { is: 'elsewhere', code: 'not_deliverable' };
}

/** The games that UniPin's documents name. */
export const GAMES: LookupGames = { MLBB: 'MLBBD_ID' };
