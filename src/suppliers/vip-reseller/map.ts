import type { LookupGames } from '../lookup-games.ts';
import { type CodeTable, findByWords, type Meaning } from '../meaning.ts';

/** It wants this much time between two orders for games. */
export const ORDER_GAP_MS = 6_000;

/** The state of an order. The meanings for ours are our own. */
export const STATES = {
  waiting: { text: 'accepted', is: 'pending' },
  processing: { text: 'being processed', is: 'pending' },
  success: { text: 'delivered; the serial number stands in the note', is: 'delivered' },
  error: { text: 'failed; the reason stands in the note', is: 'elsewhere', code: 'not_deliverable' },
} as const satisfies CodeTable;

const NO_SUCH_PLAYER = { text: 'no such player', is: 'rejected', code: 'player_rejected' } as const;

/** What a note, or the answer to a lookup, says of a player whom the game does not have; in lower case. */
export const PLAYER_REASONS = {
  'tujuan salah': NO_SUCH_PLAYER,
  'wrong target': NO_SUCH_PLAYER,
  'id tidak ditemukan': NO_SUCH_PLAYER,
  'id not found': NO_SUCH_PLAYER,
  'user id salah': NO_SUCH_PLAYER,
  'wrong user id': NO_SUCH_PLAYER,
  'nomor salah': NO_SUCH_PLAYER,
  'wrong number': NO_SUCH_PLAYER,
} as const satisfies CodeTable;

/** Why an order was not taken, in lower case. A refusal in other words means nothing that is known. */
export const REFUSALS = {
  'masih ada parameter yang kosong': { text: 'a parameter is empty', is: 'misconfigured' },
  'layanan tidak ditemukan atau saat ini tidak tersedia': {
    text: 'service not found or not available now',
    is: 'elsewhere',
    code: 'out_of_stock',
  },
  'server tidak ditemukan atau saat ini tidak tersedia': {
    text: 'server not found or not available now',
    is: 'elsewhere',
    code: 'temporarily_unavailable',
  },
  'saldo anda tidak cukup': { text: 'balance too low for this order', is: 'low_balance' },
  'saldo anda rendah': { text: 'balance low', is: 'low_balance' },
  'saldo akun minimum anda': { text: 'balance below the least that is wanted', is: 'low_balance' },
  'transaksi dibatalkan': { text: 'cancelled, as it came too soon', is: 'busy', retryAfterMs: ORDER_GAP_MS },
  'transaksi dibatasi': { text: 'limited, try again in 6 seconds', is: 'busy', retryAfterMs: ORDER_GAP_MS },
  'ada pemeliharaan sistem transaksi': { text: 'maintenance', is: 'elsewhere', code: 'temporarily_unavailable' },
  'sistem bentrok': { text: 'two orders got the same number there', is: 'busy', retryAfterMs: ORDER_GAP_MS },
  'terjadi kesalahan dengan data pengguna': {
    text: "error in the user's data",
    is: 'elsewhere',
    code: 'temporarily_unavailable',
  },
  'terjadi error pada data transaksi': { text: "error in the order's data", is: 'elsewhere', code: 'temporarily_unavailable' },
  'something went wrong, please contact the admin': {
    text: 'their own balance upstream is too low',
    is: 'elsewhere',
    code: 'temporarily_unavailable',
  },
} as const satisfies CodeTable;

/**
 * The sentences about a wrong address or signature differ, but they name what is wrong and say that it is. What speaks of a
 * connection or of waiting names an address too, and leaves open what was bought.
 */
const OUR_ACCESS = /\b(ip|sign|signature|api[ _-]?(key|id))\b/i;
const ALLOWED =
  'terdaftar|diizinkan|diperbolehkan|dikenali?|valid|cocok|sesuai|benar|allow(ed)?|registered|recogni[sz]ed|authori[sz]ed';
const REFUSED = 'invalid|wrong|incorrect|unauthori[sz]ed|denied|blocked|whitelist(ed)?|salah|ditolak|diblokir';
const IS_REFUSED = new RegExp(`\\b((not|bukan|belum|tidak) (${ALLOWED})|${REFUSED})\\b`, 'i');
const LEAVES_OPEN =
  /time ?d?-? ?out|koneksi|connect|terputus|jaringan|network|gangguan|respon|(sedang|dalam) (di)?proses|processing/i;

/** The one game code that is documented. */
export const GAMES: LookupGames = { MLBB: 'mobile-legends', MLBBG: 'mobile-legends' };

/** The state decides; the note of a failed order, as far as no reseller chose its words, only says whose fault it was. */
export function meaningOf({ status, note, chosen = '' }: { status: string; note: string; chosen?: string }): Meaning {
  if (!Object.hasOwn(STATES, status)) return { is: 'unknown' };
  const state = STATES[status as keyof typeof STATES];
  return state === STATES.error ? (findByWords(PLAYER_REASONS, note, chosen) ?? state) : state;
}

/** `asked`: it is the question that was refused, which says nothing about the purchase. */
export function meaningOfRefusal(message: string, { asked, chosen = '' }: { asked: boolean; chosen?: string }): Meaning {
  const refusal = findByWords(REFUSALS, message, chosen) ?? { is: isAboutAccess(message, chosen) ? 'misconfigured' : 'unknown' };
  return asked && refusal.is !== 'misconfigured' ? { is: 'unknown' } : refusal;
}

function isAboutAccess(message: string, chosen: string): boolean {
  const isSaid = (words: RegExp) => words.test(message) && !words.test(chosen);
  return isSaid(OUR_ACCESS) && isSaid(IS_REFUSED) && !LEAVES_OPEN.test(message);
}

export function isNoSuchPlayer(message: string, chosen: string): boolean {
  return findByWords(PLAYER_REASONS, message, chosen) !== undefined;
}
