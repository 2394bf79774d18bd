import type { LookupGames } from '../lookup-games.ts';
import { type CodeTable, findByWords, type Meaning } from '../meaning.ts';

/** The state of a transaction (docs.apigames.id, "Status Transaksi"). The meanings for an order are ours. */
export const STATES = {
  Pending: { text: 'accepted', is: 'pending' },
  Proses: { text: 'being processed', is: 'pending' },
  Sukses: { text: 'delivered', is: 'delivered' },
  Gagal: { text: 'failed; the reason stands beside it', is: 'elsewhere', code: 'not_deliverable' },
  'Sukses Sebagian': { text: 'some parts of a composed item were delivered, others not', is: 'unclear', partial: true },
  'Validasi Provider': { text: 'the provider answered something that has to be looked into', is: 'unclear' },
} as const satisfies CodeTable;

/** The reasons of `Gagal` that are documented, in lower case; they stand in `sn` or in `message`. */
export const FAILURE_REASONS = {
  error_require_login: {
    text: 'the linked account of the provider is logged out',
    is: 'elsewhere',
    code: 'temporarily_unavailable',
    misconfigured: 'for_operator',
  },
  'expirated login': {
    text: "the session of the linked provider's account has ended",
    is: 'elsewhere',
    code: 'temporarily_unavailable',
    misconfigured: 'for_operator',
  },
  'session key expirated': {
    text: "the session of the linked provider's account has ended",
    is: 'elsewhere',
    code: 'temporarily_unavailable',
    misconfigured: 'for_operator',
  },
  'wrong player id': { text: 'no such player', is: 'rejected', code: 'player_rejected' },
} as const satisfies CodeTable;

/** Why a request was not taken, in lower case. A refusal with other words means nothing that is known. */
export const REFUSALS = {
  'signature not valid': { text: 'the merchant id, the secret key or the signature is wrong', is: 'misconfigured' },
} as const satisfies CodeTable;

/** The games whose players it looks up. It has `higgs` as well, which is in no catalogue of ours. */
export const GAMES: LookupGames = { MLBB: 'mobilelegend', MLBBG: 'mobilelegend', FF: 'freefire' };

/** The state decides; the words beside `Gagal`, as far as no reseller chose them, only say whose fault it was. */
export function meaningOf({ status, reason, chosen = '' }: { status: string; reason: string; chosen?: string }): Meaning {
  if (!Object.hasOwn(STATES, status)) return { is: 'unknown' };
  const state = STATES[status as keyof typeof STATES];
  return state === STATES.Gagal ? (findByWords(FAILURE_REASONS, reason, chosen) ?? state) : state;
}

export function meaningOfRefusal(message: string, chosen = ''): Meaning {
  return findByWords(REFUSALS, message, chosen) ?? { is: 'unknown' };
}
