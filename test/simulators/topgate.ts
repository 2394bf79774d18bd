import { createHmac } from 'node:crypto';
import { type Dialect, json, jsonCallback, type SimulatorAnswer, type SimulatorRequest } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const ACCESS_TOKEN = 'tg_live_4mXr0b7TqVwYz2Nc8Kd5Hs3J';
const SIGNING_SECRET = 'tgs_example_4f1c2a9b7d';
const WEBHOOK_SECRET = 'whsec_dG9wZ2F0ZSBleGFtcGxlIHdlYmhvb2sgc2VjcmV0IDE=';
const UNKNOWN_USER = '99990004';
const KNOWN_PLAYER = { productCode: 'MLBB', userId: '12345678', zone: '2001' };

/** How it says no: with an error where nothing was created, or as the reason of an order that failed. */
const REFUSALS: Record<Refusal | 'unknown_item', { status: number; code: string; failure: string }> = {
  out_of_stock: { status: 422, code: 'service_unavailable', failure: 'out_of_stock' },
  wrong_player: { status: 422, code: 'player_not_found', failure: 'player_rejected' },
  low_balance: { status: 402, code: 'insufficient_balance', failure: 'temporarily_unavailable' },
  too_fast: { status: 429, code: 'rate_limited', failure: 'temporarily_unavailable' },
  same_player_again: { status: 422, code: 'service_unavailable', failure: 'limit_reached' },
  unknown_item: { status: 404, code: 'service_not_found', failure: 'not_deliverable' },
};

export const topgateDialect: Dialect = {
  kind: 'topgate',
  config: { access_token: ACCESS_TOKEN, signing_secret: SIGNING_SECRET, webhook_secret: WEBHOOK_SECRET },
  wrongConfig: { access_token: 'tg_live_nobody', signing_secret: SIGNING_SECRET, webhook_secret: WEBHOOK_SECRET },
  items: [
    { sku: 'MLBB-85', name: '85 Diamonds (77+8)', price: 22_500n, available: true },
    { sku: 'MLBB-5', name: '5 Diamonds', price: 1_400n, available: false },
  ],
  nameOf: (number) => `TG01KJJW838RE3XBQJVHT${String(number).padStart(7, '0')}`,
  players: { known: KNOWN_PLAYER, nickname: 'Kesatria', unknown: { ...KNOWN_PLAYER, userId: UNKNOWN_USER } },
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance', 'too_fast'],
    rejectsLater: true,
    partial: false,
    reversal: true,
  },
  answer(shop, request) {
    if (request.headers['authorization'] !== `Bearer ${ACCESS_TOKEN}`) return refuse(401, 'unauthenticated');
    const path = `${request.method} ${request.path}`;
    if (path.startsWith('GET /api/nickname/')) return lookUp(request);
    switch (path) {
      case 'POST /api/order':
        return place(shop, request);
      case 'GET /api/order/status': {
        const order = shop.byReference(request.query.get('ref_id') ?? '');
        return order ? succeed(viewOf(shop, order)) : refuse(404, 'order_not_found');
      }
      case 'GET /api/account':
        return succeed({
          name: 'Downstream',
          username: 'downstream',
          balance: Number(shop.balance),
          currency: 'IDR',
          mode: 'live',
        });
      case 'GET /api/service':
        return succeed(shop.items.map(serviceOf));
      default:
        return refuse(404, 'route_not_found');
    }
  },
  callback: (shop, order) => webhook(shop, EVENT_OF[shop.stateOf(order)] ?? 'order.success', viewOf(shop, order), WEBHOOK_SECRET),
  forgedCallback: (shop, order) => webhook(shop, 'order.success', viewOf(shop, order), 'whsec_YSBndWVzcw=='),
};

const EVENT_OF: Record<string, string> = { delivered: 'order.success', rejected: 'order.failed', reversed: 'order.refunded' };

/** The checks have the order that the interface promises. */
function place(shop: Shop, request: SimulatorRequest): SimulatorAnswer {
  const { service_code, ref_id, account_identifier, max_price, signature } = JSON.parse(request.body);
  const { user_id, zone } = account_identifier;
  const values = [service_code, ref_id, user_id, zone, ...(max_price === undefined ? [] : [max_price])];
  if (signature !== createHmac('sha256', SIGNING_SECRET).update(values.join('\n')).digest('hex'))
    return refuse(401, 'invalid_signature');
  const account = zone === '' ? user_id : `${user_id}|${zone}`;
  const earlier = shop.byReference(ref_id);
  if (earlier) {
    const isSame = earlier.sku === service_code && earlier.account === account;
    return isSame ? succeed(viewOf(shop, earlier)) : refuse(409, 'ref_id_conflict');
  }
  const price = shop.item(service_code)?.price;
  if (price !== undefined && max_price !== undefined && price > max_price) return refuse(409, 'price_changed');
  const taken = shop.take({ reference: ref_id, sku: service_code, account });
  return typeof taken === 'string' ? refuse(REFUSALS[taken].status, REFUSALS[taken].code) : succeed(viewOf(shop, taken));
}

function viewOf(shop: Shop, order: ShopOrder): Record<string, unknown> {
  const [user_id, zone = ''] = order.account.split('|');
  const view = {
    ref_id: order.reference,
    order_id: order.id,
    service_code: order.sku,
    service_name: shop.item(order.sku)?.name,
    account_identifier: { user_id, zone, nickname: 'Kesatria' },
    price: Number(order.price),
    product_code: 'MLBB',
    currency: 'IDR',
    mode: 'live',
    serial_number: null,
    failure: null,
  };
  const because = (code: string) => ({ code, message: 'Your balance was refunded.', fixable_by_player: false });
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { ...view, status: 'Success', serial_number: shop.serialOf(order) };
    case 'rejected': {
      const code = order.fate.is === 'rejected' ? REFUSALS[order.fate.why].failure : 'not_deliverable';
      return { ...view, status: 'Failed', failure: because(code) };
    }
    case 'reversed':
      return { ...view, status: 'Refunded', serial_number: shop.serialOf(order), failure: because('reversed') };
    case 'strange':
      return { ...view, status: 'Paused' };
    default:
      return { ...view, status: 'Process' };
  }
}

function lookUp({ path, query }: SimulatorRequest): SimulatorAnswer {
  const game = decodeURIComponent(path.slice('/api/nickname/'.length));
  if (game !== KNOWN_PLAYER.productCode) return refuse(404, 'product_not_found');
  const [user_id, zone] = [query.get('user_id'), query.get('zone')];
  if (user_id === UNKNOWN_USER) return refuse(404, 'player_not_found');
  return succeed({ product_code: game, user_id, zone, nickname: 'Kesatria' });
}

function serviceOf({ sku, name, price, available }: Shop['items'][number]) {
  const status = available ? 'Available' : 'Unavailable';
  return { service_code: sku, service_name: name, product_code: 'MLBB', price: Number(price), status };
}

function webhook(shop: Shop, type: string, data: unknown, secret: string) {
  const timestamp = String(Math.floor(shop.clock.now().getTime() / 1_000));
  const body = JSON.stringify({ type, timestamp: '2026-03-01T09:40:15+07:00', sequence: 7, data });
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { ...jsonCallback(null, headers), rawBody: Buffer.from(body) };
}

function succeed(data: unknown): SimulatorAnswer {
  return json({ status: 200, success: true, message: 'OK', data });
}

function refuse(status: number, code: string): SimulatorAnswer {
  const error = { code, retryable: false };
  return json({ status, success: false, message: code, data: null, error, request_id: 'r-1' }, status);
}
