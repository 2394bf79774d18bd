import { type Dialect, json, jsonCallback, md5Of, readObject, type SimulatorAnswer, type SimulatorRequest } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const MERCHANT_ID = 'M220101DEMO0001XY';
const SECRET_KEY = 's3cr3tk3y';
const RUPIAH_PER_SHELL = 250n;

/** Reasons beside `Gagal`. Words for other refusals are not documented, and a supplier that invents some is not understood. */
const REASONS: Record<Refusal | 'unknown_item', string> = {
  out_of_stock: 'Stok kosong',
  wrong_player: 'Wrong player id',
  low_balance: 'Saldo tidak cukup',
  too_fast: 'Terlalu cepat',
  same_player_again: 'Sudah pernah',
  unknown_item: 'Produk tidak ditemukan',
};

export const apigamesDialect: Dialect = {
  kind: 'apigames',
  config: { merchant_id: MERCHANT_ID, secret_key: SECRET_KEY },
  wrongConfig: { merchant_id: MERCHANT_ID, secret_key: 'another key' },
  items: [
    { sku: 'ml86', name: '86 Diamonds', price: 19_500n, available: true },
    { sku: 'ml5', name: '5 Diamonds', price: 1_500n, available: false },
  ],
  nameOf: (number) => `T260301SIM${String(number).padStart(5, '0')}`,
  players: {
    known: { productCode: 'MLBB', userId: '12345678', zone: '2001' },
    nickname: 'Ќїηg★ 🎮',
    unknown: { productCode: 'MLBB', userId: '99999999', zone: '1' },
  },
  plays: { refusals: ['out_of_stock', 'wrong_player'], rejectsLater: true, partial: true, reversal: false },
  answer(shop, request) {
    const fields = request.method === 'GET' ? Object.fromEntries(request.query) : readObject(request.body);
    const reference = String(fields['ref_id']);
    const isSigned = fields['merchant_id'] === MERCHANT_ID && fields['signature'] === signatureOf(reference);
    switch (request.path) {
      case '/v2/transaksi':
        return isSigned ? buy(shop, reference, fields) : refuse('Signature not valid');
      case '/v2/transaksi/status': {
        const order = shop.byReference(reference);
        if (!isSigned) return refuse('Signature not valid');
        return order ? json({ status: 1, data: transactionOf(shop, order) }) : refuse('Transaksi tidak ditemukan');
      }
      default:
        return ofMerchant(shop, request);
    }
  },
  callback: (shop, order) => callbackWith(shop, order, signatureOf(order.reference ?? '')),
  forgedCallback: (shop, order) => callbackWith(shop, order, signatureOf('another order')),
};

/** It looks for no earlier order: the same reference again is another purchase. */
function buy(shop: Shop, reference: string, fields: Record<string, unknown>): SimulatorAnswer {
  const [sku, account] = [String(fields['produk']), `${fields['tujuan']}${fields['server_id']}`];
  const taken = shop.take({ reference, sku, account });
  if (typeof taken !== 'string') return json({ status: 1, data: transactionOf(shop, taken) });
  if (taken === 'low_balance' || taken === 'unknown_item') return refuse(REASONS[taken]);
  const data = { ref_id: reference, destination: account, product_code: sku, status: 'Gagal', sn: REASONS[taken] };
  return json({ status: 1, data: { ...data, trx_id: 'T260301SIM00000', last_balance: String(shop.balance) } });
}

function transactionOf(shop: Shop, order: ShopOrder): Record<string, unknown> {
  const { status, sn } = stateOf(shop, order);
  return {
    merchant_id: MERCHANT_ID,
    trx_id: order.id,
    ref_id: order.reference,
    destination: order.account,
    product_code: order.sku,
    product_code_master: order.sku,
    message: `R#${order.reference} ${order.sku}.${order.account}, status ${status.toUpperCase()}. . Sisa saldo ${shop.balance}`,
    status,
    sn,
    last_balance: String(shop.balance),
    product_detail: {
      name: order.sku,
      code: order.sku,
      price: Number(order.price) / Number(RUPIAH_PER_SHELL),
      price_unit: 'garena shell',
      rate: Number(RUPIAH_PER_SHELL),
      price_rp: Number(order.price),
    },
  };
}

function stateOf(shop: Shop, order: ShopOrder): { status: string; sn: string } {
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { status: 'Sukses', sn: shop.serialOf(order) };
    case 'rejected':
      return { status: 'Gagal', sn: order.fate.is === 'rejected' ? REASONS[order.fate.why] : '' };
    case 'partial':
      return { status: 'Sukses Sebagian', sn: shop.serialOf(order) };
    case 'strange':
      return { status: 'Dibatalkan', sn: '' };
    default:
      return { status: 'Pending', sn: '' };
  }
}

function ofMerchant(shop: Shop, { path, query }: SimulatorRequest): SimulatorAnswer {
  const root = `/merchant/${MERCHANT_ID}`;
  if (query.get('signature') !== md5Of(MERCHANT_ID, SECRET_KEY)) return refuse('Signature not valid');
  if (path === root) {
    const data = { id: 1, merchant_id: MERCHANT_ID, nama: 'Demo', saldo: Number(shop.balance) };
    return json({ status: 1, rc: 200, message: 'Sukses', data, ts: 1_657_527_892 });
  }
  const { unknown, nickname } = apigamesDialect.players ?? {};
  if (path !== `${root}/cek-username/mobilelegend`) return refuse('Engine belum tersedia');
  const isValid = query.get('user_id') !== `${unknown?.userId}${unknown?.zone}`;
  const data = { is_valid: isValid, username: isValid ? nickname : '' };
  return json({ status: 1, rc: 0, message: isValid ? 'Data Found' : 'Data Not Found', data, ts: 1_657_527_892 });
}

function callbackWith(shop: Shop, order: ShopOrder, signature: string) {
  return jsonCallback(transactionOf(shop, order), { 'x-apigames-authorization': signature });
}

function signatureOf(reference: string): string {
  return md5Of(`${MERCHANT_ID}:${SECRET_KEY}:${reference}`);
}

function refuse(message: string): SimulatorAnswer {
  return json({ status: 0, error_msg: message });
}
