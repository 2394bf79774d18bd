import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock, TEST_START } from '../../test/support/fake-clock.ts';
import { askInVain, stockedSupplier } from '../../test/support/stocked-supplier.ts';
import { saveProducts, saveServices } from '../catalog/store.ts';
import { addSupplier, type ConfigureDeps, changeSupplierConfig } from '../connections/configure-supplier.ts';
import { openRegistry, type SupplierRegistry } from '../connections/index.ts';
import { type RevisionWatch, watchRevisions } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createSecretBox } from '../lib/secret-box.ts';
import { openRouting, type Routing } from '../routing/index.ts';
import { setRoutes } from '../routing/set-routes.ts';
import { listRoutesOf } from '../routing/store.ts';
import { NO_HEALTH } from '../supplier-health/health.ts';
import { openSandboxBook, sandboxKind } from '../suppliers/sandbox/index.ts';
import { readList } from './read-list.ts';
import { findList, listItems, listPrices, saveRule } from './store.ts';
import { syncOnSchedule } from './sync-on-schedule.ts';

describeOnBothEngines('price lists', (open) => {
  const clock = new FakeClock();
  const supplier = stockedSupplier();
  const admin = { name: 'admin', requestId: null };
  let registry: SupplierRegistry;
  let routing: Routing;
  let revisions: RevisionWatch;
  let configuring: ConfigureDeps;

  beforeAll(async () => {
    const { db } = open().database;
    const secretBox = createSecretBox(Buffer.alloc(32, 7));
    revisions = watchRevisions(db, clock, silentLog);
    registry = await openRegistry({
      db,
      clock,
      log: silentLog,
      secretBox,
      revisions,
      kinds: [sandboxKind(openSandboxBook(db)), supplier.kind, { ...supplier.kind, kind: 'by-game', listsByRoute: true }],
      openWire: () => ({ send: () => Promise.reject(new Error('no network in this test')), close: () => undefined }),
      observe: () => undefined,
    });
    routing = await openRouting({ db, clock, registry, revisions, healthOf: () => NO_HEALTH, timeZone: 'Asia/Jakarta' });
    const times = { createdAt: TEST_START, updatedAt: TEST_START };
    await inTransaction(db, async (tx) => {
      const product = { code: 'FF', name: 'Free Fire', accountDescription: 'Player ID', category: 'Battle royale' };
      await saveProducts(tx, [{ ...product, status: 'Available', fields: [], nicknameLookup: false, ...times }]);
      const service = { code: 'FF-70', productCode: 'FF', name: '70 Diamonds', cost: 9_000n, price: 10_000n };
      await saveServices(tx, [{ ...service, status: 'Available', ...times }]);
    });
    configuring = { db, clock, secretBox, revisions, registry, view: { currency: 'IDR' } };
    const deps = configuring;
    for (const code of ['main', 'broken']) {
      const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
      await addSupplier(deps, admin, { code, kind: 'stocked', config });
      await inTransaction(db, (tx) => saveRule(tx, code, 'costs'));
    }
    const terms = { accountTemplate: null, oncePerDay: false, cutOff: null };
    await setRoutes(deps, admin, 'FF-70', [{ supplierCode: 'main', sku: 'F70', cost: 9_000n, ...terms }]);
  });

  afterAll(async () => {
    registry.close();
    await clock.passUntil(revisions.stop());
  });

  const read = (code: string) => {
    const { db } = open().database;
    return readList({ db, clock, registry }, code, { wanted: ['F70'], inUse: ['F70'], believesAnything: false });
  };
  const list = (count: number, cost: bigint) => async () =>
    Array.from({ length: count }, (_, index) => ({ sku: `F${70 + index}`, name: `Item ${index}`, cost, available: true }));

  test('are read once, however many ask at the same moment', async () => {
    supplier.onList = list(1_200, 9_000n);
    const outcomes = await Promise.all([read('main'), read('main'), read('main')]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['read', 'too_early', 'too_early']);
    expect(supplier.listReadings).toBe(1);
    expect((await listItems(open().database.db, 'main')).size).toBe(1_200);
    expect(await read('main')).toEqual({ kind: 'too_early', nextAt: new Date(TEST_START.getTime() + MINUTE_MS) });
  });

  test('note when an item is gone and back, and what it cost', async () => {
    const { db } = open().database;
    await clock.jump(MINUTE_MS);
    supplier.onList = async () => (await list(3, 9_000n)()).slice(1);
    // The only item in use is missing, which alone is no reason to doubt.
    await read('main');
    const items = await listItems(db, 'main');
    expect(items.get('F70')?.goneAt).toEqual(clock.now());
    expect(items.get('F71')).toMatchObject({ goneAt: null, firstSeenAt: TEST_START });
    await clock.jump(MINUTE_MS);
    supplier.onList = list(3, 9_100n);
    await read('main');
    expect((await listItems(db, 'main')).get('F70')?.goneAt).toBeNull();
    expect((await listPrices(db, 'main', 'F70', 10)).map(({ cost }) => cost)).toEqual([9_100n, 9_000n]);
  });

  test.each([
    ['a cost that is no amount', async () => [{ sku: 'F70', name: 'Item', cost: -1n, available: true }]],
    ['nothing at all', async () => []],
  ])('with %s are not stored', async (_what, onList) => {
    const { db } = open().database;
    await clock.jump(MINUTE_MS);
    const before = await listItems(db, 'main');
    supplier.onList = onList;
    expect(await read('main')).toMatchObject({ kind: 'doubtful' });
    expect(await listItems(db, 'main')).toEqual(before);
  });

  test('of nothing are not asked for where they are read game by game, and the turn is kept', async () => {
    const { db } = open().database;
    const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
    await addSupplier(configuring, admin, { code: 'games', kind: 'by-game', config });
    const readings = supplier.listReadings;
    const ask = (wanted: string[]) =>
      readList({ db, clock, registry }, 'games', { wanted, inUse: wanted, believesAnything: false });
    expect(await ask([])).toEqual({ kind: 'no_routes' });
    expect(supplier.listReadings).toBe(readings);
    supplier.onList = list(1, 9_000n);
    expect(await ask(['F70'])).toMatchObject({ kind: 'read' });
  });

  test('that could not be asked for use up no turn, and another configuration gives a new one', async () => {
    await clock.jump(MINUTE_MS);
    supplier.onList = () => Promise.reject(new Error('Set exchange_rate.'));
    expect(await read('main')).toEqual({ kind: 'not_asked', reason: 'Set exchange_rate.' });
    supplier.onList = askInVain;
    expect(await read('main')).toMatchObject({ kind: 'unknown' });
    expect(await read('main')).toMatchObject({ kind: 'too_early' });
    await clock.jump(1);
    await changeSupplierConfig(configuring, admin, 'main', { config: { concurrency: '4' }, sameAccount: false });
    supplier.onList = list(3, 9_100n);
    await clock.jump(1);
    expect(await read('main')).toMatchObject({ kind: 'read' });
    expect(await read('main')).toMatchObject({ kind: 'too_early' });
  });

  test('are applied by the schedule, and a supplier that fails holds up no other', async () => {
    const { db } = open().database;
    await clock.jump(MINUTE_MS);
    let reading = 0;
    // "broken" comes first in the alphabet.
    supplier.onList = (wanted, call) => (reading++ === 0 ? askInVain(wanted, call) : list(3, 9_300n)());
    const deps = {
      db,
      clock,
      log: silentLog,
      registry,
      revisions,
      view: { timeZone: 'Asia/Jakarta' },
      tell: async () => undefined,
    };
    expect(await syncOnSchedule(deps)).toEqual({ applied: 1, refused: 0, skipped: 0, failed: 1 });
    expect((await listRoutesOf(db, 'FF-70'))[0]?.cost).toBe(9_300n);
    expect(routing.routes({ mode: 'live', serviceCode: 'FF-70', price: 10_000n })[0]?.cost).toBe(9_300n);
    expect(await findList(db, 'broken')).toMatchObject({ rule: 'costs', readAt: null, result: { outcome: 'failed' } });
    expect(await syncOnSchedule(deps)).toEqual({ applied: 1, refused: 0, skipped: 1, failed: 0 });
  });
});
