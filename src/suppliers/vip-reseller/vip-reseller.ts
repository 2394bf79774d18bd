import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { baseUrlField, identityField, optionalField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { chargedFor, chosenWords, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import { readEntries, unread } from '../price-entries.ts';
import type { CheckOutcome, ListedItem, Purchase, Supplier, SupplierKind, SupplierSetup, Unclear } from '../supplier.ts';
import type { SupplierCall } from '../wire.ts';
import { readCallback } from './callback.ts';
import { GAMES, isNoSuchPlayer, meaningOf, meaningOfRefusal } from './map.ts';
import { createTurns } from './turns.ts';
import {
  type Account,
  askNickname,
  askStatus,
  itemSchema,
  type OrderRequest,
  PRICE_LEVELS,
  type PriceLevel,
  type PriceListItem,
  postOrder,
  readBalance,
  readPriceList,
  type Transaction,
} from './wire.ts';

/** How many of the account's latest orders are looked through for one whose answer was lost. */
const LATEST = 50;
const MAX_NAMED = 5;

export const vipResellerKind: SupplierKind = {
  kind: 'vip-reseller',
  label: 'VIP Reseller',
  capabilities: {
    nickname: true,
    balance: true,
    priceList: true,
    callback: true,
    // It takes no reference of ours: an order whose answer was lost can be looked for, but not known for certain.
    lookup: false,
    safeResend: false,
    trustworthyNotFound: false,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://vip-reseller.co.id/api'),
    identityField('api_id', 'API ID', 'In the profile, beside the API key.'),
    secretField('api_key', 'API key'),
    optionalField({
      key: 'price_level',
      label: 'Price level',
      help: 'The level of the account there, whose prices are read: basic, premium or special.',
      default: 'basic',
      form: { pattern: /^(basic|premium|special)$/, message: `must be ${PRICE_LEVELS.join(', ')}` },
    }),
    lookupGamesField,
  ],
  limits: {
    // No more than can wait for their turn when it wants one order after the other.
    concurrency: 3,
    perSecond: null,
    placeLimitMs: 60 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    lookAgainAfterMs: [30, 60, 60, 120, 300, 900, 3_600].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: 10 * MINUTE_MS,
    oneAtATimePerPlayer: true,
  },
  // The player and the zone are fields of their own.
  accountTemplate: null,
  create: createVipReseller,
};

function createVipReseller({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    apiId: required(config['api_id'], 'api_id'),
    apiKey: required(config['api_key'], 'api_key'),
  };
  const level = PRICE_LEVELS.find((name) => name === config['price_level']) ?? 'basic';
  const games = readLookupGames(config['lookup_games']);
  const turns = createTurns(clock);

  return {
    async placeOrder(purchase, call) {
      const turn = await turns.enter(call.signal);
      // Whoever waited for the answer has given up; sent now, the order could never be found again.
      call.signal.throwIfAborted();
      if (turn.kind === 'later')
        return toPlaceOutcome({ is: 'busy', retryAfterMs: turn.afterMs }, { detail: 'too many orders wait for their turn' });
      const answer = await postOrder(call, account, requestOf(purchase));
      if (answer.is === 'taken') {
        turns.speedUp();
        return toPlaceOutcome(...outcomeOf(answer.data, chosenWords(purchase)));
      }
      const meaning = meaningOfRefusal(answer.message, { asked: false, chosen: chosenWords(purchase) });
      if (meaning.is === 'busy') turns.slowDown(turn);
      return toPlaceOutcome(meaning, { detail: answer.message });
    },
    checkOrder: (purchase, call) =>
      purchase.supplierReference === null
        ? lookAmongLatest(call, account, purchase)
        : askAbout(call, account, purchase.supplierReference, chosenWords(purchase)),
    async lookupNickname({ productCode, userId, zone }, call) {
      const code = findLookupGame(productCode, GAMES, games);
      if (code === null) return { kind: 'unavailable', reason: `VIP Reseller looks up no players of ${productCode}` };
      const answer = await askNickname(call, account, { code, target: userId, additional_target: zone });
      if (answer.is === 'taken') return { kind: 'found', nickname: answer.data };
      return isNoSuchPlayer(answer.message, chosenWords({ userId, zone }))
        ? { kind: 'not_found' }
        : { kind: 'unavailable', reason: answer.message };
    },
    balance: async (call) => toAmount(await readBalance(call, account), 'down'),
    listServices: async (call) =>
      readEntries(await readPriceList(call, account), itemSchema, 'code', (item) => [toListed(item, level)]),
    readCallback: (message) => readCallback(message, account),
  };
}

function requestOf({ sku, userId, zone, accountText }: Purchase): OrderRequest {
  if (accountText !== null) return { service: sku, data_no: accountText };
  return { service: sku, data_no: userId, ...(zone !== '' && { data_zone: zone }) };
}

async function askAbout(call: SupplierCall, account: Account, trxid: string, chosen: string): Promise<CheckOutcome> {
  const answer = await askStatus(call, account, { trxid });
  if (answer.is === 'refused')
    return toCheckOutcome(meaningOfRefusal(answer.message, { asked: true, chosen }), { detail: answer.message });
  const transaction = answer.data.find((candidate) => candidate.trxid === trxid);
  return transaction
    ? toCheckOutcome(...outcomeOf(transaction, chosen))
    : { kind: 'unknown', reason: `${trxid} was not in the answer` };
}

/** Looks for what may have become of an order whose answer was lost. Whatever it finds could be another order: a person decides. */
async function lookAmongLatest(call: SupplierCall, account: Account, purchase: Purchase): Promise<CheckOutcome> {
  const answer = await askStatus(call, account, { limit: LATEST });
  if (answer.is === 'refused')
    return toCheckOutcome(meaningOfRefusal(answer.message, { asked: true, chosen: chosenWords(purchase) }), {
      detail: answer.message,
    });
  const { data_no: player, data_zone: zone = '' } = requestOf(purchase);
  // An order whose zone is not told could be it as well.
  return describe(answer.data.filter((candidate) => candidate.data === player && (candidate.zone || zone) === zone));
}

/** All orders for the player are named: the list tells items by name, not by the code that routes have. */
function describe(candidates: Transaction[]): Unclear {
  const named = candidates
    .slice(0, MAX_NAMED)
    .map(
      ({ trxid, service, status, price }) => `${trxid} (${service ?? 'unnamed item'}, ${status}, price ${price ?? 'not told'})`,
    );
  const found =
    named.length === 0
      ? `none of the last ${LATEST} orders there is for this player`
      : `among the last ${LATEST} orders there, ${candidates.length} for this player: ${named.join('; ')}`;
  return { kind: 'unclear', reason: `the answer to the order was lost, and VIP Reseller knows no reference of ours; ${found}` };
}

function outcomeOf({ trxid, status, note, price }: Transaction, chosen: string): [Meaning, Particulars] {
  const meaning = meaningOf({ status, note: note ?? '', chosen });
  return [
    meaning,
    {
      detail: `${status} ${note ?? ''}`.trim(),
      serialNumber: note || null,
      supplierReference: trxid,
      ...chargedFor(meaning, price),
    },
  ];
}

function toListed({ code, game, name, price, status }: PriceListItem, level: PriceLevel): ListedItem {
  const own = price[level];
  if (!own) return unread(code, `price.${level} cannot be read`);
  return {
    sku: code,
    name: [game, name].filter(Boolean).join(' - ') || code,
    cost: toAmount(own, 'up'),
    available: status === 'available',
  };
}
