import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import { DIALECTS } from '../simulators/dialects.ts';
import { openUpstreams } from '../simulators/upstreams.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { virtualService } from '../support/virtual-service.ts';

/** Balances and price lists of every real adapter, with simulated suppliers at the other end. */
const clock = new FakeClock();
const upstreams = openUpstreams(clock, DIALECTS);
const { topgate, leap } = virtualService({ clock, openWire: upstreams.openWire });

const can = (kind: string) => SUPPLIER_KINDS.find((known) => known.kind === kind)?.capabilities;
const shown = async (code: string) => (await topgate().admin('GET', `/admin/api/supplier/${code}`)).body.data;

beforeAll(async () => {
  for (const { kind, config } of DIALECTS) {
    const settings = { base_url: upstreams.addressOf(kind), ...config };
    await topgate().admin('POST', '/admin/api/supplier', { code: kind, kind, config: settings });
  }
  await leap(MINUTE_MS, 15_000);
});

describe.each(DIALECTS.filter(({ kind }) => can(kind)?.balance))('the balance at $kind', ({ kind }) => {
  test('is read by itself, and kept', async () => {
    const { balance, balance_at, status, alerts } = await shown(kind);
    expect({ status, alerts }).toEqual({ status: 'Active', alerts: [] });
    expect(balance).toBeGreaterThan(0);
    expect(balance_at).not.toBeNull();
  });

  test('below the minimum holds it, and a lower minimum frees it', async () => {
    const { balance } = await shown(kind);
    const setMinimum = (minimum: number) =>
      topgate().admin('PATCH', `/admin/api/supplier/${kind}`, { config: { minimum_balance: String(minimum) } });
    await setMinimum(balance + 1);
    await leap(MINUTE_MS, 15_000);
    expect(await shown(kind)).toMatchObject({ status: 'Held', hold: { kind: 'low_balance' } });
    await setMinimum(0);
    await leap(MINUTE_MS, 15_000);
    expect((await shown(kind)).status).toBe('Active');
  });
});

describe.each(DIALECTS.filter(({ kind }) => can(kind)?.priceList))('the price list of $kind', (dialect) => {
  const item = dialect.items.find(({ available }) => available);

  test('is read, compared with our route, and says what it costs', async () => {
    const costBefore = Number(item?.price) - 1;
    const route = { supplier: dialect.kind, sku: item?.sku, cost: costBefore };
    expect((await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', [route])).status).toBe(200);
    // A list of several requests takes its turns at the supplier.
    const { body } = await clock.passUntil(
      topgate().admin('POST', `/admin/api/supplier/${dialect.kind}/sync`, { dry_run: false }),
    );
    expect(body.data).toMatchObject({ outcome: 'applied', not_listed: [], unavailable: [] });
    expect(body.data.cost_changes).toMatchObject([{ service_code: 'MLBB-85', sku: item?.sku, cost_before: costBefore }]);
    const { data } = (await topgate().admin('GET', '/admin/api/service/MLBB-85/route')).body;
    expect(data[0]).toMatchObject({ cost: Number(item?.price), available: true });
  });
});
