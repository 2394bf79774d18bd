import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { ADMIN_TOKEN, openTestService, until } from '../../test/support/service.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { Job } from './job.ts';
import { startJobs } from './run-jobs.ts';

describeOnBothEngines('jobs', (open, engine) => {
  const start = (jobs: Job[]) =>
    startJobs({ database: open().database, clock: systemClock, log: silentLog, timeZone: 'Asia/Jakarta', jobs, isWorker: true });
  const never = '0 0 29 2 *';

  test('run when asked for, one at a time, and what came of each is kept', async () => {
    const gate = Promise.withResolvers<void>();
    const runner = start([
      { name: 'slow', cron: never, run: () => gate.promise.then(() => ({ done: 1 })) },
      { name: 'broken', cron: never, run: () => Promise.reject(new Error('as it must')) },
    ]);
    await until(async () => (await runner.list()) !== null, 'the schedule is in force');
    const stateOf = async (name: string) => (await runner.list())?.find((job) => job.name === name)?.lastRun?.state;

    expect(await runner.request('slow')).toBe('requested');
    await until(async () => (await stateOf('slow')) === 'active', 'it runs');
    expect(await runner.request('slow')).toBe('busy');
    // Ours go on meanwhile: a job never sits inside a transaction.
    await sql`select 1`.execute(open().database.db);
    gate.resolve();
    await until(async () => (await stateOf('slow')) === 'completed', 'it has ended');

    await runner.request('broken');
    await until(async () => (await stateOf('broken')) === 'failed', 'it has failed');
    expect(runner.totals).toEqual({ slow: { succeeded: 1, failed: 0 }, broken: { succeeded: 0, failed: 1 } });
    await runner.stop(5_000);
  });

  test('that are gone from the program are gone from the schedule, and a statement that fails leaves no transaction behind', async () => {
    const runner = start([{ name: 'slow', cron: never, run: async () => ({}) }]);
    await until(async () => (await runner.list()) !== null, 'the schedule is in force');
    const { rows } = await sql`select name from pgboss.schedule`.execute(open().database.db);
    expect(rows).toEqual([{ name: 'slow' }]);
    await expect(open().database.runForeign('begin; select 1/0; commit', [])).rejects.toMatchObject({ code: '22012' });
    await open()
      .database.db.transaction()
      .execute((tx) => sql`select 1`.execute(tx));
    await runner.stop(5_000);
  });

  test("are the service's: operators see them and have them run, in any worker", async () => {
    const topgate = await openTestService(open(), { runsJobs: true });
    await until(async () => (await topgate.admin('GET', '/admin/api/job')).status === 200, 'the schedule is in force');
    const { data } = (await topgate.admin('GET', '/admin/api/job')).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual([
      'make-months',
      'expire-events',
      'prune-request-log',
      'prune-exchanges',
      'prune-callbacks',
      'sync-price-lists',
      'prune-supplier-health',
      'reconcile-days',
      'audit-ledger',
    ]);
    for (const { name } of data) expect((await topgate.admin('POST', `/admin/api/job/${name}/run`)).status).toBe(200);
    await until(async () => {
      const { body } = await topgate.admin('GET', '/admin/api/job');
      return body.data.every(({ last_run }: { last_run: { outcome: string } | null }) => last_run?.outcome === 'Succeeded');
    }, 'all have succeeded');
    expect((await topgate.admin('POST', '/admin/api/job/nothing/run')).body.error.code).toBe('not_found');
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const { body } = await topgate.raw({ method: 'GET', url: '/metrics', headers });
    expect(body).toContain('topgate_jobs_total{job="audit-ledger",outcome="succeeded"} 1');
    expect(body).toContain('topgate_ledger_violations 0');
    await topgate.stop();
  });

  // The embedded engine belongs to one process, which runs its jobs itself.
  test.skipIf(engine === 'embedded')('are asked for from a process that runs none, and done by the one that does', async () => {
    const database = open();
    const api = await openTestService(database, { runsJobs: true, config: { role: 'api' } });
    await until(async () => (await api.admin('GET', '/admin/api/job')).status === 200, 'the API process looks at the schedule');
    expect((await api.admin('POST', '/admin/api/job/make-months/run')).status).toBe(200);
    const worker = await openTestService(database, { runsJobs: true, config: { role: 'worker' } });
    const lastRun = async () =>
      (await api.admin('GET', '/admin/api/job')).body.data.find(({ name }: { name: string }) => name === 'make-months').last_run;
    const before = await lastRun();
    await until(
      async () => (await lastRun()).started_at !== before.started_at || (await lastRun()).outcome === 'Succeeded',
      'it ran',
    );
    await worker.stop();
    await api.stop();
  });
});
