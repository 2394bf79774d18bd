import { required } from '../../lib/assert.ts';
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts';
import { baseUrlField, identityField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { chargedFor, chosenWords, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import type { Purchase, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { GAMES, meaningOf, meaningOfRefusal } from './map.ts';
import { type Answer, askStatus, postOrder, readBalance, readNickname, type Transaction } from './wire.ts';

export const apigamesKind: SupplierKind = {
  kind: 'apigames',
  label: 'APIGames',
  capabilities: {
    nickname: true,
    balance: true,
    priceList: false,
    callback: true,
    lookup: true,
    // "Do not call the transaction API again": a repeated order may be bought twice.
    safeResend: false,
    // What it answers for a reference that it does not know is not documented.
    trustworthyNotFound: false,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://v1.apigames.id'),
    identityField('merchant_id', 'Merchant ID', 'In the dashboard, under the data of the merchant.'),
    secretField('secret_key', 'Secret key', 'In the dashboard, beside the merchant ID.'),
    lookupGamesField,
  ],
  limits: {
    concurrency: 8,
    perSecond: null,
    placeLimitMs: 60 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    lookAgainAfterMs: [10, 20, 30, 60, 120, 300, 900, 3_600].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: DAY_MS,
    oneAtATimePerPlayer: false,
  },
  // The user id and the server are fields of their own.
  accountTemplate: null,
  create: createApigames,
};

function createApigames({ config }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    merchantId: required(config['merchant_id'], 'merchant_id'),
    secretKey: required(config['secret_key'], 'secret_key'),
  };
  const games = readLookupGames(config['lookup_games']);

  return {
    async placeOrder(purchase, call) {
      const { accountText } = purchase;
      const target =
        accountText === null
          ? { tujuan: purchase.userId, server_id: purchase.zone }
          : // A route that writes the account whole has the server in it.
            { tujuan: accountText, server_id: '' };
      const answer = await postOrder(call, account, { ref_id: purchase.reference, produk: purchase.sku, ...target });
      return toPlaceOutcome(...outcomeOf(answer, purchase));
    },
    async checkOrder(purchase, call) {
      return toCheckOutcome(...outcomeOf(await askStatus(call, account, purchase.reference), purchase));
    },
    async lookupNickname({ productCode, userId, zone }, call) {
      const game = findLookupGame(productCode, GAMES, games);
      if (game === null) return { kind: 'unavailable', reason: `APIGames looks up no players of ${productCode}` };
      const nickname = await readNickname(call, account, game, `${userId}${zone}`);
      return nickname === null ? { kind: 'not_found' } : { kind: 'found', nickname };
    },
    balance: async (call) => toAmount(await readBalance(call, account), 'down'),
    readCallback: (message) => readCallback(message, account),
  };
}

/** Its message has the player's account in it, which a reseller writes. */
function outcomeOf(answer: Answer, purchase: Purchase): [Meaning, Particulars] {
  const chosen = chosenWords(purchase);
  if (answer.is === 'refused') return [meaningOfRefusal(answer.message, chosen), { detail: answer.message }];
  const { transaction } = answer;
  const reason = `${transaction.sn ?? ''} ${transaction.message ?? ''}`;
  const meaning = meaningOf({ status: transaction.status, reason, chosen });
  return [meaning, particularsOf(transaction, meaning)];
}

/** What a failed transaction cost is not told: not its price, but the fee of APIGames. */
function particularsOf({ status, sn, message, trx_id: id, product_detail: detail }: Transaction, meaning: Meaning): Particulars {
  return {
    detail: `${status} ${sn ?? ''} ${message ?? ''}`.trim(),
    serialNumber: sn || null,
    ...(id && { supplierReference: id }),
    ...chargedFor(meaning, detail?.price_rp),
  };
}
