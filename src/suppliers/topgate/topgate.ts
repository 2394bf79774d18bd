import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { refusedQuestion } from '../account-fault.ts';
import { readNamedFields } from '../account-template.ts';
import { baseUrlField, optionalField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { chargedFor, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import { readEntries } from '../price-entries.ts';
import type { Purchase, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { findWrongMode, meaningOfError, meaningOfOrder } from './map.ts';
import {
  type Answer,
  getAccount,
  getNickname,
  getOrder,
  getServices,
  type OrderRequest,
  postOrder,
  type RemoteOrder,
  serviceSchema,
} from './wire.ts';

export const topgateKind: SupplierKind = {
  kind: 'topgate',
  label: 'Topgate (another installation)',
  capabilities: {
    nickname: true,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    safeResend: true,
    // The status call is strongly consistent, and a request still on its way is caught by its reference.
    trustworthyNotFound: true,
    checkMayBuy: false,
    priceGuard: true,
  },
  fields: [
    baseUrlField(null, 'The address of the other installation, without /api.'),
    {
      ...secretField('access_token', 'Access token', 'With the scopes read and order.'),
      form: { pattern: /^tg_live_\S+$/, message: 'must be a live one, tg_live_…: with a test token nothing is delivered' },
    },
    secretField('signing_secret', 'Signing secret', 'tgs_…, shown once together with the token.'),
    optionalField({
      key: 'webhook_secret',
      label: 'Webhook secret',
      secret: true,
      help: 'Of the webhook endpoint there that has our callback address.',
      form: { pattern: /^whsec_[A-Za-z0-9+/]+=*$/, message: 'must have the form whsec_…' },
    }),
    optionalField({
      key: 'currency',
      label: 'Currency',
      help: 'The currency of this installation. Amounts in another one are not compared with ours.',
      default: 'IDR',
      form: { pattern: /^[A-Z]{3}$/, message: 'must be three capital letters' },
    }),
    lookupGamesField,
  ],
  limits: {
    concurrency: 32,
    // An installation takes 50 requests per second of a reseller, unless its operator chose otherwise.
    perSecond: 40,
    placeLimitMs: 15 * SECOND_MS,
    checkLimitMs: 10 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    lookAgainAfterMs: [2, 5, 10, 30, 60, 120, 300, 900].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: MINUTE_MS,
    oneAtATimePerPlayer: false,
  },
  accountTemplate: null,
  accountForm: 'parts',
  create: createTopgate,
};

function createTopgate({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    accessToken: required(config['access_token'], 'access_token'),
    signingSecret: required(config['signing_secret'], 'signing_secret'),
  };
  const games = readLookupGames(config['lookup_games']);

  /** What an answer means and tells of a purchase. */
  const read = (
    answer: Answer<RemoteOrder>,
    meaningOf: (error: { code: string; paths: string[] }) => Meaning,
  ): { meaning: Meaning; particulars: Particulars } => {
    if (!answer.success) return { meaning: meaningOf(answer), particulars: { detail: `${answer.code}: ${answer.message}` } };
    const wrongMode = findWrongMode(answer.data.mode);
    // Without its name: under a live token the order is not there, and is then sent again.
    if (wrongMode !== null) return { meaning: { is: 'unclear' }, particulars: { detail: wrongMode } };
    const meaning = meaningOfOrder(answer.data);
    return { meaning, particulars: particularsOf(answer.data, meaning) };
  };

  /** The price of an order that failed was given back. */
  const particularsOf = (order: RemoteOrder, meaning: Meaning): Particulars => {
    const { order_id, status, failure, serial_number, price, currency } = order;
    return {
      detail: failure ? `${status}, ${failure.code}: ${failure.message}` : status,
      supplierReference: order_id,
      serialNumber: serial_number ?? null,
      ...(currency === config['currency'] && chargedFor(meaning, price)),
    };
  };

  return {
    async placeOrder(purchase, call) {
      const answer = await postOrder(call, account, toOrderRequest(purchase));
      const repeated = purchase.sends > 1;
      const { meaning, particulars } = read(answer, ({ code, paths }) => meaningOfError(code, { repeated, paths }));
      return toPlaceOutcome(meaning, particulars);
    },
    async checkOrder(purchase, call) {
      const answer = await getOrder(call, account, purchase.reference);
      // Any other error only says that the question was not answered.
      const { meaning, particulars } = read(answer, ({ code }) => ({ is: code === 'order_not_found' ? 'not_found' : 'unknown' }));
      return toCheckOutcome(meaning, particulars);
    },
    async lookupNickname({ productCode, userId, zone }, call) {
      const answer = await getNickname(call, account, {
        game: findLookupGame(productCode, {}, games) ?? productCode,
        userId,
        zone,
      });
      if (answer.success) return { kind: 'found', nickname: answer.data.nickname };
      if (answer.code === 'player_not_found') return { kind: 'not_found' };
      return { kind: 'unavailable', reason: `${answer.code}: ${answer.message}` };
    },
    async balance(call) {
      const { balance, currency, mode } = dataOf(await getAccount(call, account));
      if (mode !== 'live') throw new Error('The access token is a test token: set a live one, tg_live_….');
      return currency === config['currency'] ? toAmount(balance, 'down') : null;
    },
    async listServices(call) {
      const { currency } = dataOf(await getAccount(call, account));
      if (currency !== config['currency']) throw new Error(`The prices are in ${currency}, not in ${config['currency']}.`);
      const services = dataOf(await getServices(call, account));
      return readEntries(services, serviceSchema, 'service_code', ({ service_code, service_name, price, status }) => [
        {
          sku: service_code,
          name: service_name || service_code,
          cost: toAmount(price, 'up'),
          available: status === 'Available',
        },
      ]);
    },
    readCallback: (message) => readCallback(message, config['webhook_secret'], clock),
  };
}

/** Everything in it comes from the attempt: what is sent again must be the same order. */
function toOrderRequest(purchase: Purchase): OrderRequest {
  const { sku, reference, cost, accountText } = purchase;
  return {
    service_code: sku,
    ref_id: reference,
    account_identifier: accountText === null ? { user_id: purchase.userId, zone: purchase.zone } : readAccount(accountText),
    // Also of a route without a cost, which must not buy at any price.
    max_price: Number(cost),
  };
}

/** A route's template names both fields, or is the user ID alone. */
function readAccount(accountText: string): OrderRequest['account_identifier'] {
  const { user_id = accountText, zone = '' } = readNamedFields(accountText);
  return { user_id, zone };
}

function dataOf<Data>(answer: Answer<Data>): Data {
  if (!answer.success)
    throw refusedQuestion(meaningOfError(answer.code, { repeated: false }), `${answer.code}: ${answer.message}`);
  return answer.data;
}
