import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { openSilentProxy } from '../../test/support/silent-proxy.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { Db } from './database.ts';
import { openPostgres } from './postgres.ts';
import { inTransaction, later } from './transaction.ts';

let careless: PostgresServer;
beforeAll(async () => {
  careless = await startPostgres({ fsync: 'off' });
});
afterAll(() => careless.stop());

test('a server that would lose acknowledged orders is refused, with the setting named', async () => {
  const opened = openPostgres({ url: careless.url('postgres'), clock: systemClock, log: silentLog });
  await expect(opened).rejects.toThrow('fsync=off');
});

test('the first worker on a database is told that it is alone, the next one that it is not, and a new first one is again', async () => {
  const open = () => openPostgres({ url: inject('postgresUrl'), clock: systemClock, log: silentLog });
  const first = await open();
  const second = await open();
  expect(await first.announceWorker()).toBe(true);
  expect(await second.announceWorker()).toBe(false);
  await Promise.all([first.close(), second.close()]);
  const third = await open();
  expect(await third.announceWorker()).toBe(true);
  await third.close();
});

test('a notification of one process reaches the listeners of another', async () => {
  const open = () => openPostgres({ url: inject('postgresUrl'), clock: systemClock, log: silentLog });
  const speaker = await open();
  const listener = await open();
  const heard = new Promise<void>((resolve) => {
    let calls = 0;
    // The first call says that listening has begun; the second is the notification.
    listener.listen('work', () => {
      calls += 1;
      if (calls === 1) void speaker.notify('work');
      else resolve();
    });
  });
  await heard;
  await Promise.all([speaker.close(), listener.close()]);
});

test('a connection that falls silent is given up after the time limit, inside a transaction too, and the next one works', async () => {
  const proxy = await openSilentProxy(inject('postgresUrl'));
  const database = await openPostgres({ url: proxy.url, clock: systemClock, log: silentLog, poolSize: 2, answerLimitMs: 400 });
  const ask = (db: Db) => sql<{ one: number }>`select 1 as one`.execute(db);
  await Promise.all([ask(database.db), ask(database.db)]);
  proxy.fallSilent();
  const hanging = inTransaction(database.db, async (tx) => {
    await later(tx, sql`select 1`);
    return ask(tx);
  });
  await Promise.all([expect(hanging).rejects.toThrow(), expect(ask(database.db)).rejects.toThrow()]);
  expect((await ask(database.db)).rows).toEqual([{ one: 1 }]);
  await database.close();
  await proxy.close();
});
