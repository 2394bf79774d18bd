import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openRegistryFixture, type RegistryFixture } from '../../test/support/registry-fixture.ts';
import { examplePurchase } from '../../test/support/supplier-call.ts';
import { bumpRevision } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { addSupplier, changeSupplierConfig } from './configure-supplier.ts';
import { updateSupplier } from './store.ts';

const ADMIN = { name: 'admin', requestId: null };
const CONFIG = { username: 'acme', api_key: 'very-secret-key' };

describeOnBothEngines('suppliers with a bad record', (open) => {
  let fixture: RegistryFixture;

  beforeAll(async () => {
    fixture = await openRegistryFixture(open().database, [digiflazzKind]);
    for (const code of ['bad', 'good'])
      await addSupplier(fixture.deps, ADMIN, { code, kind: 'digiflazz', config: { ...CONFIG, webhook_secret: 'whs' } });
  });
  afterAll(() => fixture.stop());

  const configure = (code: string, config: Record<string, string>) =>
    changeSupplierConfig(fixture.deps, ADMIN, code, { config, sameAccount: false });
  const store = async (change: { config?: Record<string, string>; secretsSealed?: Uint8Array }) => {
    const { db, clock, secretBox } = fixture.deps;
    const good = secretBox.seal(JSON.stringify({ api_key: 'very-secret-key' }), 'supplier:bad');
    await inTransaction(db, async (tx) => {
      await updateSupplier(tx, 'bad', { config: { username: 'acme' }, secretsSealed: good, ...change, at: clock.now() });
      await bumpRevision(tx, 'suppliers');
    });
  };
  const sealed = (secrets: object) => fixture.deps.secretBox.seal(JSON.stringify(secrets), 'supplier:bad');

  test.each([
    [
      'a proxy that cannot be reached by any address',
      () => ({ secretsSealed: sealed({ proxy_url: 'http://user:100%@host:3128' }) }),
    ],
    ['an amount that is none', () => ({ config: { username: 'acme', minimum_balance: 'much' } })],
    ['secrets sealed under another key', () => ({ secretsSealed: new Uint8Array(64) })],
  ])('keep it to themselves: %s stops neither another change nor the start', async (_name, badly) => {
    await store(badly());
    const { deps } = fixture;
    expect((await configure('good', { concurrency: '3' })).kind).toBe('saved');
    expect(deps.registry.connection('good').settings.limits.concurrency).toBe(3);

    const restarted = await openRegistryFixture(open().database, [digiflazzKind]);
    for (const { registry } of [deps, restarted.deps]) {
      const bad = registry.connection('bad');
      expect(bad.isAcceptingOrders()).toBe(false);
      expect(bad.hold?.reason).toContain('cannot be used as it is configured');
      expect(await bad.placeOrder(examplePurchase())).toEqual({ kind: 'not_sent' });
      expect((await bad.checkOrder(examplePurchase())).kind).toBe('unknown');
      expect(registry.unsavedHolds()).toEqual([]);
      expect(registry.connection('good').isAcceptingOrders()).toBe(true);
    }
    await restarted.stop();

    const mended = { proxy_url: '', minimum_balance: '', api_key: 'new-key' };
    expect((await configure('bad', mended)).kind).toBe('saved');
    expect(deps.registry.connection('bad').isAcceptingOrders()).toBe(true);

    await store({});
    await deps.revisions.check();
    expect(deps.registry.connection('bad')).toMatchObject({ hold: null });
    expect(deps.registry.connection('bad').isAcceptingOrders()).toBe(true);
  });
});
