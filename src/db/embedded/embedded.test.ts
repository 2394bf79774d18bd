import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { until } from '../../../test/support/service.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openEmbedded } from '../open.ts';
import { lockDirectory } from './lock.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-embedded-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

test('what was committed is there after a reopening, and the engine says that commits reach the disk', async () => {
  const first = await openEmbedded({ directory, clock: systemClock, log: silentLog });
  await sql`create table kept (value int)`.execute(first.db);
  await sql`insert into kept values (42)`.execute(first.db);
  const { rows: settings } =
    await sql`select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method`.execute(first.db);
  expect(settings).toEqual([{ fsync: 'on', method: 'fsync' }]);
  await first.close();

  const second = await openEmbedded({ directory, clock: systemClock, log: silentLog });
  expect((await sql`select value from kept`.execute(second.db)).rows).toEqual([{ value: 42 }]);
  await second.close();
});

test("a failed statement leaves the session usable, with the error's code and constraint kept across threads", async () => {
  const database = await openEmbedded({ directory, clock: systemClock, log: silentLog });
  await sql`create table small (value int constraint small_positive check (value > 0))`.execute(database.db);
  const failing = database.db.transaction().execute((tx) => sql`insert into small values (0)`.execute(tx));
  await expect(failing).rejects.toMatchObject({ code: '23514', constraint: 'small_positive' });
  expect((await sql`select count(*)::int as count from small`.execute(database.db)).rows).toEqual([{ count: 0 }]);
  await database.close();
});

test('the engine checkpoints by itself, since it has no process in the background that would', async () => {
  const clock = new FakeClock();
  const database = await openEmbedded({ directory, clock, log: silentLog });
  const checkpoint = async () =>
    (await sql<{ at: string }>`select checkpoint_lsn::text as at from pg_control_checkpoint()`.execute(database.db)).rows[0]?.at;
  await sql`create table grown as select generate_series(1, 1000) as value`.execute(database.db);
  const before = await checkpoint();
  const startedAt = clock.now().getTime();
  await until(async () => {
    await clock.advance(10_000);
    return (await checkpoint()) !== before;
  }, 'a checkpoint has happened');
  expect(clock.now().getTime() - startedAt).toBeGreaterThanOrEqual(5 * 60_000);
  await database.close();
});

test('the log is bounded by size too, an idle database is left alone, and dead rows are taken away', async () => {
  const clock = new FakeClock();
  const database = await openEmbedded({ directory, clock, log: silentLog });
  const { db } = database;
  const one = async <Value>(query: string) => (await sql<{ value: Value }>`${sql.raw(query)}`.execute(db)).rows[0]?.value;
  const checkpoint = () => one<string>('select checkpoint_lsn::text as value from pg_control_checkpoint()');
  await sql`create table grown (value text)`.execute(db);
  const before = await checkpoint();
  await clock.advance(20_000);
  expect(await checkpoint()).toBe(before);
  await sql`insert into grown select 'x' from generate_series(1, 5000)`.execute(db);
  await sql`select pg_logical_emit_message(false, 'test', repeat('x', 70000000))`.execute(db);
  await until(async () => {
    await clock.advance(10_000);
    return (await checkpoint()) !== before;
  }, 'a checkpoint came long before its time');

  await sql`update grown set value = 'y' where value <> ''`.execute(db);
  const dead = () => one<bigint>(`select n_dead_tup as value from pg_stat_user_tables where relname = 'grown'`);
  await until(async () => (await dead()) === 5_000n, 'the dead are counted');
  await until(async () => {
    await clock.advance(60_000);
    return (await dead()) === 0n;
  }, 'the dead are gone');
  await sql`checkpoint`.execute(db);
  const rested = await checkpoint();
  for (let minutes = 0; minutes < 30; minutes += 5) {
    await clock.advance(5 * 60_000);
    expect(await checkpoint()).toBe(rested);
  }
  await database.close();
});

test('a directory in use is refused with the process that holds it named', async () => {
  const clock = new FakeClock();
  const held = await lockDirectory(directory, clock);
  const second = lockDirectory(directory, clock);
  const refused = expect(second).rejects.toThrow(`process ${process.pid}`);
  await clock.advance(10_000);
  await refused;
  held.release();
});

test('a directory that becomes free while one waits for it is taken', async () => {
  const clock = new FakeClock();
  const held = await lockDirectory(directory, clock);
  const second = lockDirectory(directory, clock);
  await clock.advance(1_000);
  held.release();
  await clock.advance(1_000);
  (await second).release();
});

test.each([
  ['a process that is gone', { pid: 2 ** 22 + 1, host: os.hostname(), startedAt: '1' }],
  ['a process whose id was given to another since', { pid: process.pid, host: os.hostname(), startedAt: '1' }],
])('the lock of %s is taken over at once', async (_who, owner) => {
  fs.writeFileSync(path.join(directory, 'topgate.lock'), JSON.stringify(owner));
  const lock = await lockDirectory(directory, new FakeClock());
  lock.release();
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('a lock of another host is respected while it is fresh, and taken over when nobody has touched it', async () => {
  const file = path.join(directory, 'topgate.lock');
  fs.writeFileSync(file, JSON.stringify({ pid: 1, host: 'elsewhere', startedAt: '1' }));
  const clock = new FakeClock();
  const refused = expect(lockDirectory(directory, clock)).rejects.toThrow('elsewhere');
  await clock.advance(10_000);
  await refused;
  const longAgo = new Date(systemClock.now().getTime() - 60_000);
  fs.utimesSync(file, longAgo, longAgo);
  (await lockDirectory(directory, clock)).release();
});
