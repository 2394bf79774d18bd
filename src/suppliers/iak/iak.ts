import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { baseUrlField, identityField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { chargedFor, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import { readEntries } from '../price-entries.ts';
import type { Supplier, SupplierKind, SupplierService, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { GAMES, meaningOf, NO_SUCH_PLAYER, toCustomerId } from './map.ts';
import {
  askNickname,
  askStatus,
  itemSchema,
  type PriceListItem,
  postTopUp,
  readBalance,
  readPriceList,
  type Transaction,
} from './wire.ts';

export const iakKind: SupplierKind = {
  kind: 'iak',
  label: 'IAK',
  capabilities: {
    nickname: true,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    // A repeated top-up is answered like a question about the first.
    safeResend: true,
    // Code 06: the order never reached IAK.
    trustworthyNotFound: true,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://prepaid.iak.id', 'For development: https://prepaid.iak.dev'),
    identityField('username', 'Username', 'The registered phone number.'),
    secretField('api_key', 'API key', 'developer.iak.id; production and development have different ones.'),
    lookupGamesField,
  ],
  limits: {
    concurrency: 16,
    perSecond: null,
    placeLimitMs: 30 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    // Most are done within 30 seconds.
    lookAgainAfterMs: [3, 10, 20, 60, 120, 300, 900, 3_600].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: 10 * MINUTE_MS,
    oneAtATimePerPlayer: false,
  },
  // The notation differs from game to game; `toCustomerId` knows it.
  accountTemplate: null,
  create: createIak,
};

function createIak({ config }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    username: required(config['username'], 'username'),
    apiKey: required(config['api_key'], 'api_key'),
  };
  const games = readLookupGames(config['lookup_games']);

  return {
    async placeOrder(purchase, call) {
      const transaction = await postTopUp(call, account, {
        ref_id: purchase.reference,
        customer_id: purchase.accountText ?? toCustomerId(purchase),
        product_code: purchase.sku,
      });
      return toPlaceOutcome(...outcomeOf(transaction, { asked: false }));
    },
    async checkOrder({ reference }, call) {
      return toCheckOutcome(...outcomeOf(await askStatus(call, account, reference), { asked: true }));
    },
    async lookupNickname(player, call) {
      const game = findLookupGame(player.productCode, GAMES, games);
      if (game === null) return { kind: 'unavailable', reason: `IAK looks up no players of ${player.productCode}` };
      const { rc, message, username } = await askNickname(call, account, game, toCustomerId(player));
      if (rc === '00' && username) return { kind: 'found', nickname: username };
      return NO_SUCH_PLAYER.includes(rc)
        ? { kind: 'not_found' }
        : { kind: 'unavailable', reason: `${rc} ${message ?? ''}`.trim() };
    },
    balance: async (call) => toAmount(await readBalance(call, account), 'down'),
    listServices: async (call) =>
      readEntries(await readPriceList(call, account), itemSchema, 'product_code', (item) => [toService(item)]),
    readCallback: (message) => readCallback(message, account),
  };
}

function outcomeOf(transaction: Transaction, { asked }: { asked: boolean }): [Meaning, Particulars] {
  const { rc, status, message, tr_id: id, price, sn, pin } = transaction;
  const meaning = meaningOf({ status: status ?? null, rc, asked });
  return [
    meaning,
    {
      detail: `${rc} ${message ?? ''}`.trim(),
      // Some vouchers have a number and a secret; the player needs both.
      serialNumber: [sn, pin].filter(Boolean).join(' / ') || null,
      ...(id && { supplierReference: id }),
      ...chargedFor(meaning, price),
    },
  ];
}

function toService({
  product_code: sku,
  product_description,
  product_nominal,
  product_price,
  status,
}: PriceListItem): SupplierService {
  return {
    sku,
    name: [product_description, product_nominal].filter(Boolean).join(' ') || sku,
    cost: toAmount(product_price, 'up'),
    available: status === 'active',
  };
}
