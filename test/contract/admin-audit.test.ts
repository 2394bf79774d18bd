import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestService, type TestService } from '../support/service.ts';

/** The audit log as operators read it. */
const clock = new FakeClock();
let database: TestDatabase;
let topgate: TestService;

interface Entry {
  action: string;
  subject: string;
  details: Record<string, unknown>;
  time: string;
}

const read = async (query: string): Promise<{ data: Entry[]; next: string | null }> => {
  const { status, body } = await topgate.admin('GET', `/admin/api/audit${query}`);
  expect(status).toBe(200);
  return { data: body.data, next: body.pagination.next_cursor };
};

beforeAll(async () => {
  database = await openInMemory();
  topgate = await openTestService(database, { clock, config: { role: 'api' } });
  await topgate.admin('PATCH', '/admin/api/service/MLBB-85', { price: 24_000 });
  await clock.advance(60_000);
  await topgate.admin('PATCH', '/admin/api/service/MLBB-85', { price: 25_000 });
  await topgate.admin('POST', '/admin/api/supplier/sandbox/pause');
});
afterAll(async () => {
  await clock.passUntil(topgate.stop());
  await database.drop();
});

describe('the audit log', () => {
  test('tells who changed what, newest first, in local time', async () => {
    const [newest, second] = (await read('')).data;
    expect(newest).toMatchObject({ actor: 'admin', action: 'supplier.pause', subject: 'sandbox' });
    expect(newest?.time).toMatch(/\+07:00$/);
    expect(second).toMatchObject({ action: 'service.change', details: { before: { price: 24_000 }, after: { price: 25_000 } } });
  });

  test('is read by subject, action, noun, actor and time, page by page', async () => {
    const actions = async (query: string) => (await read(query)).data.map(({ action }) => action);
    expect(await actions('?subject=MLBB-85')).toEqual(['service.change', 'service.change']);
    expect(await actions('?action=supplier')).toEqual(['supplier.pause']);
    expect(await actions('?action=service.change&actor=admin&limit=1')).toEqual(['service.change']);
    expect(await actions('?actor=nobody')).toEqual([]);
    const from = encodeURIComponent(clock.now().toISOString());
    expect(await actions(`?subject=MLBB-85&from=${from}`)).toHaveLength(1);
    expect(await actions(`?subject=MLBB-85&to=${from}`)).toHaveLength(1);
    const first = await read('?subject=MLBB-85&limit=1');
    const rest = await read(`?subject=MLBB-85&limit=1&cursor=${first.next}`);
    expect([...first.data, ...rest.data].map(({ details }) => details['after'])).toEqual([{ price: 25_000 }, { price: 24_000 }]);
    expect(rest.next).toBeNull();
  });

  test('names orders and resellers as everybody does, and an order shows what was done to it', async () => {
    const reseller = await topgate.reseller();
    const { order_id: orderId } = await reseller.buy();
    const reason = 'delivered by hand';
    await topgate.admin('POST', `/admin/api/order/${orderId}/resolve`, { outcome: 'Success', reason });
    const entry = { actor: 'admin', action: 'order.resolve', subject: orderId, details: { to: 'Success', reason } };
    expect((await read(`?subject=${orderId}`)).data).toMatchObject([entry]);
    expect((await topgate.admin('GET', `/admin/api/order/${orderId}`)).body.data.audit_log).toMatchObject([entry]);
    const ofReseller = (await read(`?subject=${reseller.resellerId}`)).data;
    expect(ofReseller.map(({ action }) => action)).toContain('credential.issue');
    expect(ofReseller.every(({ subject }) => subject === reseller.resellerId)).toBe(true);
  });
});
