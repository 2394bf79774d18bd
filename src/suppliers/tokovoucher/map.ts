import { type CodeTable, findByWords, type Meaning } from '../meaning.ts';

/** The state of a transaction (docs.tokovoucher.net). The meanings for an order are ours. */
export const STATES = {
  pending: { text: 'being processed', is: 'pending' },
  sukses: { text: 'delivered', is: 'delivered' },
  gagal: { text: 'failed; the reason stands in sn', is: 'elsewhere', code: 'not_deliverable' },
} as const satisfies CodeTable;

/** The reasons of `gagal` that are documented, in lower case. */
export const FAILURE_REASONS = {
  'nomor tujuan salah': { text: 'no such player', is: 'rejected', code: 'player_rejected' },
} as const satisfies CodeTable;

/** Why a request was not taken, in lower case. A refusal with other words means nothing that is known. */
export const REFUSALS = {
  'ip not allow': { text: 'called from an address that is not allowed', is: 'misconfigured' },
  'signature invalid': { text: 'the secret or the signature is wrong', is: 'misconfigured' },
  'member tidak ditemukan': { text: 'no such member', is: 'misconfigured' },
  'kode produk tidak ditemukan': { text: 'no such product', is: 'elsewhere', code: 'not_deliverable', routeAtFault: true },
} as const satisfies CodeTable;

/** The state decides; the words beside `gagal`, as far as no reseller chose them, only say whose fault it was. */
export function meaningOf({ status, reason, chosen = '' }: { status: string; reason: string; chosen?: string }): Meaning {
  if (!Object.hasOwn(STATES, status)) return { is: 'unknown' };
  const state = STATES[status as keyof typeof STATES];
  return state === STATES.gagal ? (findByWords(FAILURE_REASONS, reason, chosen) ?? state) : state;
}

/** `asked`: it is the question that was refused, which says nothing about the purchase. */
export function meaningOfRefusal(message: string, { asked, chosen = '' }: { asked: boolean; chosen?: string }): Meaning {
  const refusal = findByWords(REFUSALS, message, chosen);
  if (refusal === undefined || (asked && refusal.is !== 'misconfigured')) return { is: 'unknown' };
  return refusal;
}
