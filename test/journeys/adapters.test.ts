import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import { DIALECTS } from '../simulators/dialects.ts';
import { openUpstreams } from '../simulators/upstreams.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { inTurns } from '../support/pass-time.ts';
import type { TestReseller } from '../support/service.ts';
import { virtualService } from '../support/virtual-service.ts';

/** Live orders through every real adapter, as an operator would set it up, with simulated suppliers at the other end. */
const clock = new FakeClock();
const upstreams = openUpstreams(clock, DIALECTS);
const { topgate, pass, leap, settle } = virtualService({ clock, openWire: upstreams.openWire });
const STEP_MS = 3_000;
/** Longer than any supplier's waits between two questions about a purchase. */
const LONG_MS = 30 * 60_000;
let live: TestReseller;

beforeAll(async () => {
  live = await topgate().reseller({ mode: 'live', balance: 100_000_000 });
  for (const { kind, config } of DIALECTS) {
    const added = await topgate().admin('POST', '/admin/api/supplier', {
      code: kind,
      kind,
      config: { base_url: upstreams.addressOf(kind), ...config },
    });
    expect(added.body.message).toBe('Supplier added');
  }
});

describe.each(DIALECTS)('an order through $kind', (dialect) => {
  const can = SUPPLIER_KINDS.find(({ kind }) => kind === dialect.kind)?.capabilities;
  const { shop } = upstreams.of(dialect.kind);
  const item = dialect.items.find(({ available }) => available);

  beforeAll(async () => {
    const route = { supplier: dialect.kind, sku: item?.sku, cost: Number(item?.price) };
    expect((await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', [route])).status).toBe(200);
    await topgate().admin('PATCH', '/admin/api/service/MLBB-85', { price: Number(item?.price) * 2 });
    // Within a second the supplier has a worker of its own.
    await pass(1_000);
  });
  beforeEach(() => {
    upstreams.of(dialect.kind).faultOf = () => ({ is: 'none' });
    shop.fateOf = () => ({ is: 'delivered', afterMs: 0 });
  });

  const buy = async () => {
    const before = shop.orders.length;
    // Known by name after the first order, so that what is lost in a later one is not the question for it.
    const { userId: user_id, zone } = dialect.players?.known ?? { userId: '55500001', zone: '2001' };
    const { order_id: orderId } = await inTurns(clock, settle, live.buy({ user_id, zone }));
    await settle();
    return {
      taken: () => shop.orders.slice(before),
      detail: async () => (await topgate().admin('GET', `/admin/api/order/${orderId}`)).body.data,
    };
  };

  test('is delivered with its serial number and known by both names', async () => {
    const order = await buy();
    await leap(60_000, STEP_MS);
    const [taken] = order.taken();
    const detail = await order.detail();
    expect(detail).toMatchObject({ status: 'Success', supplier: dialect.kind, attempts: [{ status: 'Delivered' }] });
    const proof = taken && (dialect.proofOf ? dialect.proofOf(shop, taken) : shop.serialOf(taken));
    expect(detail.serial_number).toBe(proof);
    expect(order.taken()).toHaveLength(1);
  });

  test('that the supplier has no stock for fails, with the money back', async () => {
    shop.fateOf = () => ({ is: 'rejected', why: 'out_of_stock', afterMs: 0 });
    const balance = await live.balance();
    const order = await buy();
    await leap(60_000, STEP_MS);
    expect(await order.detail()).toMatchObject({ status: 'Failed', attempts: [{ status: 'Rejected' }] });
    expect(await live.balance()).toBe(balance);
  });

  test('whose answer is lost is delivered once: found by asking, or left to an operator where nobody can be asked', async () => {
    const simulator = upstreams.of(dialect.kind);
    let requests = 0;
    simulator.faultOf = () => (++requests === 1 ? { is: 'lost_answer' } : { is: 'none' });
    const order = await buy();
    await leap(LONG_MS, LONG_MS / 20);
    expect(order.taken().length).toBeLessThanOrEqual(1);
    const detail = await order.detail();
    if (can?.lookup && order.taken().length === 1) expect(detail.status).toBe('Success');
    else expect(detail.status).toBe('Process');
    // All but the last are known to have bought nothing: only then may there be another one.
    for (const attempt of detail.attempts.slice(0, -1)) expect(attempt.status).toBe('Rejected');
  });
});
