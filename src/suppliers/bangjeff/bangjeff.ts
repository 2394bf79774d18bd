import type { z } from 'zod';
import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { refusedQuestion } from '../account-fault.ts';
import { fillTemplate, NAMES_NO_FIELDS, readPlayerFields } from '../account-template.ts';
import { baseUrlField, optionalField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { chargedFor, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome, toUnsendable } from '../meaning.ts';
import { readEntries, unread } from '../price-entries.ts';
import type { ListedItem, Purchase, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { meaningOfAskedRefusal, meaningOfRefusal, meaningOfState, readInvoice } from './map.ts';
import {
  type Answer,
  type BangjeffOrder,
  type Checkout,
  checkout,
  getBalance,
  getOrder,
  getVariants,
  variantSchema,
} from './wire.ts';

const ACCOUNT_TEMPLATE = 'ID={user_id}&Server={zone}';
/** Each is a request of its own. */
const MAX_PRODUCTS = 200;

export const bangjeffKind: SupplierKind = {
  kind: 'bangjeff',
  label: 'BangJeff',
  capabilities: {
    nickname: false,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    // A repeated reference is refused, not bought.
    safeResend: true,
    trustworthyNotFound: true,
    checkMayBuy: false,
    // The price that is sent along has to be the price there.
    priceGuard: true,
  },
  fields: [
    baseUrlField('https://api.bangjeff.com', 'https://sandbox-api.bangjeff.com for trying.'),
    secretField('api_key', 'API key', 'From the portal; it names the client and signs.'),
    optionalField({ key: 'region', label: 'Region', help: 'The market whose products are bought.', default: 'ID' }),
    optionalField({
      key: 'currency',
      label: 'Currency',
      help: 'The currency of the region, which must be that of this installation.',
      default: 'IDR',
      form: { pattern: /^[A-Z]{3}$/, message: 'must be three capital letters' },
    }),
  ],
  limits: {
    concurrency: 16,
    perSecond: null,
    placeLimitMs: 45 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    // Not sooner: a purchase that hung at the first look could still be on its way to being known.
    lookAgainAfterMs: [15, 15, 30, 60, 120, 300, 900, 1_800].map((seconds) => seconds * SECOND_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: 10 * MINUTE_MS,
    oneAtATimePerPlayer: false,
  },
  listsByRoute: true,
  accountTemplate: ACCOUNT_TEMPLATE,
  accountForm: 'named',
  create: createBangjeff,
};

function createBangjeff({ config, clock }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    apiKey: required(config['api_key'], 'api_key'),
    region: required(config['region'], 'region'),
    clock,
  };
  const currency = required(config['currency'], 'currency');

  const particularsOf = (order: BangjeffOrder, meaning: Meaning): Particulars => {
    const { totalAmount } = order;
    return {
      detail: `${order.statusCode} ${order.statusDesc ?? ''}`.trim(),
      supplierReference: order.invoiceNumber,
      serialNumber: order.voucher || null,
      ...(totalAmount?.currency === currency && chargedFor(meaning, totalAmount.value)),
    };
  };

  return {
    async placeOrder(purchase, call) {
      const order = toCheckout(purchase, currency);
      if (order === null) return toUnsendable(NAMES_NO_FIELDS);
      const answer = await checkout(call, account, order);
      if (!answer.refused) {
        const meaning = meaningOfState(answer.data.statusCode);
        return toPlaceOutcome(meaning, particularsOf(answer.data, meaning));
      }
      const meaning = meaningOfRefusal({ ...answer, repeated: purchase.sends > 1 });
      const invoice = meaning.is === 'pending' ? readInvoice(answer.message) : null;
      return toPlaceOutcome(meaning, { detail: wordsOf(answer), ...(invoice !== null && { supplierReference: invoice }) });
    },
    async checkOrder(purchase, call) {
      const answer = await getOrder(call, account, purchase.reference);
      if (answer.refused) return toCheckOutcome(meaningOfAskedRefusal(answer.rc), { detail: wordsOf(answer) });
      const meaning = meaningOfState(answer.data.statusCode);
      return toCheckOutcome(meaning, particularsOf(answer.data, meaning));
    },
    async balance(call) {
      const { value, currency: told } = dataOf(await getBalance(call, account));
      return told === null || told === currency ? toAmount(value, 'down') : null;
    },
    async listServices(call, wanted) {
      const products = new Set(wanted.map((sku) => readSku(sku).productCode));
      if (products.size > MAX_PRODUCTS) throw new Error(`More than ${MAX_PRODUCTS} products cannot be read at once.`);
      const listed: ListedItem[] = [];
      for (const productCode of products) {
        const answer = await getVariants(call, account, productCode);
        // A product that is not there any more is not there, and no reason to know nothing of the others.
        if (answer.refused && ['04', '41'].includes(answer.rc)) continue;
        const toListed = ({ code, name, status, price }: z.infer<typeof variantSchema>): ListedItem[] => {
          const whole = `${productCode}/${code}`;
          const sku = wanted.includes(whole) ? whole : code;
          if (price.currency !== currency) return [unread(sku, `the price is in ${price.currency}, not in ${currency}`)];
          return [{ sku, name: name || sku, cost: toAmount(price.value, 'up'), available: status === 'ACTIVE' }];
        };
        listed.push(...readEntries(dataOf(answer), variantSchema, 'code', toListed));
      }
      return listed;
    },
    readCallback,
  };
}

/** `<variant>`, or `<product>/<variant>` where the variant's code does not begin with that of its product. */
function readSku(sku: string): { productCode: string; variantCode: string } {
  const [product = '', variant] = sku.split('/');
  return variant === undefined
    ? { productCode: product.split('_')[0] ?? product, variantCode: product }
    : { productCode: product, variantCode: variant };
}

/** The price has to be the one that is asked there, to the rupiah: our route's cost is. */
function toCheckout(purchase: Purchase, currency: string): Checkout | null {
  const player = readPlayerFields(purchase.accountText ?? fillTemplate(ACCOUNT_TEMPLATE, purchase));
  if (player === null) return null;
  return {
    variantCode: readSku(purchase.sku).variantCode,
    referenceNumber: purchase.reference,
    qty: 1,
    price: { currency, value: Number(purchase.cost) },
    inputs: Object.entries(player).map(([name, value]) => ({ name, value })),
  };
}

function dataOf<Data>(answer: Answer<Data>): Data {
  if (answer.refused) throw refusedQuestion(meaningOfRefusal({ ...answer, repeated: false }), wordsOf(answer));
  return answer.data;
}

function wordsOf({ rc, message }: { rc: string; message: string }): string {
  return `${rc} ${message}`.trim();
}
