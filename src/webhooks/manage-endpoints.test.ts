import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { openTestService, type TestReseller, type TestService } from '../../test/support/service.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { cancelBacklogsOfDeleted } from './manage-endpoints.ts';

const BACKLOG = 2_345;

describeOnBothEngines('an endpoint with a large backlog', (open) => {
  const clock = new FakeClock();
  let topgate: TestService;
  let reseller: TestReseller;
  let endpoint: string;

  beforeAll(async () => {
    // Without workers nothing is sent meanwhile.
    topgate = await openTestService(open(), { clock, config: { role: 'api' } });
  });
  afterAll(() => topgate.stop());

  beforeEach(async () => {
    await sql`delete from webhook_deliveries`.execute(open().database.db);
    reseller = await topgate.reseller({ balance: 0 });
    endpoint = (await reseller.post('/api/webhook', { url: 'http://127.0.0.1:9/hook' })).body.data.webhook_id;
    await sql`
      with event as (
        insert into events
        select account_id, number, id_beside(first_id_at(${clock.now()})), 'balance.credited', null, '{}', ${clock.now()}
        from generate_series(1, ${BACKLOG}::int) as number
        cross join (select account_id from webhook_endpoints order by id desc limit 1) as latest
        returning *
      )
      insert into webhook_deliveries
      select id_beside(event.id), endpoint.id, account_id, sequence, 'Pending', 1, 1, ${clock.now()}::timestamptz + interval '5 hours',
             event.created_at, event.created_at
      from event join webhook_endpoints as endpoint using (account_id)`.execute(open().database.db);
  });

  const count = async (state: string, due: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_deliveries where state = ${state} and ${sql.raw(due)}`.execute(
      open().database.db,
    );
    return rows[0]?.count;
  };

  test('has all of it made due when it is enabled', async () => {
    expect(await count('Pending', 'true')).toBe(BACKLOG);
    await reseller.send('PATCH', `/api/webhook/${endpoint}`, { status: 'Disabled' });
    await clock.jump(HOUR_MS);
    await reseller.send('PATCH', `/api/webhook/${endpoint}`, { status: 'Active' });
    expect(await count('Pending', `next_attempt_at = '${clock.now().toISOString()}'`)).toBe(BACKLOG);
  });

  test('has all of it cancelled when it is deleted, and what a crash would leave is cancelled by the job', async () => {
    await reseller.send('DELETE', `/api/webhook/${endpoint}`);
    expect(await count('Cancelled', 'next_attempt_at is null')).toBe(BACKLOG);
    expect(await cancelBacklogsOfDeleted({ db: open().database.db, clock })).toEqual({ cancelled: 0 });
    await sql`update webhook_deliveries set state = 'Pending', next_attempt_at = ${clock.now()}`.execute(open().database.db);
    expect(await cancelBacklogsOfDeleted({ db: open().database.db, clock })).toEqual({ cancelled: BACKLOG });
  });
});
