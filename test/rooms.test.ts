import { expect, test } from 'vitest';
import { findTrespasses } from '../scripts/rooms.ts';

const reasons = (from: string, to: string) => findTrespasses([{ from, to }]);

test.each([
  ['the same room', 'src/orders/store.ts', 'src/orders/order.ts'],
  ['a room that it knows, by its index', 'src/orders/order.ts', 'src/ledger/index.ts'],
  ['a tool, by any file', 'src/orders/order.ts', 'src/lib/clock.ts'],
  ['the port, for an adapter', 'src/suppliers/iak/iak.ts', 'src/suppliers/supplier.ts'],
  ['adapters, for main', 'src/main/supplier-kinds.ts', 'src/suppliers/iak/index.ts'],
  ['the client library, for the command line', 'src/cli/run.ts', 'sdk/src/index.ts'],
])('may be imported: %s', (_what, from, to) => {
  expect(reasons(from, to)).toEqual([]);
});

test.each([
  ['a room that it does not know', 'src/ledger/ledger.ts', 'src/orders/index.ts', 'ledger does not know orders'],
  ['a room past its index', 'src/orders/order.ts', 'src/ledger/store.ts', 'entered through its index.ts'],
  ['a room past its index, for main', 'src/main/parts.ts', 'src/ledger/store.ts', 'entered through its index.ts'],
  ['main', 'src/orders/order.ts', 'src/main/config.ts', 'nobody knows main'],
  ['an adapter, for the core', 'src/orders/order.ts', 'src/suppliers/iak/index.ts', 'only main knows adapters'],
  ['an adapter, for another one', 'src/suppliers/iak/iak.ts', 'src/suppliers/unipin/map.ts', 'only main knows adapters'],
  ['the database, for an adapter', 'src/suppliers/iak/iak.ts', 'src/db/database.ts', 'suppliers does not know db'],
  ['the client library, for a room', 'src/orders/order.ts', 'sdk/src/index.ts', 'orders does not know sdk'],
  ['anything, for a room that nobody listed', 'src/new-room/thing.ts', 'src/lib/clock.ts', 'not in the table'],
])('is a trespass: %s', (_what, from, to, why) => {
  expect(reasons(from, to)).toHaveLength(1);
  expect(reasons(from, to)[0]).toContain(why);
});
