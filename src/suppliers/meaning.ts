import type { FailureCode } from './failures.ts';
import { toAmount } from './lenient.ts';
import type { CheckOutcome, PlaceOutcome, Told } from './supplier.ts';

/**
 * What one code, status or message of a supplier means for an order. Adapters keep their whole code table as data of this form,
 * so that it can be read beside the supplier's own documentation.
 */
export type Meaning =
  | { is: 'delivered' }
  | { is: 'pending'; lookAgainInMs?: number }
  /** Final: the order itself is at fault, so nobody else is tried. */
  | { is: 'rejected'; code: FailureCode }
  /**
   * Final for this supplier, nothing was bought: somebody else may be tried. `misconfigured`: because of our account there.
   * `routeAtFault`: because it has no item of that name.
   */
  | { is: 'elsewhere'; code: FailureCode; misconfigured?: true | 'for_operator'; routeAtFault?: true }
  /** Nothing was bought, as we came too fast: the same supplier may be tried again as a new purchase. */
  | { is: 'busy'; retryAfterMs: number }
  /** Nothing was bought, as our balance there does not suffice. */
  | { is: 'low_balance' }
  /** Nothing was bought, as our account or configuration is at fault. */
  | { is: 'misconfigured' }
  | { is: 'unknown' }
  /** Neither yes nor no: an operator decides. */
  | { is: 'unclear'; partial?: true }
  | { is: 'reversed' }
  | { is: 'not_found' };

/** By the supplier's code; `text` is what the supplier says it means, in English. */
export type CodeTable = Readonly<Record<string, Meaning & { text: string }>>;

/**
 * For suppliers that have words instead of codes: the first row whose words, in lower case, stand in the text. Words that stand in
 * `chosen` as well prove nothing, as suppliers repeat in their sentences what a reseller wrote.
 */
export function findByWords(table: CodeTable, text: string, chosen: string): Meaning | undefined {
  const lower = plainWords(text);
  return Object.entries(table).find(([words]) => lower.includes(words) && !chosen.includes(words))?.[1];
}

/** All that a reseller chose of a purchase or a look-up, in lower case, the ways in which suppliers join it included. */
export function chosenWords(player: { userId: string; zone: string; accountText?: string | null }): string {
  const { userId, zone, accountText } = player;
  return plainWords([userId, zone, `${userId}${zone}`, `${userId} ${zone}`, accountText ?? ''].join('\n'));
}

function plainWords(text: string): string {
  return text.toLowerCase().replace(/[^\S\n]+/g, ' ');
}

/** What a failing system says of itself, whatever it was asked. */
const SYSTEM_FAULT =
  /internal|system|server error|maintenance|unavailable|busy|try again|connection|respon[ds]|time ?d? ?out|gateway|gangguan/i;

/** What an account of a game is called. */
export const PLAYER_WORDS = String.raw`user|account|player|\bu?id\b|zone|\bserver\b|nickname|character`;
const ABOUT_PLAYER = new RegExp(PLAYER_WORDS, 'i');

/** For suppliers that tell by words alone why they do not answer. */
export function isSystemFault(words: string): boolean {
  return SYSTEM_FAULT.test(words);
}

/** Whether a refused look-up is about the player: not if the supplier has failed, nor if it speaks of anything else. */
export function isAboutPlayer(words: string): boolean {
  return ABOUT_PLAYER.test(words) && !isSystemFault(words);
}

/** The entry of a code, if the table has one: `toString` is no code. */
export function findCode<Entry>(table: Readonly<Record<string, Entry>>, code: string): Entry | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

/** A purchase that cannot be written the way the supplier wants it, so that nothing was sent. */
export function toUnsendable(detail: string): PlaceOutcome {
  return { kind: 'rejected', code: 'not_deliverable', retryElsewhere: true, detail };
}

/** What came with a code: the supplier's own words, and what it told of the purchase. */
export interface Particulars extends Told {
  detail: string;
  serialNumber?: string | null;
}

/** Suppliers tell the price of failed purchases too, for which nothing was charged. */
export function chargedFor({ is }: Meaning, price: string | null | undefined): Pick<Told, 'charged'> {
  return price && (is === 'delivered' || is === 'pending') ? { charged: toAmount(price, 'up') } : {};
}

/** The outcome of a question about a purchase. A code that is in no table has no meaning here: it is `unknown`, never a guess. */
export function toCheckOutcome(meaning: Meaning | undefined, { detail, serialNumber, ...told }: Particulars): CheckOutcome {
  switch (meaning?.is) {
    case 'delivered':
      return { kind: 'delivered', serialNumber: serialNumber ?? null, ...told };
    case 'pending':
      return { kind: 'pending', ...(meaning.lookAgainInMs !== undefined && { lookAgainInMs: meaning.lookAgainInMs }), ...told };
    case 'rejected':
      return { kind: 'rejected', code: meaning.code, retryElsewhere: false, detail, ...told };
    case 'elsewhere':
      return {
        kind: 'rejected',
        code: meaning.code,
        retryElsewhere: true,
        ...(meaning.misconfigured && { misconfigured: meaning.misconfigured }),
        ...(meaning.routeAtFault && { routeAtFault: true }),
        detail,
        ...told,
      };
    case 'busy':
      return {
        kind: 'rejected',
        code: 'temporarily_unavailable',
        retryElsewhere: true,
        retryAfterMs: meaning.retryAfterMs,
        detail,
        ...told,
      };
    case 'low_balance':
      return { kind: 'rejected', code: 'temporarily_unavailable', retryElsewhere: true, lowBalance: true, detail, ...told };
    case 'misconfigured':
      return { kind: 'misconfigured', detail };
    case 'unclear':
      return { kind: 'unclear', reason: detail, ...(meaning.partial && { partial: true }), ...told };
    case 'reversed':
      return { kind: 'reversed', detail, ...told };
    case 'not_found':
      return { kind: 'not_found' };
    default:
      return { kind: 'unknown', reason: detail, ...told };
  }
}

/** The outcome of sending a purchase, which nothing can have been known of or taken back before. */
export function toPlaceOutcome(meaning: Meaning | undefined, particulars: Particulars): PlaceOutcome {
  const outcome = toCheckOutcome(meaning, particulars);
  if (outcome.kind === 'not_found') return { kind: 'unknown', reason: particulars.detail };
  if (outcome.kind !== 'reversed') return outcome;
  const { detail: _detail, serialNumber: _serialNumber, ...told } = particulars;
  return { kind: 'rejected', code: 'not_deliverable', retryElsewhere: false, detail: particulars.detail, ...told };
}
