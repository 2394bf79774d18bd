import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { watchRevisions } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { silentLog } from '../lib/log.ts';
import type { Service } from './catalog.ts';
import { changeServices } from './change-services.ts';
import { changeService, changeTier, createProduct, createService, createTier, type EditDeps } from './edit-catalog.ts';
import { listServices } from './store.ts';

const ADMIN = { name: 'admin', requestId: null };
const ROUNDS = 5;

describeOnBothEngines('edits of the catalogue', (open) => {
  let deps: EditDeps & { clock: FakeClock };

  beforeAll(async () => {
    const { db } = open().database;
    const clock = new FakeClock();
    const revisions = watchRevisions(db, clock, silentLog);
    deps = {
      db,
      clock,
      revisions,
      view: { timeZone: 'Asia/Jakarta' },
      tell: async () => undefined,
      onStatesSet: async () => undefined,
    };
    await createProduct(deps, ADMIN, {
      code: 'FF',
      name: 'Free Fire',
      accountDescription: 'Player ID',
      category: 'Battle royale',
      status: 'Available',
      fields: [],
      nicknameLookup: false,
    });
    const service = { productCode: 'FF', name: '70 Diamonds', cost: 9_000n, price: 10_000n, status: 'Available' as const };
    await createService(deps, ADMIN, { code: 'FF-70', ...service });
  });
  afterAll(() => deps.clock.passUntil(deps.revisions.stop()));

  test('made at once, by operators and by a price list, all stay', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const wanted: Partial<Service>[] = [
        { name: `${round} × 70 Diamonds` },
        { price: 20_000n + BigInt(round) },
        { status: round % 2 === 0 ? 'Available' : 'Maintenance' },
      ];
      const cost = 9_000n + BigInt(round);
      await Promise.all([
        ...wanted.map((change) => changeService(deps, ADMIN, 'FF-70', change)),
        inTransaction(deps.db, (tx) => changeServices(tx, deps, [{ code: 'FF-70', cost }])),
      ]);
      const [service] = await listServices(deps.db);
      expect(service).toMatchObject(Object.assign({ cost }, ...wanted));
    }
  });

  test('are told by the audit log with what was before', async () => {
    const { db } = deps;
    await changeService(deps, ADMIN, 'FF-70', { price: 30_000n });
    const tier = { code: 'gold', name: 'Gold', pricing: 'list' as const, markup: 0n, roundTo: 1n, floorMargin: 0n };
    await createTier(deps, ADMIN, tier);
    await changeTier(deps, ADMIN, 'gold', { floorMargin: 100n }, new Map([['FF-70', 29_000n]]));
    const rows = await db.selectFrom('audit_log').select(['action', 'details']).orderBy('id', 'desc').limit(3).execute();
    expect(rows).toMatchObject([
      {
        action: 'tier.change',
        details: {
          before: { floor_margin: 0 },
          after: { floor_margin: 100 },
          prices: { 'FF-70': { before: null, after: 29_000 } },
        },
      },
      { action: 'tier.create', details: { code: 'gold', pricing: 'list', floor_margin: 0 } },
      { action: 'service.change', details: { before: { price: 20_005 }, after: { price: 30_000 } } },
    ]);
  });
});
