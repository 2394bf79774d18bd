import { beforeEach, expect, test } from 'vitest';
import { FakeClock, TEST_START } from '../../test/support/fake-clock.ts';
import { scriptedSupplier } from '../../test/support/scripted-supplier.ts';
import type { Product } from '../catalog/index.ts';
import { connect } from '../connections/connection.ts';
import { readSettings } from '../connections/settings.ts';
import { silentLog } from '../lib/log.ts';
import { createNicknameLookup, type NicknameLookup } from './lookup.ts';

const MLBB: Product = {
  code: 'MLBB',
  name: 'Mobile Legends',
  accountDescription: 'User ID and zone',
  category: 'MOBA',
  status: 'Available',
  fields: [],
  nicknameLookup: true,
  createdAt: TEST_START,
  updatedAt: TEST_START,
};
const PLAYER = { userId: '12345678', zone: '2001' };
const CATALOG = { servicesOf: () => [] };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: FakeClock;
let supplier: ReturnType<typeof scriptedSupplier>;
let nicknames: NicknameLookup;

beforeEach(() => {
  clock = new FakeClock();
  supplier = scriptedSupplier();
  const setup = { code: 'scripted', config: {}, clock };
  const connection = connect({
    code: 'scripted',
    kind: supplier.kind,
    settings: readSettings(supplier.kind, {}),
    supplier: supplier.kind.create(setup),
    status: 'Active',
    hold: null,
    wire: { send: () => Promise.reject(new Error('nothing is sent here')), close() {} },
    redact: (text) => text,
    observe() {},
    clock,
    log: silentLog,
  });
  nicknames = createNicknameLookup({ clock, routing: { lookups: () => [connection] } });
});

const find = (product = MLBB, player = PLAYER) => nicknames.find('live', product, player, CATALOG);

test('a name is asked for once and remembered for a day', async () => {
  expect(await find()).toEqual({ kind: 'found', nickname: 'Player 12345678' });
  await clock.advance(24 * HOUR_MS - 1);
  await find();
  expect(supplier.lookups).toHaveLength(1);
  await clock.advance(1);
  await find();
  expect(supplier.lookups).toHaveLength(2);
});

test('"no such player" is remembered for five minutes', async () => {
  supplier.onLookup = async () => ({ kind: 'not_found' });
  expect(await find()).toEqual({ kind: 'not_found' });
  await clock.advance(5 * MINUTE_MS - 1);
  expect(await find()).toEqual({ kind: 'not_found' });
  expect(supplier.lookups).toHaveLength(1);
  await clock.advance(1);
  await find();
  expect(supplier.lookups).toHaveLength(2);
});

test('a lookup that was down is asked again at once', async () => {
  supplier.onLookup = async () => ({ kind: 'unavailable', reason: 'down' });
  expect((await find()).kind).toBe('unavailable');
  supplier.onLookup = async () => ({ kind: 'found', nickname: 'Back' });
  expect(await find()).toEqual({ kind: 'found', nickname: 'Back' });
});

test('equal questions at the same moment are asked once; the zone, the mode and the product make a difference', async () => {
  await Promise.all(Array.from({ length: 20 }, () => find()));
  expect(supplier.lookups).toHaveLength(1);
  await find(MLBB, { ...PLAYER, zone: '2002' });
  await find({ ...MLBB, code: 'MLBBG' });
  await nicknames.find('test', MLBB, PLAYER, CATALOG);
  expect(supplier.lookups).toHaveLength(4);
});

test('nobody waits longer than three seconds for a name', async () => {
  supplier.onLookup = () => new Promise(() => {});
  const answer = find();
  await clock.advance(3_000);
  expect((await answer).kind).toBe('unavailable');
});

test('a product without a lookup is never asked about', async () => {
  expect(await find({ ...MLBB, nicknameLookup: false })).toEqual({ kind: 'not_supported' });
  expect(supplier.lookups).toEqual([]);
});
