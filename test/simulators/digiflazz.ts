import { createHash, createHmac } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { type Dialect, json, jsonCallback, type SimulatorAnswer } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const USERNAME = 'resellerdemo';
const API_KEY = 'dev-00000000-aaaa-bbbb-cccc-111111111111';
const WEBHOOK_SECRET = 'whsec-demo';

/** It warns that a question about an older transaction makes a new one. */
const KNOWS_FOR_MS = 90 * DAY_MS;
const PRICE_LIST_EVERY_MS = 5 * MINUTE_MS;
const pricesToldAt = new WeakMap<Shop, Date>();

const REFUSALS: Record<Refusal | 'unknown_item', { rc: string; message: string }> = {
  out_of_stock: { rc: '68', message: 'Stok habis' },
  wrong_player: { rc: '54', message: 'Nomor Tujuan Salah' },
  low_balance: { rc: '44', message: 'Saldo tidak cukup' },
  too_fast: { rc: '85', message: 'Limitasi transaksi, coba 1 menit lagi' },
  same_player_again: { rc: '63', message: 'Tidak support transaksi multi' },
  unknown_item: { rc: '43', message: 'SKU tidak di temukan atau Non-Aktif' },
};

export const digiflazzDialect: Dialect = {
  kind: 'digiflazz',
  config: { username: USERNAME, api_key: API_KEY, webhook_secret: WEBHOOK_SECRET, testing: 'yes' },
  wrongConfig: { username: USERNAME, api_key: 'dev-ffffffff-aaaa-bbbb-cccc-111111111111', webhook_secret: WEBHOOK_SECRET },
  items: [
    { sku: 'ML86', name: 'MOBILE LEGENDS 86 Diamond', price: 19_500n, available: true },
    { sku: 'ML5', name: 'MOBILE LEGENDS 5 Diamond', price: 1_450n, available: false },
  ],
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance', 'too_fast', 'same_player_again'],
    rejectsLater: true,
    partial: false,
    reversal: true,
  },
  answer(shop, request) {
    const body = parse(request.body);
    if (body === null) return refuse('40', 'Payload Error');
    switch (request.path) {
      case '/transaction':
        return isSigned(body, String(body['ref_id'])) ? transact(shop, body) : refuse('41', 'Signature tidak valid');
      case '/cek-saldo':
        if (!isSigned(body, 'depo')) return refuse('41', 'Signature tidak valid');
        return json({ data: { deposit: Number(shop.balance) + 0.5 } });
      case '/price-list':
        return isSigned(body, 'pricelist') ? tellPrices(shop) : refuse('41', 'Signature tidak valid');
      default:
        return json({ data: { message: 'not found' } }, 404);
    }
  },
  callback: (shop, order) => signed(JSON.stringify({ data: transactionOf(shop, order) }), WEBHOOK_SECRET),
  forgedCallback: (shop, order) => signed(JSON.stringify({ data: transactionOf(shop, order) }), 'a guess'),
  ping: () =>
    signed(
      JSON.stringify({
        sed: 'x',
        hook_id: 'h-1',
        hook: { url: 'https://example.com', secret: WEBHOOK_SECRET, type: 'application/json', status: 1 },
      }),
      WEBHOOK_SECRET,
    ),
};

function transact(shop: Shop, body: Record<string, unknown>): SimulatorAnswer {
  const reference = String(body['ref_id']);
  const [sku, account] = [String(body['buyer_sku_code']), String(body['customer_no'])];
  const earlier = shop.byReference(reference);
  if (earlier && shop.clock.now().getTime() - earlier.takenAt.getTime() <= KNOWS_FOR_MS) {
    const isSame = earlier.sku === sku && earlier.account === account;
    return isSame ? json({ data: transactionOf(shop, earlier) }) : refuse('49', 'Ref ID tidak unik');
  }
  const price = shop.item(sku)?.price;
  if (price !== undefined && body['max_price'] !== undefined && Number(body['max_price']) < price)
    return refuse('69', 'Harga seller lebih besar dari ketentuan harga Buyer');
  const taken = shop.take({ reference, sku, account });
  if (typeof taken !== 'string') return json({ data: transactionOf(shop, taken) });
  // For these it forms a transaction, which the same request finds again.
  if (taken === 'wrong_player' || taken === 'too_fast')
    return json({ data: transactionOf(shop, shop.writeDown({ reference, sku, account }, taken)) }, 400);
  const { rc, message } = REFUSALS[taken];
  return json(
    { data: { ref_id: reference, customer_no: account, buyer_sku_code: sku, message, status: 'Gagal', rc, sn: '' } },
    400,
  );
}

function transactionOf(shop: Shop, order: ShopOrder): Record<string, unknown> {
  const base = {
    ref_id: order.reference,
    customer_no: order.account,
    buyer_sku_code: order.sku,
    buyer_last_saldo: Number(shop.balance),
    price: Number(order.price),
    tele: '@seller',
    wa: '081234512345',
  };
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { ...base, status: 'Sukses', rc: '00', message: 'Transaksi Sukses', sn: shop.serialOf(order) };
    case 'rejected': {
      const { rc, message } = order.fate.is === 'rejected' ? REFUSALS[order.fate.why] : { rc: '02', message: 'Transaksi Gagal' };
      return { ...base, status: 'Gagal', rc, message, sn: '' };
    }
    case 'reversed':
      return { ...base, status: 'Gagal', rc: '74', message: 'Transaksi Refund', sn: shop.serialOf(order) };
    case 'strange':
      return { ...base, status: 'Gagal', rc: '123', message: 'Kode baru', sn: '' };
    default:
      return { ...base, status: 'Pending', rc: '03', message: 'Transaksi Pending', sn: '' };
  }
}

/** The whole list at most once in five minutes; sooner, `data` is an object. */
function tellPrices(shop: Shop): SimulatorAnswer {
  const [now, last] = [shop.clock.now(), pricesToldAt.get(shop)];
  if (last && now.getTime() - last.getTime() < PRICE_LIST_EVERY_MS) return refuse('83', 'Limitasi pengecekan pricelist');
  pricesToldAt.set(shop, now);
  return json({ data: priceList(shop) });
}

function priceList(shop: Shop) {
  return shop.items.map(({ sku, name, price, available }) => ({
    product_name: name,
    category: 'Games',
    brand: 'MOBILE LEGENDS',
    type: 'Umum',
    seller_name: 'PT ABC',
    price: String(price),
    buyer_sku_code: sku,
    buyer_product_status: true,
    seller_product_status: available,
    unlimited_stock: true,
    stock: '0',
    multi: false,
    start_cut_off: '23:45',
    end_cut_off: '0:15',
    desc: '-',
  }));
}

function refuse(rc: string, message: string): SimulatorAnswer {
  return json({ data: { rc, message, status: 'Gagal' } }, 400);
}

function isSigned(body: Record<string, unknown>, what: string): boolean {
  const expected = createHash('md5').update(`${USERNAME}${API_KEY}${what}`).digest('hex');
  return body['username'] === USERNAME && body['sign'] === expected;
}

function signed(body: string, secret: string) {
  const signature = createHmac('sha1', secret).update(body).digest('hex');
  return {
    ...jsonCallback(null, { 'x-digiflazz-event': 'update', 'x-hub-signature': `sha1=${signature}` }),
    rawBody: Buffer.from(body),
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
