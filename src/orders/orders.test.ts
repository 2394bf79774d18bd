import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openTestService, type TestService, until } from '../../test/support/service.ts';

describeOnBothEngines('placing orders', (open) => {
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open());
  });
  afterAll(() => topgate.stop());

  test('an accepted order debits its price, is delivered, and is found by its reference', async () => {
    const reseller = await topgate.reseller({ balance: 100_000 });
    const placed = await reseller.order({ ref_id: 'INV-1' });
    expect(placed.status).toBe(200);
    expect(placed.body).toMatchObject({ status: 200, success: true, message: 'Transaction created successfully' });
    expect(placed.body.data).toMatchObject({
      ref_id: 'INV-1',
      status: 'Process',
      price: 23_600,
      serial_number: null,
      failure: null,
    });
    expect(await reseller.balance()).toBe(76_400);
    const delivered = await until(async () => {
      const { body } = await reseller.get('/api/order/status?ref_id=INV-1');
      return body.data.status === 'Success' && body.data;
    }, 'the order is delivered');
    expect(delivered.serial_number).toMatch(/^SBX-TG/);
  });

  test('200 concurrent orders on a balance that pays for 37: exactly 37 are accepted', async () => {
    const reseller = await topgate.reseller({ balance: 37 * 23_600 + 1_000 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => reseller.order()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(37);
    expect(answers.filter(({ body }) => body.error?.code === 'insufficient_balance')).toHaveLength(163);
    expect(await reseller.balance()).toBe(1_000);
  });

  test('50 concurrent requests with one ref_id make one order and one debit', async () => {
    const reseller = await topgate.reseller({ balance: 1_000_000 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => reseller.order({ ref_id: 'SAME' })));
    expect(new Set(answers.map(({ body }) => body.data.order_id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
    expect(await reseller.balance()).toBe(1_000_000 - 23_600);
  });
});
