import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { describeOnBothEngines } from '../support/engines.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';
import { stockedSupplier } from '../support/stocked-supplier.ts';
import { virtualService } from '../support/virtual-service.ts';

const CONFIG = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };

async function addSupplier(topgate: TestService) {
  const added = await topgate.admin('POST', '/admin/api/supplier', { code: 'stocked', kind: 'stocked', config: CONFIG });
  expect(added.status).toBe(200);
  const routes = [{ supplier: 'stocked', sku: 'ML85', cost: 20_000 }];
  expect((await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', routes)).status).toBe(200);
}

describe('a supplier on hold', () => {
  const supplier = stockedSupplier();
  const { topgate, pass, leap, settle, db } = virtualService({ supplierKinds: [supplier.kind] });
  let live: TestReseller;

  beforeAll(async () => {
    await addSupplier(topgate());
    live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
    await pass(1_000);
  });

  beforeEach(async () => {
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
    supplier.onBalance = async () => 1_000_000n;
    await topgate().admin('PATCH', '/admin/api/supplier/stocked', { config: { minimum_balance: '', warn_balance: '' } });
    await topgate().admin('POST', '/admin/api/supplier/stocked/resume');
    // What waited in the test before is delivered first.
    await pass(20_000);
    supplier.placed.length = 0;
    supplier.balanceReadings = 0;
  });

  const shown = async () => (await topgate().admin('GET', '/admin/api/supplier/stocked')).body.data;
  const stateOf = async (orderId: string) => (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data.status;
  const actions = async () =>
    (await db().selectFrom('audit_log').selectAll().where('actor', '=', 'service').execute()).map(({ action }) => action);

  async function meetMisconfiguration() {
    supplier.onPlace = async () => ({ kind: 'misconfigured', detail: 'the signature is wrong' });
    const { order_id } = await live.buy();
    await settle();
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
    return order_id;
  }

  test('because of its configuration is probed, works again by itself, and delivers what waited', async () => {
    supplier.onBalance = () => Promise.reject(new Error('still wrong'));
    const before = (await actions()).length;
    const orderId = await meetMisconfiguration();
    expect(await shown()).toMatchObject({
      status: 'Held',
      hold: { kind: 'misconfigured', reason: 'the signature is wrong' },
      alerts: [{ kind: 'held' }],
    });
    expect(await db().selectFrom('suppliers').select('hold_kind').where('code', '=', 'stocked').execute()).toEqual([
      { hold_kind: 'misconfigured' },
    ]);
    await leap(6 * MINUTE_MS, 15_000);
    expect(await stateOf(orderId)).toBe('Process');
    expect(supplier.placed).toHaveLength(1);
    supplier.onBalance = async () => 1_000_000n;
    await leap(7 * MINUTE_MS, 15_000);
    expect(await shown()).toMatchObject({ status: 'Active', hold: null, balance: 1_000_000 });
    expect(await stateOf(orderId)).toBe('Success');
    expect((await actions()).slice(before)).toEqual(['supplier.hold', 'supplier.release']);
  });

  test('because of something that its balance says nothing of waits for an operator, whatever its balance is', async () => {
    supplier.onPlace = async () => ({
      kind: 'rejected',
      code: 'temporarily_unavailable',
      retryElsewhere: true,
      misconfigured: 'for_operator',
      detail: 'error_require_login',
    });
    await live.buy();
    await settle();
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
    const message = expect.stringContaining('error_require_login. Mend that');
    const held = { status: 'Held', hold: { kind: 'needs_operator' }, alerts: [{ kind: 'held', message }] };
    await pass(10_000);
    expect(await shown()).toMatchObject(held);
    expect((await topgate().admin('POST', '/admin/api/supplier/stocked/test')).body.data).toMatchObject({ ok: true });
    await leap(3 * 60 * MINUTE_MS, 15_000);
    expect(supplier.balanceReadings).toBeGreaterThan(1);
    expect(await shown()).toMatchObject(held);
    await topgate().admin('POST', '/admin/api/supplier/stocked/resume');
    expect(await shown()).toMatchObject({ status: 'Active', hold: null });
  });

  test("stays so when others are changed, and is free at an operator's word", async () => {
    await meetMisconfiguration();
    await topgate().admin('POST', '/admin/api/supplier/sandbox-2/pause');
    await topgate().admin('POST', '/admin/api/supplier/sandbox-2/resume');
    await pass(1_000);
    expect((await shown()).status).toBe('Held');
    const resumed = await topgate().admin('POST', '/admin/api/supplier/stocked/resume');
    expect(resumed.body.data).toMatchObject({ status: 'Active', hold: null });
  });

  test('is free when its configuration is changed, as far as that can have been the cause', async () => {
    await meetMisconfiguration();
    const tuned = await topgate().admin('PATCH', '/admin/api/supplier/stocked', { config: { review_after_minutes: '90' } });
    expect(tuned.body.data).toMatchObject({ status: 'Held', hold: { kind: 'misconfigured' } });
    await topgate().admin('PATCH', '/admin/api/supplier/stocked', { config: { review_after_minutes: '' } });
    const changed = await topgate().admin('PATCH', '/admin/api/supplier/stocked', { config: { api_key: 'the-right-key' } });
    expect(changed.body.data).toMatchObject({ status: 'Active', hold: null });
  });

  test('because of our balance is read at once, and works again when money has come', async () => {
    supplier.onPlace = async () => ({
      kind: 'rejected',
      code: 'temporarily_unavailable',
      retryElsewhere: true,
      lowBalance: true,
    });
    supplier.onBalance = async () => 7n;
    const { order_id } = await live.buy();
    await pass(20_000);
    expect(await stateOf(order_id)).toBe('Failed');
    expect(await shown()).toMatchObject({ status: 'Held', hold: { kind: 'low_balance' }, balance: 7 });
    await leap(6 * MINUTE_MS, 15_000);
    expect((await shown()).status).toBe('Held');
    supplier.onBalance = async () => 500_000n;
    await leap(6 * MINUTE_MS, 15_000);
    expect(await shown()).toMatchObject({ status: 'Active', balance: 500_000 });
  });

  test('below the minimum gets no orders before the first one fails', async () => {
    await topgate().admin('PATCH', '/admin/api/supplier/stocked', {
      config: { minimum_balance: '100000', warn_balance: '300000' },
    });
    supplier.onBalance = async () => 200_000n;
    await leap(6 * MINUTE_MS, 15_000);
    expect(await shown()).toMatchObject({ status: 'Active', alerts: [{ kind: 'low_balance' }] });
    supplier.onBalance = async () => 99_999n;
    await leap(6 * MINUTE_MS, 15_000);
    expect(await shown()).toMatchObject({ status: 'Held', hold: { kind: 'low_balance' } });
    expect(supplier.placed).toEqual([]);
  });

  test('a balance that cannot be read is never shown as zero, and a paused supplier is left in peace', async () => {
    const { body: metrics } = await topgate().raw({ method: 'GET', url: '/metrics' });
    expect(metrics).not.toMatch(/topgate_supplier_balance\{supplier="sandbox"\}/);
    expect(metrics).toMatch(/topgate_supplier_accepting_orders\{supplier="stocked"\} 1/);
    await topgate().admin('POST', '/admin/api/supplier/stocked/pause');
    supplier.balanceReadings = 0;
    await leap(11 * MINUTE_MS, 15_000);
    expect(supplier.balanceReadings).toBe(0);
  });

  test('the mask of a secret, sent back, leaves the secret as it is', async () => {
    const { config } = await shown();
    const setups = supplier.setups.length;
    const answer = await topgate().admin('PATCH', '/admin/api/supplier/stocked', { config: { ...config, concurrency: '4' } });
    expect(answer.status).toBe(200);
    expect(supplier.setups.length).toBe(setups + 1);
    expect(supplier.setups.at(-1)?.config['api_key']).toBe('the-right-key');
  });

  test('its health tells what came of its orders', async () => {
    await live.buy();
    await settle();
    const { health } = await shown();
    expect(health).toMatchObject({ window_minutes: 60, latency_p50_ms: expect.any(Number) });
    expect(health.calls).toBeGreaterThan(0);
    expect((await topgate().admin('GET', '/admin/api/supplier/sandbox-2')).body.data.health).toMatchObject({
      success_rate: null,
      latency_p50_ms: null,
      latency_p95_ms: null,
    });
  });
});

describeOnBothEngines('several processes', (open) => {
  test('all know of a hold that one of them met, and of its end', async () => {
    const supplier = stockedSupplier();
    supplier.onPlace = async () => ({ kind: 'misconfigured', detail: 'our address is not allowed' });
    supplier.onBalance = () => Promise.reject(new Error('not allowed'));
    const one = await openTestService(open(), { supplierKinds: [supplier.kind] });
    const other = await openTestService(open(), { supplierKinds: [supplier.kind] });
    try {
      await addSupplier(one);
      const live = await one.reseller({ mode: 'live', balance: 1_000_000 });
      await live.buy();
      const statusAt = async (service: TestService) =>
        (await service.admin('GET', '/admin/api/supplier/stocked')).body.data.status;
      for (const service of [one, other])
        await until(async () => (await statusAt(service)) === 'Held', 'every process knows the hold');
      supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-1' });
      await other.admin('POST', '/admin/api/supplier/stocked/resume');
      for (const service of [one, other])
        await until(async () => (await statusAt(service)) === 'Active', 'every process knows its end');
    } finally {
      await one.stop();
      await other.stop();
    }
  });
});
