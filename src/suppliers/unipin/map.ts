import type { LookupGames } from '../lookup-games.ts';
import type { Meaning } from '../meaning.ts';

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

/** What a failing system says of itself, whatever it was asked. */
const SYSTEM_FAULT =
  /internal|system|server error|maintenance|unavailable|busy|try again|connection|respon[ds]|time ?d? ?out|gateway|gangguan/i;

const OUR_ACCOUNT = /partner|signature|credential|unauthori[sz]ed/i;

/** Without it, "failed to top up the account" would be the player's fault. */
const WRONG = '(invalid|unknown|wrong|incorrect|expired|inactive|no such|not (a )?valid|not found|not exist|not available)';

const wrong = (subject: string) => new RegExp(`${WRONG}.*(${subject})|(${subject}).*${WRONG}`, 'i');

const PLAYER = String.raw`user|account|player|\bu?id\b|zone|\bserver\b|nickname|character`;
const PLAYER_REJECTED: Meaning = { is: 'rejected', code: 'player_rejected' };

/**
 * UniPin publishes no table of reasons. These words are ours, and the first that fit count. Only what they name is a no: a reason
 * that nobody thought of says nothing of the order.
 */
export const REASONS: readonly { words: RegExp; text: string; meaning: Meaning }[] = [
  { words: MAY_BE_THERE, text: 'the order may be there', meaning: { is: 'unknown' } },
  { words: SYSTEM_FAULT, text: 'a fault of the system', meaning: { is: 'unknown' } },
  { words: OUR_ACCOUNT, text: 'our account is at fault', meaning: { is: 'misconfigured' } },
  { words: /(out of|insufficient|no) stock|sold out/i, text: 'out of stock', meaning: { is: 'elsewhere', code: 'out_of_stock' } },
  { words: /insufficient|not enough (balance|credit)/i, text: 'our balance does not suffice', meaning: { is: 'low_balance' } },
  { words: wrong('token'), text: 'the validation does not hold', meaning: { is: 'busy', retryAfterMs: 15_000 } },
  { words: wrong('denomination|game|product|item'), text: 'no such item', meaning: { is: 'elsewhere', code: 'not_deliverable' } },
  { words: wrong(PLAYER), text: 'no such player', meaning: PLAYER_REJECTED },
];

/** What a refused order means, as long as UniPin has been asked once more and does not know the order either. */
export function meaningOfRefusedOrder({ status, reason, isOurs }: Refusal): Meaning {
  if (isOurs) return { is: 'misconfigured' };
  const found = status === FAILED ? REASONS.find(({ words }) => words.test(reason)) : undefined;
  return found?.meaning ?? { is: 'unknown' };
}

/** Whether a refused question says that the order is not there: not if the question itself failed, nor if it speaks of an order. */
export function isOrderUnknown({ status, reason, isOurs }: Refusal): boolean {
  return status === FAILED && !isOurs && ![MAY_BE_THERE, SYSTEM_FAULT, OUR_ACCOUNT].some((words) => words.test(reason));
}

/**
 * What a refused validation means: nothing was bought, whatever the reason. Words about the player are the player's fault, and only
 * they. Null: UniPin has failed, so the order waits.
 */
export function meaningOfRefusedPlayer(refusal: Refusal): Meaning | null {
  const { status, reason, isOurs } = refusal;
  if (!isOurs && (status !== FAILED || SYSTEM_FAULT.test(reason))) return null;
  const meaning = meaningOfRefusedOrder(refusal);
  if (meaning.is !== 'unknown') return meaning;
  return new RegExp(PLAYER, 'i').test(reason) ? PLAYER_REJECTED : { is: 'elsewhere', code: 'not_deliverable' };
}

/** The games that UniPin's documents name. */
export const GAMES: LookupGames = { MLBB: 'MLBBD_ID' };
