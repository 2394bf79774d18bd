import { createHmac } from 'node:crypto';
import { type Dialect, json, jsonCallback, type SimulatorAnswer, type SimulatorRequest } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const PARTNER_ID = 'demo-partner';
const SECRET_KEY = 'demosecret';
/** Units of our currency for one of its dollars. */
const RATE = 16_000;
const PRODUCT_ID = '15145';
const UNKNOWN_USER = '99999999';
const KNOWN_PLAYER = { productCode: 'MLBB', userId: '12345678', zone: '2001' };

type Body = { path?: string; partnerOrderId?: string; data?: Record<string, string>; [field: string]: unknown };

const REFUSALS: Record<Refusal | 'unknown_item', [code: string, message: string]> = {
  out_of_stock: ['114', 'Product Out of Stock'],
  low_balance: ['111', 'Insufficient Balance'],
  unknown_item: ['422', 'Product ID is incorrect or not authorized for your account'],
  // It has no words for these, and says something that could mean anything.
  wrong_player: ['110', 'Error occurred, please try again'],
  too_fast: ['110', 'Error occurred, please try again'],
  same_player_again: ['110', 'Error occurred, please try again'],
};

/** Orders with a wrong account stay "incorrect-details" until support has refunded them: neither yes nor no. */
const STATES = {
  pending: 'processing',
  delivered: 'completed',
  rejected: 'refunded',
  reversed: 'refunded',
  partial: 'incorrect-details',
  strange: 'on-hold',
} as const;

export const moogoldDialect: Dialect = {
  kind: 'moogold',
  config: {
    partner_id: PARTNER_ID,
    secret_key: SECRET_KEY,
    exchange_rate: String(RATE),
    lookup_games: `MLBB=${PRODUCT_ID}`,
  },
  wrongConfig: { partner_id: PARTNER_ID, secret_key: 'a guess', exchange_rate: String(RATE) },
  items: [
    { sku: `${PRODUCT_ID}:215570`, name: 'Mobile Legends 86 Diamonds', price: 20_160n, available: true },
    { sku: `${PRODUCT_ID}:215571`, name: 'Mobile Legends 5 Diamonds', price: 1_440n, available: false },
  ],
  nameOf: (number) => String(952_271 + number),
  // Only vouchers have something to show.
  proofOf: () => null,
  players: { known: KNOWN_PLAYER, nickname: 'NICK', unknown: { ...KNOWN_PLAYER, userId: UNKNOWN_USER } },
  plays: { refusals: ['out_of_stock', 'low_balance'], rejectsLater: true, partial: true, reversal: true },
  answer(shop, request) {
    const body = JSON.parse(request.body) as Body;
    if (request.path !== `/${body.path}`) return refuse('418', 'API path incorrect');
    if (!isSigned(request, body)) return refuse('109', 'Invalid Signature');
    switch (body.path) {
      case 'order/create_order':
        return create(shop, body);
      case 'order/order_detail_partner_id': {
        const order = shop.byReference(String(body['partner_order_id']));
        return order ? json(detailOf(shop, order)) : refuse('421', 'Partner Order ID not found');
      }
      case 'user/balance':
        return json({ currency: 'USD', balance: toDollars(shop.balance) });
      case 'product/product_detail':
        return body['product_id'] === PRODUCT_ID ? json(productOf(shop)) : refuse('422', 'Product ID is incorrect');
      case 'product/validate':
        return body.data?.['User ID'] === UNKNOWN_USER
          ? json({ status: 'false', message: 'Invalid account.' })
          : json({ status: 'true', message: 'Account has been validated.', username: 'NICK' });
      default:
        return json({ code: 'rest_no_route', message: 'No route was found', data: { status: 404 } }, 404);
    }
  },
  callback: (shop, order) =>
    jsonCallback({
      status: STATES[shop.stateOf(order)],
      message: 'Order has been changed',
      account_details: { 'User ID': order.account },
      order_id: Number(order.id),
      total: toDollars(order.price),
    }),
};

function create(shop: Shop, { data, partnerOrderId }: Body): SimulatorAnswer {
  if (partnerOrderId !== undefined && shop.byReference(partnerOrderId)) return refuse('420', 'Duplicate Partner Order ID');
  if (data?.['category'] === undefined) return refuse('423', 'Category ID is missing');
  const { category: _category, 'product-id': variation, quantity: _quantity, ...player } = data;
  const account = Object.values(player).join('|');
  const taken = shop.take({ reference: partnerOrderId ?? null, sku: `${PRODUCT_ID}:${variation}`, account });
  if (typeof taken === 'string') return refuse(...REFUSALS[taken]);
  const account_details = { player_id: data['User ID'], server_id: data['Server'], order_id: taken.id };
  return json({ status: true, message: 'Order has been created successfully', account_details });
}

function detailOf(shop: Shop, order: ShopOrder) {
  return {
    order_id: order.id,
    partner_order_id: order.reference,
    date_created: { date: '2026-03-01 10:40:15.000000', timezone_type: 3, timezone: 'Asia/Kuala_Lumpur' },
    order_status: STATES[shop.stateOf(order)],
    item: [{ product: 'Mobile Legends', variation_id: order.sku.split(':')[1], quantity: '1', voucher_code: [] }],
    total: toDollars(order.price),
  };
}

function productOf(shop: Shop) {
  return {
    Product_Name: 'Mobile Legends',
    Variation: shop.items.map(({ sku, name, price, available }) => ({
      variation_name: name,
      variation_id: sku.split(':')[1],
      variation_price: Number(toDollars(price)),
      stock_status: available ? 'instock' : 'outofstock',
    })),
    fields: [{ name: 'User ID', type: 'string' }],
  };
}

function isSigned({ headers, body }: SimulatorRequest, { path }: Body): boolean {
  const message = `${body}${headers['timestamp']}${path}`;
  const basic = Buffer.from(`${PARTNER_ID}:${SECRET_KEY}`).toString('base64');
  return (
    headers['authorization'] === `Basic ${basic}` &&
    headers['auth'] === createHmac('sha256', SECRET_KEY).update(message).digest('hex')
  );
}

function toDollars(amount: bigint): string {
  return (Number(amount) / RATE).toFixed(2);
}

function refuse(err_code: string, err_message: string): SimulatorAnswer {
  return json({ err_code, err_message }, 403);
}
