import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { type Dialect, json, jsonCallback, type SimulatorAnswer } from '../simulators/dialect.ts';
import type { Shop, ShopOrder } from '../simulators/shop.ts';
import type { Traits } from './traits.ts';

/** What proves that a message is the supplier's. */
export const WORLD_PROOF = 'a shared secret';

const WORLD_ITEMS = ['small', 'large'].map((sku, index) => ({
  sku,
  name: `A ${sku} pack`,
  price: index === 0 ? 9_000n : 80_000n,
  available: true,
}));

/** What repeated requests may be told whatever became of the purchase: our address is not known, or we come too fast. */
export const TURNED_AWAY = [json({ state: 'address' }, 403), json({ state: 'refused', why: 'too_fast' })];

/** The language of the invented suppliers: plain JSON, with the habits that its traits say. */
export function worldDialect(traits: Traits): Dialect {
  return {
    kind: traits.kind,
    config: {},
    wrongConfig: {},
    items: WORLD_ITEMS,
    plays: {
      refusals: traits.refusals,
      rejectsLater: traits.rejectsLater,
      deliversAtOnceOnly: traits.atOnceOnly,
      partial: traits.partial,
      reversal: traits.reversesWithinMs !== null,
    },
    callback: (shop, order) => jsonCallback(noteOf(traits, shop, order)),
    forgedCallback: (shop, order) => jsonCallback({ ...noteOf(traits, shop, order), proof: 'a guess' }),
    answer(shop, request) {
      const body = JSON.parse(request.body) as Record<string, string>;
      if (request.path === '/balance') return json({ balance: String(shop.balance) });
      return request.path === '/buy' || traits.asked === 'by buying' ? buy(traits, shop, body) : tell(traits, shop, body);
    },
  };
}

function buy(traits: Traits, shop: Shop, body: Record<string, string>): SimulatorAnswer {
  const reference = traits.asked === 'by its own name' ? null : String(body['reference']);
  const earlier = reference === null ? undefined : shop.byReference(reference);
  if (earlier && traits.duplicates === 'answers again') return json(stateOf(traits, shop, earlier));
  if (earlier && traits.duplicates === 'refuses') return json({ state: 'duplicate' }, 400);
  const sku = String(body['sku']);
  const price = shop.item(sku)?.price ?? 0n;
  if (price > BigInt(body['most'] ?? 0)) return json({ state: 'refused', why: 'price', price: String(price) });
  const taken = shop.take({ reference, sku, account: String(body['account']) });
  if (typeof taken === 'string') return json({ state: 'refused', why: taken });
  return json(stateOf(traits, shop, taken));
}

function tell(traits: Traits, shop: Shop, body: Record<string, string>): SimulatorAnswer {
  const order = traits.asked === 'by its own name' ? shop.byId(String(body['id'])) : shop.byReference(String(body['reference']));
  const agoMs = order ? shop.clock.now().getTime() - order.takenAt.getTime() : 0;
  if (!order || agoMs < traits.knowsAfterMs) return json({ state: 'not_found' });
  return json(stateOf(traits, shop, order));
}

/** What it writes when an order has changed. */
function noteOf(traits: Traits, shop: Shop, order: ShopOrder) {
  return { ...stateOf(traits, shop, order), reference: order.reference, proof: WORLD_PROOF };
}

function stateOf({ reversesWithinMs }: Traits, shop: Shop, order: ShopOrder) {
  const state = shop.stateOf(order);
  const base = { state, id: order.id, charged: String(order.price) };
  if (state === 'delivered') {
    const deliveredAtMs = order.takenAt.getTime() + (order.fate.is === 'delivered' ? order.fate.afterMs : 0);
    const leftMs = (reversesWithinMs ?? 0) - (shop.clock.now().getTime() - deliveredAtMs);
    return { ...base, serial: shop.serialOf(order), ...(leftMs > 0 && { may_reverse_ms: leftMs + SECOND_MS }) };
  }
  if (state === 'rejected' && order.fate.is === 'rejected') return { ...base, why: order.fate.why };
  return state === 'pending' ? { ...base, look_again_ms: order.number % 3 === 0 ? MINUTE_MS : undefined } : base;
}
