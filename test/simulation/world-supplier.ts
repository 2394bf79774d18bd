import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../../src/suppliers/meaning.ts';
import type { Delivered, Purchase, Supplier, SupplierKind } from '../../src/suppliers/supplier.ts';
import { readJson, type SupplierCall } from '../../src/suppliers/wire.ts';
import type { Traits } from './traits.ts';
import { WORLD_PROOF } from './world-dialect.ts';

interface Answer {
  state: string;
  id?: string;
  charged?: string;
  serial?: string;
  why?: string;
  look_again_ms?: number;
  /** For how long it may still take the delivery back. */
  may_reverse_ms?: number;
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  delivered: { is: 'delivered' },
  pending: { is: 'pending' },
  partial: { is: 'unclear', partial: true },
  reversed: { is: 'reversed' },
  not_found: { is: 'not_found' },
  address: { is: 'misconfigured' },
  duplicate: { is: 'unknown' },
};

const REFUSALS: Readonly<Record<string, Meaning>> = {
  out_of_stock: { is: 'elsewhere', code: 'out_of_stock' },
  price: { is: 'elsewhere', code: 'temporarily_unavailable' },
  wrong_player: { is: 'rejected', code: 'player_rejected' },
  low_balance: { is: 'low_balance' },
  too_fast: { is: 'busy', retryAfterMs: 20 * SECOND_MS },
  same_player_again: { is: 'elsewhere', code: 'limit_reached' },
};

/** The adapter of an invented supplier. What it declares of itself is what its simulator does. */
export function worldKind(traits: Traits): SupplierKind {
  const isNamedByUs = traits.asked !== 'by its own name';
  return {
    kind: traits.kind,
    label: traits.kind,
    capabilities: {
      nickname: false,
      balance: true,
      priceList: false,
      callback: true,
      lookup: isNamedByUs,
      safeResend: traits.duplicates === 'answers again',
      trustworthyNotFound: isNamedByUs && traits.knowsAfterMs === 0 && traits.duplicates !== 'buys again',
      checkMayBuy: traits.asked === 'by buying',
      priceGuard: true,
    },
    fields: [{ key: 'base_url', label: 'Base URL', secret: false, required: true }],
    limits: {
      concurrency: 20,
      perSecond: traits.perSecond,
      placeLimitMs: traits.placeLimitMs,
      checkLimitMs: 15 * SECOND_MS,
      lookupLimitMs: 3 * SECOND_MS,
      lookAgainAfterMs: [4 * SECOND_MS, MINUTE_MS, 8 * MINUTE_MS, 40 * MINUTE_MS],
      reviewAfterMs: 3 * HOUR_MS,
      circuit: { failures: 5, restMs: 30 * SECOND_MS },
      priceListEveryMs: HOUR_MS,
      oneAtATimePerPlayer: traits.oneAtATimePerPlayer,
    },
    accountTemplate: '{user_id}|{zone}',
    create: ({ config }) => createSupplier(traits, String(config['base_url'])),
  };
}

function createSupplier(traits: Traits, baseUrl: string): Supplier {
  const ask = async (call: SupplierCall, path: string, body: Record<string, unknown>): Promise<Answer> =>
    readJson(await call.send({ method: 'POST', url: `${baseUrl}${path}`, body: JSON.stringify(body) })) as Answer;
  const toBuy = ({ reference, sku, accountText, cost }: Purchase) => ({
    reference,
    sku,
    account: accountText,
    most: String(cost),
  });
  return {
    async placeOrder(purchase, call) {
      const answer = await ask(call, '/buy', toBuy(purchase));
      return withConfirmation(answer, toPlaceOutcome(meaningOf(answer), particularsOf(answer)));
    },
    async checkOrder(purchase, call) {
      if (traits.asked === 'by its own name' && purchase.supplierReference === null)
        return { kind: 'unknown', reason: 'the supplier has not told its name for the purchase' };
      const answer = await ask(call, '/tell', { ...toBuy(purchase), id: purchase.supplierReference });
      // Only the repetition was refused; what became of the purchase is not said.
      const meaning: Meaning | undefined = answer.state === 'refused' ? { is: 'unknown' } : meaningOf(answer);
      return withConfirmation(answer, toCheckOutcome(meaning, particularsOf(answer)));
    },
    readCallback({ rawBody }) {
      const note = JSON.parse(rawBody.toString()) as { state: string; id: string; reference: string | null; proof: string };
      if (note.proof !== WORLD_PROOF) return { kind: 'forged', reason: 'another proof' };
      return { kind: 'hint', reference: note.reference, supplierReference: note.id, status: note.state };
    },
    async balance(call) {
      const answer = readJson(await call.send({ method: 'POST', url: `${baseUrl}/balance`, body: '{}' }));
      return BigInt((answer as { balance: string }).balance);
    },
  };
}

function meaningOf({ state, why, look_again_ms }: Answer): Meaning | undefined {
  if (state === 'refused' || state === 'rejected') return REFUSALS[why ?? ''];
  const meaning = MEANINGS[state];
  return meaning?.is === 'pending' && look_again_ms !== undefined ? { ...meaning, lookAgainInMs: look_again_ms } : meaning;
}

function particularsOf({ state, why, id, charged, serial }: Answer): Particulars {
  return {
    detail: why ?? state,
    ...(serial !== undefined && { serialNumber: serial }),
    ...(id !== undefined && { supplierReference: id }),
    ...(charged !== undefined && { charged: BigInt(charged) }),
  };
}

/** A delivery that may be taken back is asked about once more when it no longer may. */
function withConfirmation<Outcome extends { kind: string }>({ may_reverse_ms }: Answer, outcome: Outcome): Outcome {
  if (outcome.kind !== 'delivered' || may_reverse_ms === undefined) return outcome;
  return { ...outcome, confirmInMs: may_reverse_ms } satisfies Outcome & Pick<Delivered, 'confirmInMs'>;
}
