import type { LookupGames } from '../lookup-games.ts';
import type { CodeTable, Meaning } from '../meaning.ts';

/**
 * IAK's response codes (prepaid, docs of 2023-11-30). The meanings for an order are ours. `request`: the code is, or may be, about
 * this request alone. In answer to a question it then says nothing about the purchase.
 */
export const RESPONSE_CODES = {
  '00': { text: 'success', request: false, is: 'delivered' },
  '06': { text: 'transaction not found', request: false, is: 'not_found' },
  '07': { text: 'failed', request: false, is: 'elsewhere', code: 'not_deliverable' },
  '10': { text: 'most top-ups of one number in a day reached', request: false, is: 'elsewhere', code: 'limit_reached' },
  '12': { text: "above the player's highest balance", request: false, is: 'rejected', code: 'limit_reached' },
  '13': { text: 'customer number blocked', request: false, is: 'rejected', code: 'player_rejected' },
  '14': { text: 'incorrect destination number', request: false, is: 'rejected', code: 'player_rejected' },
  '16': { text: 'number does not fit the operator', request: false, is: 'rejected', code: 'player_rejected' },
  '17': { text: 'insufficient deposit', request: false, is: 'low_balance' },
  '20': { text: 'code not found', request: false, is: 'elsewhere', code: 'not_deliverable', routeAtFault: true },
  '39': { text: 'process', request: false, is: 'pending' },
  '102': { text: 'invalid IP address', request: true, is: 'misconfigured' },
  '106': { text: 'product temporarily out of service', request: false, is: 'elsewhere', code: 'out_of_stock' },
  '107': { text: 'error in the format of the body', request: true, is: 'misconfigured' },
  '110': { text: 'system under maintenance', request: true, is: 'elsewhere', code: 'temporarily_unavailable' },
  '117': { text: 'page not found', request: true, is: 'misconfigured' },
  '118': { text: 'account suspended', request: true, is: 'misconfigured' },
  '121': { text: 'monthly top-up limit exceeded', request: false, is: 'rejected', code: 'limit_reached' },
  '131': { text: 'top-up region blocked for the player', request: false, is: 'rejected', code: 'region_mismatch' },
  '141': { text: 'invalid user, zone, server or role', request: false, is: 'rejected', code: 'player_rejected' },
  '142': { text: 'invalid user ID', request: false, is: 'rejected', code: 'player_rejected' },
  '143': { text: 'inquiry not needed (a voucher)', request: true, is: 'unknown' },
  '201': { text: 'undefined response code', request: false, is: 'pending' },
  '202': { text: 'this item only once a day for one number', request: false, is: 'elsewhere', code: 'limit_reached' },
  '203': { text: 'number too long', request: false, is: 'rejected', code: 'player_rejected' },
  '204': { text: 'wrong authentication', request: true, is: 'misconfigured' },
  '205': { text: 'wrong command', request: true, is: 'misconfigured' },
  '206': { text: 'number on our own list of blocked ones', request: false, is: 'rejected', code: 'not_deliverable' },
  '207': { text: 'any item only once a day for one number', request: false, is: 'elsewhere', code: 'limit_reached' },
} as const satisfies CodeTable & Record<string, { request: boolean }>;

const STATES: Readonly<Record<string, 'pending' | 'success' | 'failed'>> = { 0: 'pending', 1: 'success', 2: 'failed' };

/** The codes with which a lookup says that the game has no such player. */
export const NO_SUCH_PLAYER: readonly string[] = ['14', '141', '142'];

/** The game codes of the lookup, for our products. */
export const GAMES: LookupGames = {
  MLBB: '103',
  MLBBG: '103',
  ROM: '127',
  PB: '130',
  FF: '135',
  AOV: '139',
  CODM: '146',
  LA: '154',
  GI: '172',
  WR: '176',
};

/**
 * What a state with its code means. The two have to agree, or it is unknown. `asked`: the answer is to a question about an earlier
 * purchase, so a failure counts only with the state of that purchase.
 */
export function meaningOf(answer: { status: string | null; rc: string; asked: boolean }): Meaning {
  if (!isKnown(answer.rc)) return UNKNOWN;
  const code = RESPONSE_CODES[answer.rc];
  const state = answer.status === null ? 'not told' : STATES[answer.status];
  if (state === undefined) return UNKNOWN;
  if (code.is === 'delivered') return state === 'success' ? code : UNKNOWN;
  if (code.is === 'pending') return state === 'pending' || state === 'not told' ? code : UNKNOWN;
  if (state === 'success' || state === 'pending') return UNKNOWN;
  if (!answer.asked || code.is === 'not_found' || code.is === 'misconfigured') return code;
  return state === 'failed' && !code.request ? code : UNKNOWN;
}

const UNKNOWN: Meaning = { is: 'unknown' };

function isKnown(rc: string): rc is keyof typeof RESPONSE_CODES {
  return Object.hasOwn(RESPONSE_CODES, rc);
}

/** Their notation of a player: the parts with a bar between. A Riot ID has its two parts in one field, `name#tag`. */
export function toCustomerId({ userId, zone }: { userId: string; zone: string }): string {
  if (zone !== '') return `${userId}|${zone}`;
  const riotId = /^([^#]+)#([^#]+)$/.exec(userId);
  return riotId ? `${riotId[1]}|${riotId[2]}` : userId;
}
