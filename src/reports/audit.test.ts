import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { openTestService, type TestService, until } from '../../test/support/service.ts';
import type { Tx } from '../db/database.ts';
import { auditLedger } from './audit.ts';

describeOnBothEngines('the audit', (open) => {
  let topgate: TestService;

  beforeAll(async () => {
    topgate = await openTestService(open());
    const reseller = await topgate.reseller();
    // Nobody listens there: its deliveries wait.
    const { webhook_id } = (await reseller.post('/api/webhook', { url: 'http://127.0.0.1:9/hook' })).body.data;
    for (const scene of ['0001', '0006', '0001']) await reseller.order({ user_id: `12345${scene}` });
    await until(async () => (await reseller.get('/api/order?status=Process')).body.data.length === 0, 'all orders have ended');
    const isTried = ({ attempts }: { attempts: unknown[] }) => attempts.length > 0;
    await until(
      async () => (await reseller.get(`/api/webhook/${webhook_id}/delivery`)).body.data.filter(isTried).length === 3,
      'every end of an order was tried to be told',
    );
    // Workers would try to mend or trip over what the tests break on purpose.
    await topgate.stop();
  });
  afterAll(() => topgate.stop());

  test('finds nothing wrong with what the service wrote', async () => {
    const report = await auditLedger(open().database.db);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.checks.find(({ name }) => name.startsWith('every order was debited'))?.checked).toBe(3);
  });

  /** Each tampers behind the walls (triggers and foreign keys off, as only a superuser can) and names the rule that must notice. */
  const TAMPERINGS: [string, RawBuilder<unknown>, RegExp][] = [
    ['a balance was raised', sql`update accounts set balance = balance + 1 where seq > 0`, /every balance is the sum/],
    [
      'a transfer was made smaller',
      sql`update transfers set amount = amount - 1 where kind = 'order' and seq = 2`,
      /chain of hashes/,
    ],
    [
      "a transfer's reference was rewritten",
      sql`update transfers set reference = 'other' where kind = 'deposit'`,
      /chain of hashes/,
    ],
    ['a transfer was removed', sql`delete from transfers where kind = 'order' and seq = 2`, /has no gap/],
    ['an order lost its debit', sql`delete from transfers where kind = 'order'`, /debited exactly once/],
    ['a price was changed', sql`update orders set price = price + 1`, /debited exactly once/],
    ['a failed order kept its money', sql`delete from transfers where kind = 'refund'`, /money went back exactly once/],
    [
      'a delivered order was refunded as well',
      sql`update orders set state = 'Failed', serial_number = null, failure_code = 'x', failure_message = 'x', failure_fixable = false, refund_seq = 1
          where state = 'Success'`,
      /money went back exactly once/,
    ],
    [
      'an order failed beside an open attempt',
      sql`update attempts set state = 'Unknown' where state = 'Rejected' and number = 2`,
      /refunded on a guess/,
    ],
    [
      'a failed order turned out delivered',
      sql`update attempts set state = 'Delivered' where state = 'Rejected' and number = 1`,
      /delivered/,
    ],
    ['an event vanished', sql`delete from events where sequence = 2`, /events are numbered/],
    ['an endpoint was forgotten', sql`update webhook_endpoints set next_visit_at = null`, /has a visit to come/],
    ['an attempt of a webhook vanished', sql`delete from webhook_attempts`, /has a visit to come/],
    ['a wall was taken down', sql`alter table transfers disable trigger transfers_are_immutable`, /the walls stand/],
    ['money appeared from nowhere', sql`update accounts set balance = balance + 1 where seq > 0`, /money in equals money out/],
    ['a balance was negative for a moment', sql`update transfers set balance_after = -1 where seq = 2`, /ever negative/],
    ['a reference bought twice', sql`update orders set ref_id = 'SAME'`, /a reference buys once/],
    [
      'an order was forgotten',
      sql`update orders set state = 'Process', next_action_at = null where state = 'Success'`,
      /has a time/,
    ],
    ['an order was sent after its end', sql`update attempts set created_at = created_at + interval '1 day'`, /nothing was sent/],
    [
      'money went to the wrong side',
      sql`update transfers set debit_account = credit_account where kind = 'deposit'`,
      /transfers are balanced/,
    ],
  ];

  test.each(TAMPERINGS)('notices that %s, and names the rows', async (_what, tampering, rule) => {
    const report = await tamperAndAudit(tampering);
    const broken = report.checks.filter(({ ok }) => !ok);
    expect(report.ok).toBe(false);
    expect(broken.map(({ name }) => name).join('\n')).toMatch(rule);
    expect(broken.flatMap(({ violations }) => violations).length).toBeGreaterThan(0);
  });

  /** Audits inside the transaction that tampers, and rolls it back. */
  async function tamperAndAudit(tampering: RawBuilder<unknown>) {
    const undo = new Error('undo');
    let report: Awaited<ReturnType<typeof auditLedger>> | null = null;
    await open()
      .database.db.transaction()
      .execute(async (tx: Tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`alter table orders drop constraint orders_state_and_time`.execute(tx);
        await sql`alter table transfers drop constraint transfers_kind_fits_accounts`.execute(tx);
        await sql`alter table transfers drop constraint transfers_never_negative`.execute(tx);
        await sql`alter table orders drop constraint orders_ref_id`.execute(tx);
        await sql`drop index attempts_one_open`.execute(tx);
        await tampering.execute(tx);
        report = await auditLedger(tx);
        throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
    if (report === null) throw new Error('the audit did not run');
    return report as Awaited<ReturnType<typeof auditLedger>>;
  }
});
