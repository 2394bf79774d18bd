import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openRegistryFixture, type RegistryFixture } from '../../test/support/registry-fixture.ts';
import { createProduct, createService } from '../catalog/edit-catalog.ts';
import type { Route } from './route.ts';
import { setRoutes } from './set-routes.ts';
import { listRoutesOf } from './store.ts';

const ADMIN = { name: 'admin', requestId: null };
const ROUTE: Route = { supplierCode: 'sandbox', sku: 'A', cost: 1n, accountTemplate: null, oncePerDay: false, cutOff: null };

describeOnBothEngines('the routes of a service', (open) => {
  let fixture: RegistryFixture;

  beforeAll(async () => {
    fixture = await openRegistryFixture(open().database, []);
    const deps = {
      ...fixture.deps,
      view: { timeZone: 'Asia/Jakarta' },
      tell: async () => undefined,
      onStatesSet: async () => undefined,
    };
    const product = { code: 'FF', name: 'Free Fire', accountDescription: 'Player ID', category: 'Battle royale' };
    await createProduct(deps, ADMIN, { ...product, status: 'Available', fields: [], nicknameLookup: false });
    const service = { code: 'FF-70', productCode: 'FF', name: '70 Diamonds', cost: 9_000n, price: 10_000n };
    await createService(deps, ADMIN, { ...service, status: 'Available' });
  });
  afterAll(() => fixture.stop());

  test('set at once are one list after the other, each told with the one before', async () => {
    const costs = [10n, 20n, 30n, 40n];
    const outcomes = await Promise.all(costs.map((cost) => setRoutes(fixture.deps, ADMIN, 'FF-70', [{ ...ROUTE, cost }])));
    expect(outcomes).toEqual(costs.map(() => ({ kind: 'saved' })));
    const { db } = fixture.deps;
    const rows = await db.selectFrom('audit_log').select('details').where('action', '=', 'route.set').execute();
    const told = rows.map(({ details }) => details as Record<'before' | 'after', { cost: number }[]>);
    const costsOf = (side: 'before' | 'after') => told.flatMap((entry) => entry[side].map(({ cost }) => cost)).toSorted();
    const [last] = await listRoutesOf(db, 'FF-70');
    expect(costsOf('after')).toEqual([10, 20, 30, 40]);
    expect([...costsOf('before'), Number(last?.cost)].toSorted()).toEqual([10, 20, 30, 40]);
  });
});
