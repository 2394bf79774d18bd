import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from '../support/client.ts';
import { describeOnBothEngines } from '../support/engines.ts';
import { openTestService, type TestReseller, type TestService } from '../support/service.ts';

describeOnBothEngines('a change of the catalogue', (open) => {
  let topgate: TestService;
  let standard: TestReseller;
  let gold: TestReseller;
  beforeAll(async () => {
    topgate = await openTestService(open());
    await topgate.admin('POST', '/admin/api/tier', { code: 'gold', name: 'Gold', pricing: 'percent', markup: 3 });
    standard = await topgate.reseller({ balance: 0 });
    gold = await topgate.reseller({ balance: 0, reseller: { tier: 'gold' } });
  });
  afterAll(() => topgate.stop());

  /** What the reseller was told since it last asked. */
  const seen = new Map<TestReseller, number>();
  const told = async (reseller: TestReseller) => {
    const after = seen.get(reseller) ?? 0;
    const events = await reseller.topgate.events.list({ after, limit: 200 });
    seen.set(reseller, events.at(-1)?.sequence ?? after);
    return events.map(({ type, data }) => {
      if (type !== 'service.updated') throw new Error(`Nothing but services was changed, yet ${type} was told`);
      return data;
    });
  };
  const service = async (reseller: TestReseller, code: string) => {
    const found = (await reseller.topgate.services.list()).find(({ service_code }) => service_code === code);
    if (!found) throw new Error(`There is no service ${code}`);
    return found;
  };

  test('tells each reseller the service as it is for them, and nobody whose view did not change', async () => {
    await topgate.admin('PATCH', '/admin/api/service/MLBB-85', { price: 29_000 });
    expect(await told(standard)).toEqual([await service(standard, 'MLBB-85')]);
    expect(await told(gold)).toEqual([]);
    await topgate.admin('PATCH', '/admin/api/service/MLBB-85', { cost: 26_000 });
    expect(await told(standard)).toEqual([]);
    expect(await told(gold)).toEqual([await service(gold, 'MLBB-85')]);
  });

  test('tells of every service that a product, a tier or one price of it moves', async () => {
    await topgate.admin('PATCH', '/admin/api/product/MLBB', { status: 'Maintenance' });
    const states = await told(standard);
    expect(states.length).toBeGreaterThan(3);
    expect(states.every(({ status, product_code }) => status === 'Maintenance' && product_code === 'MLBB')).toBe(true);
    await told(gold);
    await topgate.admin('PATCH', '/admin/api/tier/gold', { prices: { 'HOK-16': 12_345 } });
    expect(await told(gold)).toMatchObject([{ service_code: 'HOK-16', price: 12_345 }]);
    expect(await told(standard)).toEqual([]);
  });

  test('tells nothing when nothing changed, and nothing of an import that was only tried', async () => {
    const { price } = await service(standard, 'HOK-16');
    await topgate.admin('PATCH', '/admin/api/service/HOK-16', { price });
    const csv = (await topgate.admin('GET', '/admin/api/catalog/export')).body;
    await topgate.admin('POST', '/admin/api/catalog/import', { csv, dry_run: true });
    await topgate.admin('POST', '/admin/api/catalog/import', { csv });
    expect(await told(standard)).toEqual([]);
  });

  test('does not tell those who cannot order: suspended, or without a usable token in that mode', async () => {
    const suspended = await topgate.reseller({ balance: 0 });
    await topgate.admin('PATCH', `/admin/api/reseller/${suspended.resellerId}`, { status: 'Suspended' });
    await topgate.admin('PATCH', '/admin/api/service/HOK-16', { price: 77_000 });
    await topgate.admin('PATCH', `/admin/api/reseller/${suspended.resellerId}`, { status: 'Active' });
    expect(await told(suspended)).toEqual([]);
    const issued = await topgate.admin('POST', `/admin/api/reseller/${suspended.resellerId}/credential`, { mode: 'live' });
    const { access_token: token, signing_secret: secret } = issued.body.data;
    expect(await clientOf(topgate.raw, { token, secret }).events.list()).toEqual([]);
  });
});
