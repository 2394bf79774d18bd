import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openTestService, type TestService, until } from '../../test/support/service.ts';

/** What the database refuses even when the program is wrong. Each statement is one that no code may ever run. */
describeOnBothEngines('the database refuses', (open) => {
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open());
    const reseller = await topgate.reseller();
    await reseller.order({ ref_id: 'DONE' });
    await reseller.order({ ref_id: 'LOST', user_id: '123450006' });
    await until(async () => (await reseller.get('/api/order?status=Process')).body.data.length === 0, 'both orders have ended');
    await topgate.stop();
  });
  afterAll(() => topgate.stop());

  const REFUSED: [string, string][] = [
    ['to change a transfer', `update transfers set amount = 1`],
    ['to remove a transfer', `delete from transfers`],
    ['to empty the transfers', `truncate transfers cascade`],
    ['to remove an order', `delete from orders`],
    ['to empty the orders', `truncate orders cascade`],
    ['to take a balance below zero', `update accounts set balance = -1`],
    [
      'to go from Success back to Process',
      `update orders set state = 'Process', serial_number = null, next_action_at = now() where ref_id = 'DONE'`,
    ],
    [
      'to go from Failed to Success',
      `update orders set state = 'Success', failure_code = null, failure_message = null, failure_fixable = null, refund_seq = null where ref_id = 'LOST'`,
    ],
    [
      'an order in Process that nobody will look at',
      `insert into orders select (jsonb_populate_record(orders, '{"id":"00000000-0000-7000-8000-0000000000aa","ref_id":"X","state":"Process","serial_number":null,"next_action_at":null}')).* from orders where ref_id = 'DONE'`,
    ],
    [
      'a second order under a reference',
      `insert into orders select (jsonb_populate_record(orders, '{"id":"00000000-0000-7000-8000-0000000000ab"}')).* from orders where ref_id = 'DONE'`,
    ],
    [
      'a second debit of an order',
      `insert into transfers select (jsonb_populate_record(t, '{"seq":99}')).* from transfers t where kind = 'order' limit 1`,
    ],
    [
      'a second refund of an order',
      `insert into transfers select (jsonb_populate_record(t, '{"seq":99}')).* from transfers t where kind = 'refund' limit 1`,
    ],
    [
      'a deposit repeated under its reference',
      `insert into transfers select (jsonb_populate_record(t, '{"seq":99}')).* from transfers t where kind = 'deposit' limit 1`,
    ],
    ['a second transfer with the same number', `insert into transfers select * from transfers limit 1`],
    [
      'a transfer of nothing',
      `insert into transfers select (jsonb_populate_record(t, '{"seq":99,"amount":0,"reference":"new"}')).* from transfers t where kind = 'deposit' limit 1`,
    ],
    [
      'money from a live account for a test one',
      `insert into transfers select (jsonb_populate_record(t, '{"seq":99,"mode":"live","reference":"new"}')).* from transfers t where kind = 'deposit' limit 1`,
    ],
    ['to change what was sold', `update orders set price = price + 1 where ref_id = 'DONE'`],
    ['to rewrite whom it was for', `update orders set user_id = '1' where ref_id = 'DONE'`],
    [
      'a second attempt beside one that delivered',
      `insert into attempts select (jsonb_populate_record(a, '{"number":2,"state":"Sending"}')).* from attempts a where state = 'Delivered' limit 1`,
    ],
    ['to revive a rejected attempt', `update attempts set state = 'Unknown' where state = 'Rejected'`],
    ['to remove an attempt', `delete from attempts`],
    ['to change an event', `update events set data = '{}'`],
    ['to change the audit log', `update audit_log set actor = 'nobody'`],
    ['to remove from the audit log', `delete from audit_log`],
  ];

  test.each(REFUSED)('%s', async (_what, statement) => {
    const { db } = open().database;
    // A constraint, unique index or trigger says no (class 23), not a typing error in the statement.
    await expect(db.transaction().execute((tx) => sql.raw(statement).execute(tx))).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
  });

  test('an order whose debit does not exist, at commit', async () => {
    const { db } = open().database;
    const statement = `insert into orders select (jsonb_populate_record(orders, '{"id":"00000000-0000-7000-8000-0000000000ac","ref_id":"Y","debit_seq":12345}')).* from orders where ref_id = 'DONE'`;
    await expect(db.transaction().execute((tx) => sql.raw(statement).execute(tx))).rejects.toMatchObject({
      code: '23503',
      constraint: 'orders_debit',
    });
  });
});
