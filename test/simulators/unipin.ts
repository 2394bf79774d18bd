import { createHmac } from 'node:crypto';
import { type Dialect, json, type SimulatorAnswer, type SimulatorRequest } from './dialect.ts';
import type { Refusal, Shop, ShopOrder } from './shop.ts';

const PARTNER_ID = '11111111-2222-3333-4444-555555555555';
const SECRET_KEY = 'demosecretkey';
const KNOWN_PLAYER = { productCode: 'MLBB', userId: '12345678', zone: '2001' };
const UNKNOWN_USER = '99999999';
const STATUS = { MLBBD_ID: 'active', FFD_ID: 'inactive' };

type Body = Record<string, unknown>;

/** Its words are in no document: these are plain ones. */
const REFUSALS: Record<Refusal | 'unknown_item', string> = {
  out_of_stock: 'Out of stock',
  wrong_player: 'Invalid user',
  low_balance: 'Insufficient balance',
  // It has no words for these, and says something that could mean anything.
  too_fast: 'System is busy, please try again',
  same_player_again: 'Failed',
  unknown_item: 'Invalid denomination',
};

export const unipinDialect: Dialect = {
  kind: 'unipin',
  config: { partner_id: PARTNER_ID, secret_key: SECRET_KEY },
  wrongConfig: { partner_id: PARTNER_ID, secret_key: 'a guess' },
  items: [
    { sku: 'MLBBD_ID:324', name: '154 Diamonds', price: 58_696n, available: true },
    { sku: 'FFD_ID:11', name: '70 Diamonds', price: 10_000n, available: false },
  ],
  nameOf: (number) => `S${String(2_603_010_000_000 + number)}`,
  proofOf: (_shop, order) => order.id,
  isPreparation: ({ path }) => path.endsWith('/user/validate'),
  players: { known: KNOWN_PLAYER, nickname: 'NICK', unknown: { ...KNOWN_PLAYER, userId: UNKNOWN_USER } },
  plays: {
    refusals: ['out_of_stock', 'wrong_player', 'low_balance'],
    rejectsLater: false,
    deliversAtOnceOnly: true,
    partial: false,
    reversal: false,
  },
  answer(shop, request) {
    if (!isSigned(request)) return fail('Unauthorized', 401);
    const body = JSON.parse(request.body) as Body;
    switch (request.path) {
      case '/in-game-topup/list':
        return succeed({
          game_list: Object.entries(STATUS).map(([game_code, game_status]) => ({ game_code, game_name: game_code, game_status })),
        });
      case '/in-game-topup/detail':
        return succeed(gameOf(shop, String(body['game_code'])));
      case '/in-game-topup/user/validate':
        return validate(shop, body);
      case '/in-game-topup/order/create':
        return create(shop, body);
      case '/in-game-topup/order/inquiry': {
        const order = shop.byReference(String(body['reference_no']));
        if (order && shop.stateOf(order) === 'strange') return fail('Transaction is being processed');
        return order ? viewOf(shop, order) : fail('Transaction not found');
      }
      default:
        return fail('Not found', 404);
    }
  },
};

/** The token stands for the game and the player, as nobody else may know them. */
function validate(shop: Shop, { game_code, fields }: Body): SimulatorAnswer {
  const account = accountOf(fields);
  const fate = shop.fateOf({ reference: null, sku: String(game_code), account });
  const isWrong = fate.is === 'rejected' && fate.why === 'wrong_player';
  if (account.startsWith(UNKNOWN_USER) || isWrong) return fail(REFUSALS.wrong_player);
  return succeed({ validation_token: Buffer.from(JSON.stringify({ game_code, fields })).toString('base64'), username: 'NICK' });
}

function create(shop: Shop, { game_code, validation_token, reference_no, denomination_id }: Body): SimulatorAnswer {
  const bound = JSON.parse(Buffer.from(String(validation_token), 'base64').toString('utf8')) as Body;
  if (bound['game_code'] !== game_code) return fail('Invalid validation token');
  if (shop.byReference(String(reference_no))) return fail('Duplicate reference number');
  const sku = `${game_code}:${denomination_id}`;
  const taken = shop.take({ reference: String(reference_no), sku, account: accountOf(bound['fields']) });
  return typeof taken === 'string' ? fail(REFUSALS[taken]) : viewOf(shop, taken);
}

function accountOf(fields: unknown): string {
  return Object.values(fields as Record<string, string>).join('|');
}

/** There is no order under way: what was taken is delivered. */
function viewOf(shop: Shop, order: ShopOrder): SimulatorAnswer {
  if (shop.stateOf(order) === 'strange') return fail('Internal system error');
  return succeed({
    reference_no: order.reference,
    transaction_number: order.id,
    amount: `${order.price}.00`,
    currency: 'IDR',
    item_name: shop.item(order.sku)?.name,
  });
}

function gameOf(shop: Shop, code: string) {
  return {
    game: { name: code, code },
    denominations: shop.items
      .filter(({ sku }) => sku.startsWith(`${code}:`))
      .map(({ sku, name, price }) => ({ id: Number(sku.split(':')[1]), name, currency: 'IDR', amount: `${price}.00` })),
    fields: [{ name: 'userid', type: 'string' }],
  };
}

function isSigned({ path, headers }: SimulatorRequest): boolean {
  const message = `${headers['partnerid']}${headers['timestamp']}${headers['path']}`;
  const expected = createHmac('sha256', SECRET_KEY).update(message).digest('hex');
  return headers['partnerid'] === PARTNER_ID && headers['path'] === path.slice(1) && headers['auth'] === expected;
}

function succeed(data: Body): SimulatorAnswer {
  return json({ status: 1, reason: 'Successful', ...data });
}

function fail(reason: string, status = 200): SimulatorAnswer {
  return json({ status: 0, reason }, status);
}
