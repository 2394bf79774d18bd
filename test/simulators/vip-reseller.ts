import { type Dialect, json, jsonCallback, md5Of, type SimulatorAnswer } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const API_ID = 'APIID123';
const API_KEY = 'APIKEY456';
const GAME = 'Mobile Legends A';

const REFUSALS: Record<Refusal | 'unknown_item', string> = {
  out_of_stock: 'Layanan tidak ditemukan atau saat ini tidak tersedia.',
  wrong_player: 'Zone tujuan salah.',
  low_balance: 'Saldo Anda tidak cukup untuk melakukan pemesanan ini.',
  too_fast: 'Transaksi dibatasi, coba lagi dalam 6 detik.',
  same_player_again: 'Pesanan ganda.',
  unknown_item: 'Layanan tidak ditemukan atau saat ini tidak tersedia.',
};

export const vipResellerDialect: Dialect = {
  kind: 'vip-reseller',
  config: { api_id: API_ID, api_key: API_KEY },
  wrongConfig: { api_id: API_ID, api_key: 'APIKEY457' },
  items: [
    { sku: 'ML14-S14', name: '14 Diamonds ( 13 + 1 Bonus )', price: 3_310n, available: true },
    { sku: 'ML5-S14', name: '5 Diamonds', price: 1_400n, available: false },
  ],
  nameOf: (number) => `VP26${number}`,
  players: {
    known: { productCode: 'MLBB', userId: '12345678', zone: '2001' },
    nickname: 'BudiGG',
    unknown: { productCode: 'MLBB', userId: '99999999', zone: '2001' },
  },
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance', 'too_fast'],
    rejectsLater: true,
    partial: false,
    reversal: false,
  },
  answer(shop, { method, path, body }) {
    const form = new URLSearchParams(body);
    if (method !== 'POST') return refuse('Metode tidak diizinkan.');
    if (form.get('key') !== API_KEY || form.get('sign') !== md5Of(API_ID, API_KEY)) return refuse('Signature tidak valid.');
    if (path === '/profile') return tell({ full_name: 'Demo', balance: Number(shop.balance), level: 'Basic' }, 'Success.');
    const action = path === '/game-feature' ? ACTIONS[form.get('type') ?? ''] : undefined;
    return action ? action(shop, form) : refuse('Permintaan tidak valid.');
  },
  callback: (shop, order) => callbackWith(shop, order, md5Of(API_ID, API_KEY)),
  forgedCallback: (shop, order) => callbackWith(shop, order, md5Of(API_ID, 'a guess')),
};

const ACTIONS: Record<string, (shop: Shop, form: URLSearchParams) => SimulatorAnswer> = {
  order: buy,
  status(shop, form) {
    const trxid = form.get('trxid');
    const orders =
      trxid === null
        ? shop.orders.toReversed().slice(0, Number(form.get('limit')))
        : shop.orders.filter(({ id }) => id === trxid);
    return orders.length === 0 && trxid !== null
      ? refuse('Transaksi tidak ditemukan.')
      : tell(
          orders.map((order) => transactionOf(shop, order)),
          'Detail transaksi berhasil didapatkan.',
        );
  },
  services: (shop) => tell(shop.items.map(serviceOf), 'Success.'),
  'get-nickname'(_shop, form) {
    const isKnown = form.get('code') === 'mobile-legends' && form.get('target') !== '99999999';
    return isKnown ? tell('BudiGG', 'Success.') : refuse('ID tidak ditemukan.');
  },
};

/** It knows nobody's name for an order but its own, and always begins with "waiting". */
function buy(shop: Shop, form: URLSearchParams): SimulatorAnswer {
  const sku = form.get('service') ?? '';
  const account = [form.get('data_no'), form.get('data_zone')].filter(Boolean).join('|');
  if (form.get('data_no') === null) return refuse('Masih ada parameter yang kosong.');
  const taken = shop.take({ reference: null, sku, account });
  const done = 'Pesanan berhasil, pesanan akan diproses.';
  if (typeof taken !== 'string')
    return tell({ ...transactionOf(shop, taken), status: 'waiting', note: '', balance: Number(shop.balance) }, done);
  if (taken !== 'wrong_player') return refuse(REFUSALS[taken]);
  return tell({ trxid: 'VP0', data: form.get('data_no'), zone: '', service: GAME, status: 'error', note: REFUSALS[taken] }, done);
}

function transactionOf(shop: Shop, order: ShopOrder): Record<string, unknown> {
  const [data = '', zone = ''] = order.account.split('|');
  const service = `${GAME} - ${shop.item(order.sku)?.name}`;
  return { trxid: order.id, data, zone, service, ...stateOf(shop, order), price: Number(order.price) };
}

function stateOf(shop: Shop, order: ShopOrder): { status: string; note: string } {
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { status: 'success', note: shop.serialOf(order) };
    case 'rejected':
      return { status: 'error', note: order.fate.is === 'rejected' ? REFUSALS[order.fate.why] : '' };
    case 'strange':
      return { status: 'refund', note: '' };
    default:
      return { status: 'processing', note: '' };
  }
}

function serviceOf({ sku, name, price, available }: Shop['items'][number]) {
  const prices = { basic: Number(price), premium: Number(price) - 50, special: Number(price) - 75 };
  return { code: sku, game: GAME, name, price: prices, server: '1', status: available ? 'available' : 'empty' };
}

function callbackWith(shop: Shop, order: ShopOrder, signature: string) {
  return jsonCallback({ data: transactionOf(shop, order) }, { 'x-client-signature': signature });
}

function tell(data: unknown, message: string): SimulatorAnswer {
  return json({ result: true, data, message });
}

function refuse(message: string): SimulatorAnswer {
  return json({ result: false, data: null, message });
}
