import { type Dialect, json, jsonCallback, md5Of, readObject, type SimulatorAnswer } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const MEMBER_CODE = 'MEM20260101DEMO';
const SECRET = 's3cr3t';

/** Reasons beside `gagal`; only the wrong number is documented. */
const REASONS: Record<Refusal, string> = {
  out_of_stock: 'Stok Kosong',
  wrong_player: 'Nomor Tujuan Salah',
  low_balance: 'Saldo Tidak Cukup',
  too_fast: 'Terlalu Cepat',
  same_player_again: 'Sudah Pernah',
};

export const tokovoucherDialect: Dialect = {
  kind: 'tokovoucher',
  config: { member_code: MEMBER_CODE, secret: SECRET },
  wrongConfig: { member_code: MEMBER_CODE, secret: 'another' },
  items: [
    { sku: 'ml86', name: 'Mobile Legends 86 Diamonds', price: 19_600n, available: true },
    { sku: 'ml5', name: 'Mobile Legends 5 Diamonds', price: 1_600n, available: false },
  ],
  nameOf: (number) => `T260301SIM${String(number).padStart(6, '0')}`,
  plays: { refusals: ['out_of_stock', 'wrong_player'], rejectsLater: true, partial: false, reversal: false },
  answer(shop, { method, path, query, body }) {
    const fields = method === 'GET' ? Object.fromEntries(query) : readObject(body);
    const reference = String(fields['ref_id']);
    const isOrder = path.startsWith('/v1/transaksi');
    if (fields['member_code'] !== MEMBER_CODE) return refuse('Member tidak ditemukan !!');
    if (fields['signature'] !== (isOrder ? signatureOf(reference) : md5Of(`${MEMBER_CODE}:${SECRET}`)))
      return refuse('Signature Invalid');
    switch (path) {
      case '/v1/transaksi':
        return buy(shop, reference, fields);
      case '/v1/transaksi/status': {
        const order = shop.byReference(reference);
        return order ? json(transactionOf(shop, order)) : refuse('Transaksi Tidak Ditemukan');
      }
      case '/member': {
        const data = { saldo: Number(shop.balance), nama: 'Demo', member_code: MEMBER_CODE };
        return json({ status: 1, rc: 200, message: 'Detail member', data, ts: 1_767_225_600 });
      }
      case '/member/produk/full':
        return json({ status: 1, rc: 200, message: 'Success', data: catalogue(shop) });
      default:
        return refuse('Not Found');
    }
  },
  callback: (shop, order) => callbackWith(shop, order, signatureOf(order.reference ?? '')),
  forgedCallback: (shop, order) => callbackWith(shop, order, signatureOf('another order')),
};

/** What it does with a known reference is not documented; here it buys again, which is the worst that it could do. */
function buy(shop: Shop, reference: string, fields: Record<string, unknown>): SimulatorAnswer {
  const [sku, account] = [String(fields['produk']), `${fields['tujuan']}${fields['server_id']}`];
  const taken = shop.take({ reference, sku, account });
  if (typeof taken !== 'string') return json(transactionOf(shop, taken));
  if (taken === 'unknown_item') return json({ status: 0, rc: 500, error_msg: 'Kode Produk Tidak Ditemukan' });
  if (taken === 'low_balance') return refuse(REASONS.low_balance);
  const trx = { status: 'gagal', sn: REASONS[taken], ref_id: reference, trx_id: 'T260301SIM000000', produk: sku };
  return json({ ...trx, message: 'GAGAL', sisa_saldo: Number(shop.balance), price: 0 });
}

function transactionOf(shop: Shop, order: ShopOrder): Record<string, unknown> {
  const { status, sn } = stateOf(shop, order);
  const balance = Number(shop.balance);
  return {
    status,
    message: `TRXID:${order.id}. REFID:${order.reference}. ${status.toUpperCase()}. HRG:${order.price}. SALDO:${balance}.`,
    sn,
    ref_id: order.reference,
    trx_id: order.id,
    produk: order.sku,
    sisa_saldo: balance,
    price: Number(order.price),
  };
}

function stateOf(shop: Shop, order: ShopOrder): { status: string; sn: string } {
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { status: 'sukses', sn: shop.serialOf(order) };
    case 'rejected':
      return { status: 'gagal', sn: order.fate.is === 'rejected' ? REASONS[order.fate.why] : '' };
    case 'strange':
      return { status: 'refund', sn: '' };
    default:
      return { status: 'pending', sn: '' };
  }
}

function catalogue(shop: Shop) {
  return {
    category: [{ id: 1, nama: 'Games' }],
    operator: [{ id: 7, nama: 'Mobile Legends', category_id: 1, logo: '-', status: 1 }],
    jenis: [{ id: 9, nama: 'Diamonds', format_form: '[{"name":"tujuan"}]', operator_id: 7, helper_html: '', status: 1 }],
    produk: shop.items.map(({ sku, name, price, available }, index) => ({
      id: index + 1,
      kode_produk: sku,
      nama: name.replace('Mobile Legends ', ''),
      deskripsi: '-',
      price: Number(price),
      status: available ? 1 : 0,
      kategori_id: 1,
      operator_id: 7,
      jenis_id: 9,
      price_gold: Number(price) - 10,
      price_vip: Number(price) - 20,
      price_vvip: Number(price) - 30,
    })),
  };
}

function callbackWith(shop: Shop, order: ShopOrder, signature: string) {
  return jsonCallback(transactionOf(shop, order), { 'x-tokovoucher-authorization': signature });
}

function signatureOf(reference: string): string {
  return md5Of(`${MEMBER_CODE}:${SECRET}:${reference}`);
}

function refuse(message: string): SimulatorAnswer {
  return json({ status: 0, error_msg: message });
}
