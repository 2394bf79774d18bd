import { required } from '../../lib/assert.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { baseUrlField, identityField, secretField } from '../config-field.ts';
import { toAmount } from '../lenient.ts';
import { chargedFor, chosenWords, type Meaning, type Particulars, toCheckOutcome, toPlaceOutcome } from '../meaning.ts';
import { readEntries } from '../price-entries.ts';
import type { ListedItem, Supplier, SupplierKind, SupplierSetup } from '../supplier.ts';
import { readCallback } from './callback.ts';
import { meaningOf, meaningOfRefusal } from './map.ts';
import {
  type Answer,
  askStatus,
  type Catalogue,
  itemSchema,
  postOrder,
  readBalance,
  readCatalogue,
  type Transaction,
} from './wire.ts';

export const tokovoucherKind: SupplierKind = {
  kind: 'tokovoucher',
  label: 'TokoVoucher',
  capabilities: {
    nickname: false,
    balance: true,
    priceList: true,
    callback: true,
    lookup: true,
    // What becomes of a repeated reference is not documented, and neither is the answer for an unknown one.
    safeResend: false,
    trustworthyNotFound: false,
    checkMayBuy: false,
    priceGuard: false,
  },
  fields: [
    baseUrlField('https://api.tokovoucher.net'),
    identityField('member_code', 'Member code', 'In the dashboard, under the data of the member.'),
    secretField('secret', 'Secret', 'In the dashboard, beside the member code.'),
  ],
  limits: {
    concurrency: 8,
    perSecond: null,
    placeLimitMs: 60 * SECOND_MS,
    checkLimitMs: 30 * SECOND_MS,
    lookupLimitMs: 3 * SECOND_MS,
    // It wants to be asked every ten minutes; callbacks tell of an end before that.
    lookAgainAfterMs: [10, 10, 10, 20, 30, 60].map((minutes) => minutes * MINUTE_MS),
    reviewAfterMs: DAY_MS,
    circuit: { failures: 5, restMs: 30 * SECOND_MS },
    priceListEveryMs: 10 * MINUTE_MS,
    oneAtATimePerPlayer: false,
  },
  // The player and the server are fields of their own.
  accountTemplate: null,
  create: createTokovoucher,
};

function createTokovoucher({ config }: SupplierSetup): Supplier {
  const account = {
    baseUrl: required(config['base_url'], 'base_url'),
    memberCode: required(config['member_code'], 'member_code'),
    secret: required(config['secret'], 'secret'),
  };

  return {
    async placeOrder(purchase, call) {
      const { accountText } = purchase;
      const target =
        accountText === null
          ? { tujuan: purchase.userId, server_id: purchase.zone }
          : // A route that writes the account whole has the server in it.
            { tujuan: accountText, server_id: '' };
      const answer = await postOrder(call, account, { ref_id: purchase.reference, produk: purchase.sku, ...target });
      return toPlaceOutcome(...outcomeOf(answer, { asked: false, chosen: chosenWords(purchase) }));
    },
    async checkOrder(purchase, call) {
      const answer = await askStatus(call, account, purchase.reference);
      return toCheckOutcome(...outcomeOf(answer, { asked: true, chosen: chosenWords(purchase) }));
    },
    balance: async (call) => toAmount(await readBalance(call, account), 'down'),
    listServices: async (call) => toListed(await readCatalogue(call, account)),
    readCallback: (message) => readCallback(message, account),
  };
}

function outcomeOf(answer: Answer, { asked, chosen }: { asked: boolean; chosen: string }): [Meaning, Particulars] {
  if (answer.is === 'refused') return [meaningOfRefusal(answer.message, { asked, chosen }), { detail: answer.message }];
  const { transaction } = answer;
  const meaning = meaningOf({ status: transaction.status, reason: transaction.sn ?? '', chosen });
  return [meaning, particularsOf(transaction, meaning)];
}

/** A failed transaction has a price as well, which is not charged. */
function particularsOf({ status, sn, message, trx_id: id, price }: Transaction, meaning: Meaning): Particulars {
  return {
    detail: `${status} ${sn ?? ''} ${message ?? ''}`.trim(),
    serialNumber: sn || null,
    ...(id && { supplierReference: id }),
    ...chargedFor(meaning, price),
  };
}

/** An item can be had while it, its sort and its game are active. `price` is that of our own level there. */
function toListed({ operator, jenis, produk }: Catalogue): ListedItem[] {
  const inactive = (entries: Catalogue['operator']) => new Set(entries.flatMap(({ id, status }) => (status === '0' ? [id] : [])));
  const [operatorsOff, sortsOff] = [inactive(operator), inactive(jenis)];
  const names = new Map(operator.map(({ id, nama }) => [id, nama]));
  return readEntries(produk, itemSchema, 'kode_produk', (item) => {
    const { kode_produk: sku, nama, price, status, operator_id: operatorId, jenis_id: sortId } = item;
    const name = [operatorId && names.get(operatorId), nama].filter(Boolean).join(' ') || sku;
    const available = status === '1' && !operatorsOff.has(operatorId ?? '') && !sortsOff.has(sortId ?? '');
    return [{ sku, name, cost: toAmount(price, 'up'), available }];
  });
}
