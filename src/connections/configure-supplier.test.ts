import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openRegistryFixture, type RegistryFixture } from '../../test/support/registry-fixture.ts';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { addSupplier, changeSupplierConfig } from './configure-supplier.ts';
import { findSupplier } from './store.ts';

const ADMIN = { name: 'admin', requestId: null };
const CONFIG = { username: 'acme', api_key: 'very-secret-key' };

describeOnBothEngines("a supplier's configuration", (open) => {
  let fixture: RegistryFixture;

  beforeAll(async () => {
    fixture = await openRegistryFixture(open().database, [digiflazzKind]);
    await addSupplier(fixture.deps, ADMIN, { code: 'main', kind: 'digiflazz', config: CONFIG });
  });
  afterAll(() => fixture.stop());

  const configure = (config: Record<string, string>) =>
    changeSupplierConfig(fixture.deps, ADMIN, 'main', { config, sameAccount: false });

  test('keeps every one of many changes of different fields that were made at once', async () => {
    const wanted: Record<string, string> = {
      concurrency: '3',
      requests_per_second: '4',
      time_limit_seconds: '20',
      review_after_minutes: '90',
      account_template: '{user_id}.{zone}',
      callback_ips: '52.74.250.133',
      warn_balance: '500000',
      minimum_balance: '100000',
    };
    const answers = await Promise.all(Object.entries(wanted).map(([key, value]) => configure({ [key]: value })));
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'saved'));
    expect((await findSupplier(fixture.deps.db, 'main'))?.config).toMatchObject(wanted);
  });

  test('is told by the audit log with what was before, and of secrets only that they changed', async () => {
    await configure({ concurrency: '9', api_key: 'another-secret' });
    const { db } = fixture.deps;
    const rows = await db
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('subject', '=', 'main')
      .orderBy('id')
      .execute();
    expect(rows[0]).toEqual({
      action: 'supplier.add',
      details: { kind: 'digiflazz', config: { username: 'acme' }, secrets: ['api_key'] },
    });
    expect(rows.at(-1)).toEqual({
      action: 'supplier.configure',
      details: { before: { concurrency: '3' }, after: { concurrency: '9' }, secrets: ['api_key'] },
    });
    expect(JSON.stringify(rows)).not.toMatch(/very-secret|another-secret/);
  });
});
