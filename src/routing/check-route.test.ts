import { expect, test } from 'vitest';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { moogoldKind } from '../suppliers/moogold/index.ts';
import { unipinKind } from '../suppliers/unipin/index.ts';
import { vipResellerKind } from '../suppliers/vip-reseller/index.ts';
import { checkRoute } from './check-route.ts';
import type { Route } from './route.ts';

const ROUTE: Route = { supplierCode: 'main', sku: 'ML86', cost: 1n, accountTemplate: null, oncePerDay: false, cutOff: null };

function check(kind: typeof digiflazzKind, route: Partial<Route>, { needsZone = true, standard = kind.accountTemplate } = {}) {
  return checkRoute({ ...ROUTE, ...route }, { kind, standardTemplate: standard, needsZone });
}

test.each([
  ['as the kind has it', digiflazzKind, {}],
  ['in parts, where the kind takes these', vipResellerKind, {}],
  ['with a separator', digiflazzKind, { accountTemplate: '{user_id}|{zone}' }],
  ['as named fields', moogoldKind, { sku: '15145:215570', accountTemplate: 'User ID={user_id}&Server={zone}' }],
  ['for a voucher', moogoldKind, { sku: '15145:215570:voucher' }],
])('a route is taken that writes the player %s', (_how, kind, route) => {
  expect(check(kind, route)).toBeNull();
});

test.each([
  ['the zone alone', digiflazzKind, { accountTemplate: '{zone}' }, 'must contain {user_id}'],
  ['no zone, though its players have one', digiflazzKind, { accountTemplate: '{user_id}' }, 'without {zone}'],
  ['something that is neither', digiflazzKind, { accountTemplate: '{user_id}{server}' }, 'no other placeholders'],
  ['a text where names are wanted', moogoldKind, { sku: '1:2', accountTemplate: '{user_id}{zone}' }, 'named fields'],
  ['an item whose other half was read as the cost', moogoldKind, { sku: '15145' }, '<product_id>:<variation_id>'],
  ['the same at another supplier', unipinKind, { sku: 'MLBBD_ID' }, '<game_code>:<denomination_id>'],
])('a route with %s is refused', (_fault, kind, route, message) => {
  expect(check(kind, route)?.message).toContain(message);
});

test("the supplier's own setting counts where the route says nothing, and a zone only where players need one", () => {
  expect(check(digiflazzKind, {}, { standard: '{user_id}' })?.field).toBe('account_template');
  expect(check(digiflazzKind, {}, { standard: '{user_id}', needsZone: false })).toBeNull();
});
