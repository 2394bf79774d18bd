import { type Dialect, json, jsonCallback, md5Of, readObject, type SimulatorAnswer } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const USERNAME = '081200000001';
const API_KEY = 'abcdef0123456789';

const REFUSALS: Record<Refusal | 'unknown_item', { rc: string; message: string }> = {
  out_of_stock: { rc: '106', message: 'PRODUCT IS TEMPORARILY OUT OF SERVICE' },
  wrong_player: { rc: '14', message: 'INCORRECT DESTINATION NUMBER' },
  low_balance: { rc: '17', message: 'INSUFFICIENT DEPOSIT' },
  too_fast: { rc: '110', message: 'SYSTEM UNDER MAINTENANCE' },
  same_player_again: { rc: '202', message: 'MAXIMUM 1 NUMBER 1 TIME IN 1 DAY' },
  unknown_item: { rc: '20', message: 'CODE NOT FOUND' },
};

export const iakDialect: Dialect = {
  kind: 'iak',
  config: { username: USERNAME, api_key: API_KEY },
  wrongConfig: { username: USERNAME, api_key: 'ffffff0123456789' },
  items: [
    { sku: 'hmobilelegend86', name: 'Mobile Legend 86 Diamonds', price: 19_000n, available: true },
    { sku: 'hmobilelegend5', name: 'Mobile Legend 5 Diamonds', price: 1_400n, available: false },
  ],
  nameOf: (number) => String(3_481 + number),
  players: {
    known: { productCode: 'MLBB', userId: '156378300', zone: '8483' },
    nickname: 'budi',
    unknown: { productCode: 'MLBB', userId: '1', zone: '1' },
  },
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance', 'same_player_again'],
    rejectsLater: true,
    partial: false,
    reversal: false,
  },
  answer(shop, request) {
    const body = readObject(request.body);
    if (request.method !== 'POST') return refuse('117', 'PAGE NOT FOUND');
    const route = ROUTES[request.path];
    if (!route) return refuse('117', 'PAGE NOT FOUND');
    const isSigned = body['username'] === USERNAME && body['sign'] === md5Of(USERNAME, API_KEY, route.signed(body));
    return isSigned ? route.answer(shop, body) : refuse('204', 'WRONG AUTHENTICATION');
  },
  callback: (shop, order) => callbackWith(shop, order, md5Of(USERNAME, API_KEY, order.reference ?? '')),
  forgedCallback: (shop, order) => callbackWith(shop, order, md5Of(USERNAME, 'a guess', order.reference ?? '')),
};

type Body = Record<string, unknown>;

const ROUTES: Record<string, { signed: (body: Body) => string; answer: (shop: Shop, body: Body) => SimulatorAnswer }> = {
  '/api/top-up': { signed: (body) => String(body['ref_id']), answer: topUp },
  '/api/check-status': {
    signed: (body) => String(body['ref_id']),
    answer(shop, body) {
      const order = shop.byReference(String(body['ref_id']));
      return order ? json({ data: transactionOf(shop, order) }) : refuse('06', 'TRANSACTION NOT FOUND');
    },
  },
  '/api/check-balance': {
    signed: () => 'bl',
    answer: (shop) => json({ data: { balance: Number(shop.balance), message: 'SUCCESS', rc: '00' } }),
  },
  '/api/pricelist': { signed: () => 'pl', answer: (shop) => json({ data: { pricelist: priceList(shop) } }) },
  '/api/inquiry-game': { signed: (body) => String(body['game_code']), answer: (_shop, body) => inquire(body) },
};

/** The first answer is always "in process", however fast the delivery is; a known reference is answered like a question. */
function topUp(shop: Shop, body: Body): SimulatorAnswer {
  const reference = String(body['ref_id']);
  const earlier = shop.byReference(reference);
  if (earlier) return json({ data: transactionOf(shop, earlier) });
  const [sku, account] = [String(body['product_code']), String(body['customer_id'])];
  const taken = shop.take({ reference, sku, account });
  if (typeof taken !== 'string') return json({ data: { ...baseOf(shop, taken), status: 0, message: 'PROCESS', rc: '39' } });
  return json({ data: { ref_id: reference, status: 2, product_code: sku, customer_id: account, ...REFUSALS[taken] } });
}

function baseOf(shop: Shop, order: ShopOrder): Body {
  return {
    ref_id: order.reference,
    product_code: order.sku,
    customer_id: order.account,
    price: Number(order.price),
    balance: Number(shop.balance),
    tr_id: Number(order.id),
  };
}

function transactionOf(shop: Shop, order: ShopOrder): Body {
  const base = baseOf(shop, order);
  switch (shop.stateOf(order)) {
    case 'delivered':
      return { ...base, status: 1, message: 'SUCCESS', sn: shop.serialOf(order), rc: '00' };
    case 'rejected':
      return {
        ...base,
        status: 2,
        ...(order.fate.is === 'rejected' ? REFUSALS[order.fate.why] : { rc: '07', message: 'FAILED' }),
      };
    case 'strange':
      return { ...base, status: 2, message: 'SOMETHING NEW', rc: '999' };
    default:
      return { ...base, status: 0, message: 'PROCESS', rc: '39' };
  }
}

function inquire(body: Body): SimulatorAnswer {
  if (body['game_code'] !== '103') return refuse('20', 'CODE NOT FOUND');
  if (body['customer_id'] === '1|1') return refuse('14', 'INCORRECT DESTINATION NUMBER');
  return json({ data: { username: 'budi', status: 1, message: 'SUCCESS', rc: '00' } });
}

function priceList(shop: Shop): Body[] {
  return shop.items.map(({ sku, price, available }) => ({
    product_code: sku,
    product_description: 'Mobile Legend',
    product_details: '-',
    product_nominal: sku.replace('hmobilelegend', ''),
    product_price: Number(price),
    product_type: 'game',
    active_period: '0',
    status: available ? 'active' : 'non active',
    icon_url: '-',
    product_category: 'game',
  }));
}

/** All that is a number in answers is text in callbacks. */
function callbackWith(shop: Shop, order: ShopOrder, sign: string) {
  const data = Object.fromEntries(Object.entries(transactionOf(shop, order)).map(([name, value]) => [name, String(value)]));
  return jsonCallback({ data: { ...data, sign } });
}

function refuse(rc: string, message: string): SimulatorAnswer {
  return json({ data: { status: 2, message, rc } });
}
