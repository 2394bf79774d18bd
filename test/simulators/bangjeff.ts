import { createHash, createHmac } from 'node:crypto';
import { type Dialect, json, jsonCallback, type SimulatorAnswer, type SimulatorRequest } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const API_KEY = '00000000-1111-2222-3333-444444444444';

type Body = Record<string, unknown>;

const REFUSALS: Record<Refusal | 'unknown_item', [rc: string, message: string]> = {
  out_of_stock: ['43', 'Out of stock'],
  wrong_player: ['65', 'Invalid ID'],
  low_balance: ['51', 'Insufficient Funds'],
  same_player_again: ['66', 'Purchase ID Limit'],
  unknown_item: ['02', "Couldn't find product variant with code X"],
  // It has no words for this one, and says something that could mean anything.
  too_fast: ['05', 'Internal Error'],
};

const STATES = {
  pending: 'PROCESSING',
  partial: 'PROCESSING',
  delivered: 'SUCCESS',
  rejected: 'REFUNDED',
  reversed: 'REFUNDED',
  strange: 'HOLD',
} as const;

export const bangjeffDialect: Dialect = {
  kind: 'bangjeff',
  config: { api_key: API_KEY },
  wrongConfig: { api_key: 'ffffffff-1111-2222-3333-444444444444' },
  items: [
    { sku: 'MLBB_ID_5', name: '5 (5+0) Diamonds', price: 1_423n, available: true },
    { sku: 'MLBB_ID_12', name: '12 (11+1) Diamonds', price: 3_400n, available: false },
    { sku: 'MOBILE-LEGENDS/STARLIGHT', name: 'Starlight', price: 140_000n, available: true },
  ],
  nameOf: (number) => `BJO-RAPI-EC488CBEEAF0F4138${String(number).padStart(5, '0')}`,
  // Only vouchers have something to show.
  proofOf: () => null,
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance', 'same_player_again'],
    rejectsLater: true,
    partial: false,
    reversal: true,
  },
  answer(shop, request) {
    if (!isSigned(request)) return json({ rc: '01', message: 'Unauthorized' }, 403);
    const body = JSON.parse(request.body) as Body;
    switch (request.path) {
      case '/api/v4/checkout':
        return checkout(shop, body);
      case '/api/v4/order/reference-number': {
        // The document has one field in it, and it is strict elsewhere.
        if (Object.keys(body).join() !== 'referenceNumber') return refuse('02', 'Bad Request');
        const order = shop.byReference(String(body['referenceNumber']));
        return order ? succeed(viewOf(shop, order)) : refuse('04', 'Not Found', 404);
      }
      case '/api/v4/balance':
        return succeed({ balance: money(shop.balance) });
      case '/api/v4/variant':
        return listVariants(shop, String(body['productCode']));
      default:
        return refuse('04', 'Not Found', 404);
    }
  },
  callback: (shop, order) => jsonCallback(viewOf(shop, order)),
  ping: () => jsonCallback({ test: true }),
};

function checkout(shop: Shop, body: Body): SimulatorAnswer {
  const reference = String(body['referenceNumber']);
  const earlier = shop.byReference(reference);
  if (earlier) return refuse('02', `This reference number already exists with Invoice Number ${earlier.id}`);
  const code = String(body['variantCode']);
  const sku = shop.items.find((item) => item.sku.split('/').at(-1) === code)?.sku ?? code;
  const price = shop.item(sku)?.price;
  if (price !== undefined && BigInt((body['price'] as { value: number }).value) !== price)
    return refuse('02', 'The price does not match');
  const account = (body['inputs'] as { value: string }[]).map(({ value }) => value).join('|');
  const taken = shop.take({ reference, sku, account });
  return typeof taken === 'string' ? refuse(...REFUSALS[taken]) : succeed(viewOf(shop, taken));
}

function viewOf(shop: Shop, order: ShopOrder) {
  return {
    invoiceNumber: order.id,
    referenceNumber: order.reference,
    productName: 'Mobile Legends',
    variantName: shop.item(order.sku)?.name,
    qty: 1,
    amount: money(order.price),
    totalAmount: money(order.price),
    voucher: '',
    statusCode: STATES[shop.stateOf(order)],
    statusDesc: 'Transaksi',
  };
}

function listVariants(shop: Shop, productCode: string): SimulatorAnswer {
  const productOf = (sku: string) => (sku.includes('/') ? sku.split('/')[0] : sku.split('_')[0]);
  const items = shop.items.filter(({ sku }) => productOf(sku) === productCode);
  if (items.length === 0) return refuse('04', 'Not Found', 404);
  return succeed(
    items.map(({ sku, name, price, available }) => ({
      code: sku.split('/').at(-1),
      name,
      status: available ? 'ACTIVE' : 'INACTIVE',
      price: money(price),
      duration: 0,
    })),
  );
}

function isSigned({ path, headers, body }: SimulatorRequest): boolean {
  const hash = createHash('md5').update(body).digest('hex');
  const message = `POST:${path.slice(1)}:${hash}:${headers['x-request-time']}`;
  const expected = createHmac('sha256', API_KEY).update(message).digest('hex');
  return headers['x-client-id'] === API_KEY && headers['x-signature'] === expected;
}

function money(amount: bigint) {
  return { currency: 'IDR', value: Number(amount) };
}

function succeed(data: unknown): SimulatorAnswer {
  return json({ rc: '00', message: 'Success', data });
}

function refuse(rc: string, message: string, status = 400): SimulatorAnswer {
  return json({ rc, message, data: null }, status);
}
