import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { after, type Clock, MINUTE_MS, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

/**
 * A real streaming replica. That something was read from it shows in what it does not have: while its replay is paused, it lacks
 * what was written since, and every answer tells which of the two servers gave it.
 */
const MAX_BEHIND_MS = 5_000;

/** The system's time and some more, so that a test can let minutes pass. */
class AheadClock implements Clock {
  aheadMs = 0;
  now = () => new Date(systemClock.now().getTime() + this.aheadMs);
  sleep = systemClock.sleep;
}

const clock = new AheadClock();
let primary: PostgresServer;
let standby: PostgresServer;
let database: Database;
let replica: Database;
let service: TestService;
let reseller: TestReseller;

beforeAll(async () => {
  primary = await startPostgres({ wal_keep_size: '128MB' });
  database = await openPostgres({ url: primary.url('postgres'), clock, log: silentLog, poolSize: 6 });
  await migrate(database);
  standby = await startStandby(primary);
  replica = await openPostgres({ url: standby.url('postgres'), clock, log: silentLog, poolSize: 2 });
  service = await openTestService({ database }, { clock, config: { databaseReplicaUrl: standby.url('postgres') } });
  reseller = await service.reseller();
});

afterAll(async () => {
  await service.stop();
  await Promise.all([database.close(), replica.close()]);
  await standby.stop();
  await primary.stop();
});

const state = async () => (await service.raw({ method: 'GET', url: '/health/ready' })).body.data.replica;
const untilState = (wanted: string) => until(async () => (await state()) === wanted, `the replica is ${wanted}`);
const replay = (verb: 'pause' | 'resume') => sql.raw(`select pg_wal_replay_${verb}()`).execute(replica.db);
const caughtUp = async () => {
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(database.db);
  const lsn = rows[0]?.lsn ?? '';
  const replayed = sql<{ reached: boolean }>`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as reached`;
  await until(async () => (await replayed.execute(replica.db)).rows[0]?.reached, 'the replica has replayed everything');
};
const ordersInStats = async () => {
  const { data } = (await service.admin('GET', '/admin/api/stats')).body;
  return data.by_state.reduce((sum: number, group: { orders: number }) => sum + group.orders, 0);
};

test('reports are read from the replica, and from the primary when that is behind, away, or back', async () => {
  await reseller.buy();
  await caughtUp();
  await untilState('in_use');
  expect(await ordersInStats()).toBe(1);
  expect((await service.admin('GET', '/admin/api/ledger/audit')).body.data.ok).toBe(true);

  await replay('pause');
  await reseller.buy();
  // The replica does not know the second order, and answers for as long as it is not too old.
  expect(await ordersInStats()).toBe(1);
  expect((await service.admin('GET', '/admin/api/ledger/audit')).body.data.ok).toBe(true);
  clock.aheadMs += MAX_BEHIND_MS;
  await untilState('behind');
  expect(await ordersInStats()).toBe(2);

  await replay('resume');
  await untilState('in_use');
  await caughtUp();
  expect(await ordersInStats()).toBe(2);

  await standby.kill();
  // Before the next look notices, a report that fails on the replica is read again.
  expect(await ordersInStats()).toBe(2);
  await untilState('away');
  expect(await ordersInStats()).toBe(2);
  await standby.restart();
  await untilState('in_use');
  expect(await ordersInStats()).toBe(2);
}, 60_000);

test('whoever orders and then lists finds the order', async () => {
  await untilState('in_use');
  await caughtUp();
  await replay('pause');
  const { ref_id } = await reseller.buy();
  const to = encodeURIComponent(after(clock.now(), MINUTE_MS).toISOString());
  for (const query of ['', `?to=${to}`]) {
    expect((await reseller.get(`/api/order${query}`)).body.data[0].ref_id).toBe(ref_id);
    expect((await reseller.get(`/api/account/transactions${query}`)).body.data[0].ref_id).toBe(ref_id);
    expect((await service.admin('GET', `/admin/api/order${query}`)).body.data[0].ref_id).toBe(ref_id);
  }
  await replay('resume');
}, 60_000);

test('a list that ended a minute ago is read from the replica, the status of an order never', async () => {
  const { order_id } = await reseller.buy({ user_id: '123450009' });
  clock.aheadMs += 2 * MINUTE_MS;
  await caughtUp();
  await untilState('in_use');
  await replay('pause');
  const resolution = { outcome: 'Success', reason: 'the supplier says so' };
  expect((await service.admin('POST', `/admin/api/order/${order_id}/resolve`, resolution)).status).toBe(200);
  const to = encodeURIComponent(after(clock.now(), -MINUTE_MS).toISOString());
  // Only the replica can still say that it is in process.
  const newest = { order_id, status: 'Process' };
  expect((await reseller.get(`/api/order?to=${to}`)).body.data[0]).toMatchObject(newest);
  expect((await service.admin('GET', `/admin/api/order?to=${to}`)).body.data[0]).toMatchObject(newest);
  expect((await reseller.get(`/api/account/transactions?to=${to}`)).body.data[0]).toMatchObject({ order_id });
  expect((await reseller.get(`/api/request-log?to=${to}`)).status).toBe(200);
  expect((await reseller.get(`/api/order/status?order_id=${order_id}`)).body.data.status).toBe('Success');
  expect((await reseller.get('/api/order')).body.data[0]).toMatchObject({ order_id, status: 'Success' });
  await replay('resume');
}, 60_000);

test('how far the replica is behind is measured', async () => {
  await untilState('in_use');
  const { body } = await service.raw({ method: 'GET', url: '/metrics' });
  expect(Number(/^topgate_replica_behind_seconds ([\d.]+)$/m.exec(body)?.[1])).toBeLessThan(MAX_BEHIND_MS / 1_000);
});

test('what is no replica of the database is refused at the start', async () => {
  const other = database.db;
  await sql`create database another`.execute(other);
  const open = (url: string) => openTestService({ database }, { config: { databaseReplicaUrl: url, role: 'api' } });
  await expect(open(primary.url('another'))).rejects.toThrow('no replica of the database');
});
