import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOnServer, type TestDatabase } from '../../test/support/engines.ts';
import { openTestService, until } from '../../test/support/service.ts';
import type { Db } from '../db/database.ts';
import { systemClock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { insertEndpoint } from './endpoint-store.ts';
import { expectEndpoints } from './event-store.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openOnServer();
});
afterAll(() => opened.drop());

const somebodyWaits = (db: Db, what: string) =>
  until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length === 1;
  }, what);

test('an event that waits for the worker to let go of its endpoint has a visit to come', async () => {
  const { db } = opened.database;
  // Nobody works here: the test lets go of the endpoint, as a worker does that found nothing more to send.
  const service = await openTestService(opened, { config: { role: 'api' } });
  const reseller = await service.reseller();
  const { webhook_id } = (await reseller.post('/api/webhook', { url: 'http://127.0.0.1:9/hook' })).body.data;
  await sql`update webhook_endpoints set lease = id, next_visit_at = now() + interval '30 seconds'`.execute(db);

  let sent: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await sql`update webhook_endpoints set lease = null, next_visit_at = null`.execute(tx);
    sent = reseller.post(`/api/webhook/${webhook_id}/test`, undefined);
    await somebodyWaits(db, 'the event waits for the endpoint');
  });
  expect(await sent).toMatchObject({ status: 200 });

  const { rows } = await sql<{ next: Date | null }>`select next_visit_at as next from webhook_endpoints`.execute(db);
  expect(rows).toEqual([{ next: expect.any(Date) }]);
  await service.stop();
});

test('an event that waits for an endpoint to be added is delivered there', async () => {
  const { db } = opened.database;
  const service = await openTestService(opened, { config: { role: 'api' } });
  const reseller = await service.reseller({ balance: 0 });
  const { rows } = await sql<{ id: string }>`
    select id from accounts where mode = 'test' order by id desc limit 1`.execute(db);
  const accountId = rows[0]?.id ?? '';
  const deposit = { amount: 5, mode: 'test', reference: 'D-1' };

  let credited: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await expectEndpoints(tx, accountId);
    credited = service.admin('POST', `/admin/api/reseller/${reseller.resellerId}/deposit`, deposit);
    await somebodyWaits(db, 'the event waits for its number');
    await insertEndpoint(tx, {
      id: newId(systemClock.now()),
      accountId,
      url: 'http://127.0.0.1:9/hook',
      types: [],
      status: 'Active',
      disabledReason: null,
      failingSince: null,
      lease: null,
      createdAt: systemClock.now(),
      updatedAt: systemClock.now(),
    });
  });
  expect(await credited).toMatchObject({ status: 200 });
  const delivered = await sql`select from webhook_deliveries where account_id = ${accountId}`.execute(db);
  expect(delivered.rows).toHaveLength(1);
  await service.stop();
});
