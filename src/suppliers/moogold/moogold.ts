import type { z } from 'zod';
import { required } from '../../lib/assert.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Amount } from '../../lib/money.ts';
import { refusedQuestion } from '../account-fault.ts';
import { fillTemplate, NAMES_NO_FIELDS, readPlayerFields } from '../account-template.ts';
import { baseUrlField, identityField, optionalField, secretField } from '../config-field.ts';
import { convertAmount } from '../lenient.ts';
import { findLookupGame, lookupGamesField, readLookupGames } from '../lookup-games.ts';
import { type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome, toUnsendable } from '../meaning.ts';
import { readEntries } from '../price-entries.ts';
import type { ListedItem, Purchase, Supplier, SupplierKind, SupplierService, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import {
  isNobody,
  meaningOfAskedRefusal,
  meaningOfRefusal,
  meaningOfState,
  meaningWithoutCode,
  NOT_ON_SALE,
  playerFields,
} from './map.ts';
import { readSku } from './sku.ts';
import {
  type Answer,
  type CreateOrder,
  createOrder,
  getBalance,
  getOrderDetail,
  getProduct,
  type OrderDetail,
  validatePlayer,
  variationSchema,
} from './wire.ts';

const CURRENCY = 'USD';
const ACCOUNT_TEMPLATE = 'User ID={user_id}&Server={zone}';
/** Each is a request of its own. */
const MAX_PRODUCTS = 200;

export const moogoldKind: SupplierKind = {
  kind: 'moogold',
  label: 'MooGold',
  capabilities: {
    nickname: true,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    // A repeated partner order id is refused, not bought.
    safeResend: true,
    trustworthyNotFound: true,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://moogold.com/wp-json/v1/api'),
    identityField('partner_id', 'Partner ID', 'From the account manager at MooGold.'),
    secretField('secret_key', 'Secret key', 'Given together with the partner ID.'),
    optionalField({
      key: 'exchange_rate',
      label: 'Exchange rate',
      help: 'Units of our currency for one US dollar. Without it balance, prices and costs are not told.',
      form: { pattern: /^(?!0*(\.0*)?$)\d{1,9}(\.\d{1,6})?$/, message: 'must be a number above 0, such as 16250' },
    }),
    optionalField({
      key: 'sign_partner_order_id',
      label: 'Sign the partner order id',
      help: '"no" only if MooGold refuses every order with code 109.',
      default: 'yes',
      form: { pattern: /^(yes|no)$/, message: 'must be yes or no' },
    }),
    lookupGamesField,
  ],
  limits: {
    concurrency: 8,
    perSecond: 10,
    placeLimitMs: 45 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    // A delivery may take 20 to 40 minutes. Not sooner: a purchase that hung could still be on its way to being known.
    lookAgainAfterMs: [30, 60, 120, 120, 300, 600, 900, 1_800].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 60 * SECOND_MS },
    priceListEveryMs: HOUR_MS,
    oneAtATimePerPlayer: false,
  },
  listsByRoute: true,
  accountTemplate: ACCOUNT_TEMPLATE,
  skuForm: {
    pattern: /^\d+:\d+(:voucher)?$/,
    message: 'is written <product_id>:<variation_id>, with :voucher behind it for a code',
  },
  accountForm: 'named',
  callbackAnswer: '{"status":"success"}',
  create: createMoogold,
};

function createMoogold({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    partnerId: required(config['partner_id'], 'partner_id'),
    secretKey: required(config['secret_key'], 'secret_key'),
    signsPartnerOrderId: config['sign_partner_order_id'] !== 'no',
    clock,
  };
  const games = readLookupGames(config['lookup_games']);
  const rate = config['exchange_rate'] ?? null;
  const toOurs = (dollars: string, rounding: 'up' | 'down'): Amount | null =>
    rate === null ? null : convertAmount(dollars, rate, rounding);

  const particularsOf = (order: OrderDetail, { is }: Meaning): Particulars => {
    const charged = order.total && (is === 'delivered' || is === 'pending') ? toOurs(order.total, 'up') : null;
    return {
      detail: order.order_status,
      supplierReference: order.order_id,
      serialNumber: order.codes.length > 0 ? order.codes.join(', ') : null,
      ...(charged !== null && { charged }),
    };
  };

  return {
    foreignCurrency: { code: CURRENCY, toOurs: rate === null ? null : (dollars) => convertAmount(dollars, rate, 'up') },
    async placeOrder(purchase, call) {
      const order = toCreateOrder(purchase);
      if (order === null) return toUnsendable(NAMES_NO_FIELDS);
      const answer = await createOrder(call, account, order);
      if (!answer.refused) return { kind: 'pending', supplierReference: answer.data.orderId };
      return toPlaceOutcome(meaningOfRefusal(answer.code), { detail: wordsOf(answer) });
    },
    async checkOrder(purchase, call) {
      const answer = await getOrderDetail(call, account, {
        partnerOrderId: purchase.reference,
        orderId: purchase.supplierReference,
      });
      if (answer.refused) return toCheckOutcome(meaningOfAskedRefusal(answer.code), { detail: wordsOf(answer) });
      const said = meaningOfState(answer.data.order_status);
      const lacksCode = said.is === 'delivered' && readSku(purchase.sku).category === '2' && answer.data.codes.length === 0;
      const ageMs = clock.now().getTime() - purchase.createdAt.getTime();
      const meaning = lacksCode ? meaningWithoutCode(ageMs) : said;
      const particulars = particularsOf(answer.data, meaning);
      return toCheckOutcome(meaning, lacksCode ? { ...particulars, detail: 'completed, without the voucher code' } : particulars);
    },
    async lookupNickname(player, call) {
      const game = findLookupGame(player.productCode, {}, games);
      if (game === null)
        return { kind: 'unavailable', reason: `lookup_games has no product of MooGold for ${player.productCode}` };
      const answer = await validatePlayer(call, account, { 'product-id': game, ...playerFields(player) });
      if (answer.refused) return { kind: 'unavailable', reason: wordsOf(answer) };
      const { status, message, username } = answer.data;
      if (status === 'true' && username) return { kind: 'found', nickname: username };
      return status === 'false' && isNobody(message) ? { kind: 'not_found' } : { kind: 'unavailable', reason: message };
    },
    async balance(call) {
      const { currency, balance } = dataOf(await getBalance(call, account));
      return currency === CURRENCY ? toOurs(balance, 'down') : null;
    },
    async listServices(call, wanted) {
      if (rate === null) throw new Error('Set exchange_rate: prices there are in US dollars.');
      const products = new Set(wanted.flatMap((sku) => readSku(sku).productId ?? []));
      if (products.size > MAX_PRODUCTS) throw new Error(`More than ${MAX_PRODUCTS} products cannot be read at once.`);
      const services = new Map<string, SupplierService>();
      const odd: ListedItem[] = [];
      for (const productId of products) {
        const answer = await getProduct(call, account, productId);
        if (answer.refused && NOT_ON_SALE.includes(answer.code)) continue;
        const { Product_Name, Variation } = dataOf(answer);
        const toListed = ({ variation_id, variation_name, variation_price, stock_status }: z.infer<typeof variationSchema>) => {
          const sku = `${productId}:${variation_id}`;
          const name = [Product_Name, variation_name].filter(Boolean).join(' ') || sku;
          return [{ sku, name, cost: convertAmount(variation_price, rate, 'up'), available: stock_status === 'instock' }];
        };
        for (const item of readEntries(Variation, variationSchema, 'variation_id', toListed)) {
          if ('unread' in item) odd.push(item);
          else services.set(item.sku, item);
        }
      }
      return [...withVouchers(services, wanted), ...odd];
    },
    readCallback,
  };
}

/** MooGold's list does not tell vouchers apart: those in use stand in it as they are called here. */
function withVouchers(services: Map<string, SupplierService>, wanted: readonly string[]): SupplierService[] {
  const vouchers = wanted.flatMap((sku) => {
    const { productId, variationId, category } = readSku(sku);
    const service = category === '2' ? services.get(`${productId}:${variationId}`) : undefined;
    return service ? [{ ...service, sku }] : [];
  });
  return [...services.values(), ...vouchers];
}

function toCreateOrder(purchase: Purchase): CreateOrder | null {
  const { variationId, category } = readSku(purchase.sku);
  const player = category === '1' ? readPlayerFields(purchase.accountText ?? fillTemplate(ACCOUNT_TEMPLATE, purchase)) : {};
  const item = { category, 'product-id': variationId, quantity: '1' };
  // Once more at the end: whatever a template calls its fields, it cannot say how many of what is bought.
  return player && { data: { ...item, ...player, ...item }, partnerOrderId: purchase.reference };
}

function dataOf<Data>(answer: Answer<Data>): Data {
  if (answer.refused) throw refusedQuestion(meaningOfRefusal(answer.code), wordsOf(answer));
  return answer.data;
}

function wordsOf({ code, message }: { code: string; message: string }): string {
  return `${code} ${message}`.trim();
}
