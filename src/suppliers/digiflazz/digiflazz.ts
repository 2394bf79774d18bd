import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { baseUrlField, identityField, optionalField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import { readEntries, unread } from '../price-entries.ts';
import type { ListedItem, Purchase, Supplier, SupplierKind, SupplierService, SupplierSetup, Unclear } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { isRecorded, meaningOf } from './map.ts';
import { type Item, itemSchema, postTransaction, readDeposit, readPriceList, type Transaction } from './wire.ts';

/**
 * After 90 days Digiflazz takes a repeated request for a new order (docs, "Top Up"), so from a day before that on nothing is
 * repeated any more.
 */
const REPEAT_FOR_MS = 89 * DAY_MS;

export const digiflazzKind: SupplierKind = {
  kind: 'digiflazz',
  label: 'Digiflazz',
  deliveredStatus: 'Sukses',
  capabilities: {
    nickname: false,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    safeResend: true,
    // Asking and buying are the same request, so there is never an answer "not found".
    trustworthyNotFound: false,
    checkMayBuy: true,
    priceGuard: true,
  },
  fields: [
    baseUrlField('https://api.digiflazz.com/v1'),
    identityField('username', 'Username', 'Atur Koneksi > API'),
    secretField('api_key', 'API key', 'The production key, or the development key together with "testing".'),
    optionalField({ key: 'webhook_secret', label: 'Webhook secret', secret: true, help: 'Atur Koneksi > API > Webhook' }),
    optionalField({
      key: 'testing',
      label: 'Testing',
      identity: true,
      help: '"yes" with the development key: nothing is delivered.',
      form: { pattern: /^(yes|no)$/, message: 'must be yes or no' },
    }),
  ],
  limits: {
    concurrency: 16,
    perSecond: null,
    placeLimitMs: 30 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    lookAgainAfterMs: [3, 10, 30, 60, 120, 300, 900, 3_600].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    // The whole list may be read once in five minutes.
    priceListEveryMs: 6 * MINUTE_MS,
    oneAtATimePerPlayer: false,
  },
  accountTemplate: '{user_id}{zone}',
  create: createDigiflazz,
};

function createDigiflazz({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    username: required(config['username'], 'username'),
    apiKey: required(config['api_key'], 'api_key'),
  };

  const isTooOld = ({ createdAt }: Purchase) => clock.now().getTime() - createdAt.getTime() > REPEAT_FOR_MS;
  const transact = (purchase: Purchase, call: Parameters<Supplier['placeOrder']>[1]) => {
    const customerNo = purchase.accountText ?? `${purchase.userId}${purchase.zone}`;
    return postTransaction(call, account, {
      buyer_sku_code: purchase.sku,
      customer_no: customerNo,
      ref_id: purchase.reference,
      ...(config['testing'] === 'yes' && { testing: true }),
      ...(purchase.cost > 0n && { max_price: Number(purchase.cost) }),
      ...(customerNo.includes('.') && { allow_dot: true }),
    });
  };

  return {
    async placeOrder(purchase, call) {
      if (isTooOld(purchase)) return TOO_OLD;
      const transaction = await transact(purchase, call);
      const meaning = meaningOf({ ...transaction, asked: false });
      return toPlaceOutcome(meaning, particularsOf(transaction, meaning));
    },
    async checkOrder(purchase, call) {
      if (isTooOld(purchase)) return TOO_OLD;
      const transaction = await transact(purchase, call);
      const meaning = meaningOf({ ...transaction, asked: true });
      return toCheckOutcome(meaning, particularsOf(transaction, meaning));
    },
    balance: async (call) => toAmount(await readDeposit(call, account), 'down'),
    listServices: async (call) => readEntries(await readPriceList(call, account), itemSchema, 'buyer_sku_code', toListed),
    readCallback: (message) => readCallback(message, config['webhook_secret']),
  };
}

const TOO_OLD: Unclear = {
  kind: 'unclear',
  reason: 'older than 89 days: Digiflazz would take a question for a new order; look it up in its dashboard',
};

/** The price is told of failed transactions too, which cost nothing. */
function particularsOf({ rc, message, sn, price }: Transaction, { is }: Meaning): Particulars {
  const isCharged = price && (is === 'delivered' || is === 'pending');
  return {
    detail: `${rc} ${message ?? ''}`.trim(),
    serialNumber: sn || null,
    ...(isRecorded(rc) && { recorded: true }),
    ...(isCharged && { charged: toAmount(price, 'up') }),
  };
}

/** An item, and what of it could not be read. */
function toListed(item: Item): ListedItem[] {
  const { buyer_sku_code: sku, unlimited_stock, stock, multi, start_cut_off, end_cut_off } = item;
  const odd = Object.entries({ unlimited_stock, stock, multi, start_cut_off, end_cut_off }).flatMap(([name, field]) =>
    field.odd === null ? [] : [unread(sku, `${name}: ${field.odd}`)],
  );
  const isOutOfStock = unlimited_stock.value === false && stock.value !== undefined && toAmount(stock.value, 'down') <= 0n;
  const service: SupplierService = {
    sku,
    name: item.product_name || sku,
    cost: toAmount(item.price, 'up'),
    available: item.buyer_product_status && item.seller_product_status && !isOutOfStock,
    ...toCutOff(start_cut_off.value, end_cut_off.value),
    ...(multi.value !== undefined && { oncePerDay: !multi.value }),
  };
  return [service, ...odd];
}

/** One that begins when it ends is none. */
function toCutOff(start: string | undefined, end: string | undefined): Pick<SupplierService, 'cutOff'> {
  if (start === undefined || end === undefined) return {};
  return { cutOff: start === end ? null : { start, end } };
}
