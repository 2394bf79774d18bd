import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { answering, examplePurchase } from '../../test/support/supplier-call.ts';
import { checkTemplate, fillTemplate, readNamedFields, readPlayerFields } from './account-template.ts';
import { bangjeffKind } from './bangjeff/index.ts';
import { digiflazzKind } from './digiflazz/index.ts';
import { moogoldKind } from './moogold/index.ts';
import { topgateKind } from './topgate/index.ts';
import { unipinKind } from './unipin/index.ts';
import { vipResellerKind } from './vip-reseller/index.ts';

const PLAYER = { userId: '12345678', zone: '2001' };

test.each([
  ['{user_id}{zone}', '123456782001'],
  ['{user_id}|{zone}', '12345678|2001'],
  ['{user_id}({zone})', '12345678(2001)'],
  ['User ID={user_id}&Server={zone}', 'User ID=12345678&Server=2001'],
])('%s is filled', (template, filled) => {
  expect(fillTemplate(template, PLAYER)).toBe(filled);
});

test('named fields bring every value through, whatever a player writes', () => {
  const odd = { userId: 'Késar#ID1 & {zone}=%', zone: '' };
  const filled = fillTemplate('User ID={user_id}&Server={zone}', odd);
  expect(readNamedFields(filled)).toEqual({ 'User ID': odd.userId });
});

test('an account without named fields is none where the supplier takes nothing else', () => {
  expect(readPlayerFields('12345678|2001')).toBeNull();
  expect(readPlayerFields('User ID=12345678&Server=')).toEqual({ 'User ID': '12345678' });
});

test.each([
  [digiflazzKind, '{user_id}{zone}'],
  [vipResellerKind, '{user_id}({zone})'],
  [moogoldKind, 'Player ID={user_id}'],
  [moogoldKind, 'User ID={user_id}&Server=os_asia'],
  [bangjeffKind, 'ID={user_id}&Server={zone}'],
  [unipinKind, 'userid={user_id}&zoneid=10%25'],
  [topgateKind, '{user_id}({zone})'],
  [topgateKind, 'user_id={user_id}&zone='],
])('a template that an account can be written with is taken: $label, %s', (kind, template) => {
  expect(checkTemplate(kind, template)).toBeNull();
});

test.each([
  [digiflazzKind, '{zone}', 'must contain {user_id}'],
  [digiflazzKind, '{user_id}{server}', 'no other placeholders'],
  [digiflazzKind, '{user_id}{zone', 'no other placeholders'],
  [digiflazzKind, 'id={user_id}', 'as one text'],
  [moogoldKind, '{user_id}|{zone}', 'as named fields, such as User ID={user_id}&Server={zone}'],
  [bangjeffKind, '{user_id}', 'as named fields'],
  [unipinKind, '{user_id}{zone}', 'as named fields'],
  [unipinKind, 'userid={user_id}&{zone}', 'a name, an equals sign and a value'],
  [unipinKind, '={user_id}', 'a name, an equals sign and a value'],
  [unipinKind, 'userid={user_id}&userid={zone}', 'a name of its own'],
  [unipinKind, 'userid={user_id}&note=100%', 'must be written %25'],
  [topgateKind, 'userid={user_id}', 'the fields user_id and zone only'],
])('a template that would send something else than the account is refused: $label, %s', (kind, template, reason) => {
  expect(checkTemplate(kind, template)).toContain(reason);
});

test.each([
  [moogoldKind, '15145:215570', { partner_id: 'p', secret_key: 'k' }],
  [bangjeffKind, 'MLBB_ID_5', { api_key: 'k', region: 'ID', currency: 'IDR' }],
  [unipinKind, 'MLBBD_ID:324', { partner_id: 'p', secret_key: 'k' }],
])('an order without player fields never leaves: $label', async (kind, sku, config) => {
  const call = answering({});
  const adapter = kind.create({ code: 's', config: { base_url: 'https://s.example', ...config }, clock: new FakeClock() });
  const outcome = await adapter.placeOrder(examplePurchase({ sku, accountText: '12345678|2001' }), call);
  expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true, detail: expect.stringContaining('no fields') });
  expect(call.sent).toEqual([]);
});

test('a field of a template cannot say how many are bought', async () => {
  const call = answering({});
  const config = { base_url: 'https://s.example', partner_id: 'p', secret_key: 'k' };
  const adapter = moogoldKind.create({ code: 's', config, clock: new FakeClock() });
  const accountText = 'User ID=12345678&quantity=10';
  await expect(adapter.placeOrder(examplePurchase({ sku: '15145:215570', accountText }), call)).rejects.toThrow();
  expect(JSON.parse(call.sent[0]?.body ?? '')).toMatchObject({ data: { quantity: '1', 'User ID': '12345678' } });
});
