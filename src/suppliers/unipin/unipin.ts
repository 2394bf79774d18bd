import type { z } from 'zod';
import { required } from '../../lib/assert.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { refusedQuestion } from '../account-fault.ts';
import { baseUrlField, identityField, optionalField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { chosenWords, toUnsendable } from '../meaning.ts';
import { readEntries, unread } from '../price-entries.ts';
import type { ListedItem, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import { GAMES, isOrderUnknown, meaningOfRefusedOrder, meaningOfRefusedPlayer } from './map.ts';
import { ACCOUNT_TEMPLATE, type Buyer, create, readSku, toDelivered, validate } from './purchase.ts';
import { type Answer, denominationSchema, getGame, inquireOrder, listGames, validatePlayer } from './wire.ts';

/** Each is a request of its own. */
const MAX_GAMES = 200;

export const unipinKind: SupplierKind = {
  kind: 'unipin',
  label: 'UniPin (in-game top-up)',
  capabilities: {
    nickname: true,
    balance: false,
    priceList: true,
    callback: false,
    lookup: true,
    safeResend: false,
    // Right after a lost answer it may not be recorded yet.
    trustworthyNotFound: false,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://api.unipin.com', 'For trying, the staging address that UniPin assigns.'),
    identityField('partner_id', 'Partner ID', 'The GUID that UniPin gave you (partnerid).'),
    secretField('secret_key', 'Secret key', 'Given together with the partner ID (secretkey).'),
    optionalField({
      key: 'currency',
      label: 'Currency',
      help: 'The currency of this installation. Prices in another one are not compared with ours.',
      default: 'IDR',
      form: { pattern: /^[A-Z]{3}$/, message: 'must be three capital letters' },
    }),
    lookupGamesField,
  ],
  limits: {
    concurrency: 8,
    perSecond: null,
    placeLimitMs: 60 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    lookAgainAfterMs: [5, 15, 30, 60, 120, 300, 600, 1_800].map((seconds) => seconds * SECOND_MS),
    // Every order has its end in the first answer, so one that is not found after half an hour needs a person.
    reviewAfterMs: 30 * MINUTE_MS,
    circuit: { failures: 5, restMs: 60 * SECOND_MS },
    priceListEveryMs: HOUR_MS,
    oneAtATimePerPlayer: false,
  },
  listsByRoute: true,
  accountTemplate: ACCOUNT_TEMPLATE,
  skuForm: { pattern: /^[^:]+:[^:]+$/, message: 'is written <game_code>:<denomination_id>' },
  accountForm: 'named',
  create: createUnipin,
};

function createUnipin({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    partnerId: required(config['partner_id'], 'partner_id'),
    secretKey: required(config['secret_key'], 'secret_key'),
    clock,
  };
  const games = readLookupGames(config['lookup_games']);

  const buyer: Buyer = { account, clock, currency: config['currency'] };

  return {
    async placeOrder(purchase, call) {
      const { gameCode, denominationId } = readSku(purchase.sku);
      if (denominationId === '') return toUnsendable('the item has to be <game_code>:<denomination_id>');
      if (purchase.sends > 1) {
        const earlier = await inquireOrder(call, account, purchase.reference);
        if (!earlier.refused) return toDelivered(buyer, earlier.data);
        if (!isOrderUnknown(earlier)) return { kind: 'unknown', reason: earlier.reason };
      }
      const player = await validate(buyer, purchase, call);
      if (!('token' in player)) return player;
      return create(
        buyer,
        {
          game_code: gameCode,
          validation_token: player.token,
          reference_no: purchase.reference,
          denomination_id: /^\d+$/.test(denominationId) ? Number(denominationId) : denominationId,
        },
        { chosen: chosenWords(purchase) },
        call,
      );
    },
    async checkOrder(purchase, call) {
      const answer = await inquireOrder(call, account, purchase.reference);
      if (!answer.refused) return toDelivered(buyer, answer.data);
      return isOrderUnknown(answer) ? { kind: 'not_found' } : { kind: 'unknown', reason: answer.reason };
    },
    async lookupNickname({ productCode, userId, zone }, call) {
      const game = findLookupGame(productCode, GAMES, games);
      if (game === null) return { kind: 'unavailable', reason: `lookup_games has no game of UniPin for ${productCode}` };
      const fields = { userid: userId, ...(zone !== '' && { zoneid: zone }) };
      const answer = await validatePlayer(call, account, { game_code: game, fields });
      if (!answer.refused) {
        const { username } = answer.data;
        return username ? { kind: 'found', nickname: username } : { kind: 'unavailable', reason: 'no name is told' };
      }
      const isNobody = meaningOfRefusedPlayer(answer, chosenWords({ userId, zone }))?.is === 'rejected';
      return isNobody ? { kind: 'not_found' } : { kind: 'unavailable', reason: answer.reason };
    },
    async listServices(call, wanted) {
      const gameCodes = new Set(wanted.map((sku) => readSku(sku).gameCode));
      if (gameCodes.size > MAX_GAMES) throw new Error(`More than ${MAX_GAMES} games cannot be read at once.`);
      const { game_list } = dataOf(await listGames(call, account));
      const listed: ListedItem[] = [];
      for (const { game_code, game_status } of game_list) {
        if (!gameCodes.has(game_code)) continue;
        const { game, denominations } = dataOf(await getGame(call, account, game_code));
        const toListed = ({ id, name, currency, amount }: z.infer<typeof denominationSchema>): ListedItem[] => {
          const sku = `${game_code}:${id}`;
          if (currency !== config['currency']) return [unread(sku, `the price is in ${currency}, not in ${config['currency']}`)];
          const words = [game.name, name].filter(Boolean).join(' ') || sku;
          return [{ sku, name: words, cost: toAmount(amount, 'up'), available: game_status === 'active' }];
        };
        listed.push(...readEntries(denominations, denominationSchema, 'id', toListed));
      }
      return listed;
    },
  };
}

function dataOf<Data>(answer: Answer<Data>): Data {
  if (answer.refused) throw refusedQuestion(meaningOfRefusedOrder(answer), answer.reason);
  return answer.data;
}
