import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts';
import type { CheckOutcome, PlaceOutcome, Purchase, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import type { SandboxBook } from './book.ts';
import { playLookup, playRefusal, playTaken, SLOW_ANSWER_MS, sceneOf } from './scene.ts';

/** The code of the sandbox that is asked first; in one scene it refuses so that the next one delivers. */
export const FIRST_SANDBOX = 'sandbox';

/**
 * The supplier that is always there. It answers like a real one, faults included, and keeps a book of what it took, so that
 * "its answer was lost, but it had delivered" and "sent twice, delivered once" are true and not only said.
 */
export function sandboxKind(book: SandboxBook): SupplierKind {
  return {
    kind: 'sandbox',
    label: 'Sandbox (plays every outcome, delivers nothing)',
    capabilities: {
      nickname: true,
      balance: false,
      priceList: false,
      callback: false,
      lookup: true,
      safeResend: true,
      trustworthyNotFound: true,
      checkMayBuy: false,
      priceGuard: false,
    },
    fields: [{ key: 'base_url', label: 'Base URL (not used: the sandbox runs inside Topgate)', secret: false, required: false }],
    limits: {
      concurrency: 512,
      perSecond: null,
      placeLimitMs: 15 * SECOND_MS,
      checkLimitMs: 3 * SECOND_MS,
      lookupLimitMs: 3 * SECOND_MS,
      lookAgainAfterMs: [1 * SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 60 * SECOND_MS, 1 * HOUR_MS],
      // Short, so that whoever tries the scene that never answers sees the review queue and not a day of silence.
      reviewAfterMs: 15 * SECOND_MS,
      circuit: null,
      priceListEveryMs: HOUR_MS,
      oneAtATimePerPlayer: false,
    },
    accountTemplate: null,
    create: (setup) => createSandbox(setup, book),
  };
}

function createSandbox({ code, clock }: SupplierSetup, book: SandboxBook): Supplier {
  const takenForMs = (takenAt: Date) => clock.now().getTime() - takenAt.getTime();

  return {
    async placeOrder(purchase, { signal }): Promise<PlaceOutcome> {
      const scene = sceneOf(purchase.userId);
      if (scene === 'never_answers') return silence(signal);
      if (scene === 'refuses_connection_once' && purchase.sends === 1) return { kind: 'unknown', reason: 'connection refused' };
      const refusal = playRefusal(scene, code === FIRST_SANDBOX);
      if (refusal) return refusal;

      const takenAt = await book.take({
        supplierCode: code,
        reference: purchase.reference,
        userId: purchase.userId,
        at: clock.now(),
      });
      if (scene === 'answers_slowly') await clock.sleep(SLOW_ANSWER_MS, signal);
      if (scene === 'answer_lost') return { kind: 'unknown', reason: 'the connection broke before the answer' };
      const outcome = playTaken(scene, purchase.reference, takenForMs(takenAt));
      return outcome.kind === 'reversed' ? { kind: 'unclear', reason: 'delivered and taken back at once' } : outcome;
    },

    async checkOrder(purchase: Purchase, { signal }): Promise<CheckOutcome> {
      const scene = sceneOf(purchase.userId);
      if (scene === 'never_answers') return silence(signal);
      const takenAt = await book.find(code, purchase.reference);
      if (takenAt === null) return { kind: 'not_found' };
      const stillWorking = scene === 'answers_slowly' && takenForMs(takenAt) < SLOW_ANSWER_MS;
      return stillWorking
        ? { kind: 'pending', lookAgainInMs: SECOND_MS }
        : playTaken(scene, purchase.reference, takenForMs(takenAt));
    },

    async lookupNickname(player) {
      return playLookup(player.userId);
    },
  };
}

/** A connection on which nothing ever comes; only the caller's time limit ends it. */
function silence(signal: AbortSignal): Promise<{ kind: 'unknown'; reason: string }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'unknown', reason: 'no answer' }), { once: true });
  });
}
