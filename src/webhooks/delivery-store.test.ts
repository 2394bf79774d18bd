import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOnServer, type TestDatabase } from '../../test/support/engines.ts';
import { openTestService, until } from '../../test/support/service.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openOnServer();
});
afterAll(() => opened.drop());

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
    await until(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length === 1;
    }, 'the event waits for the endpoint');
  });
  expect(await sent).toMatchObject({ status: 200 });

  const { rows } = await sql<{ next: Date | null }>`select next_visit_at as next from webhook_endpoints`.execute(db);
  expect(rows).toEqual([{ next: expect.any(Date) }]);
  await service.stop();
});
