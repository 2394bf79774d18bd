import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openEmbedded } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { auditLedger } from '../../src/reports/index.ts';
import { Load, type PlacedOrder, type RemoteReseller, remoteAdmin, remoteReseller } from '../support/load.ts';
import { freePort, startPostgres } from '../support/postgres-server.ts';
import { type ServerProcess, startServer } from '../support/process.ts';

/** Outcomes that need a check, a second send or a second route are in the mix: a crash must find them half done. */
const SCENES = ['0001', '0007', '0006', '0001', '0008', '0011', '0001', '0002'];
const CONNECTIONS = 24;
const ROUNDS = 3;
const ORDERS_PER_ROUND = 100;
const BALANCE = 10_000_000_000;

let cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

function temporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-crash-'));
  cleanUps.push(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('embedded: the server killed again and again under load loses nothing it acknowledged and delivers nothing twice', async () => {
  const dataDir = temporaryDirectory();
  const start = { port: await freePort(), dataDir };
  const { load, last } = await crashRounds(
    () => startServer(start),
    (server) => server.end('SIGKILL'),
  );
  expect(await last.end('SIGTERM')).toBe(0);

  const database = await openEmbedded({ directory: dataDir, clock: systemClock, log: silentLog });
  await expectWhole(database, load.acknowledged);
  await database.close();
}, 120_000);

test('PostgreSQL: the server killed again and again under load loses nothing it acknowledged and delivers nothing twice', async () => {
  const postgres = await startPostgres();
  cleanUps.push(() => postgres.stop());
  const start = { port: await freePort(), dataDir: temporaryDirectory(), databaseUrl: postgres.url('postgres') };
  const { load, last } = await crashRounds(
    () => startServer(start),
    (server) => server.end('SIGKILL'),
  );
  expect(await last.end('SIGTERM')).toBe(0);

  const database = await openPostgres({ url: postgres.url('postgres'), clock: systemClock, log: silentLog });
  await expectWhole(database, load.acknowledged);
  await database.close();
}, 120_000);

test('PostgreSQL itself killed under load: the server gets over it, and nothing is lost or delivered twice', async () => {
  const postgres = await startPostgres();
  cleanUps.push(() => postgres.stop());
  const server = await startServer({
    port: await freePort(),
    dataDir: temporaryDirectory(),
    databaseUrl: postgres.url('postgres'),
  });
  cleanUps.push(() => server.end('SIGKILL'));
  const { load, last } = await crashRounds(
    async () => server,
    async () => {
      await postgres.kill();
      await postgres.restart();
    },
  );
  expect(await last.end('SIGTERM')).toBe(0);

  const database = await openPostgres({ url: postgres.url('postgres'), clock: systemClock, log: silentLog });
  await expectWhole(database, load.acknowledged);
  await database.close();
}, 120_000);

test('two API processes and two workers, one of each killed under load: the others go on, and nothing is lost or delivered twice', async () => {
  const postgres = await startPostgres();
  cleanUps.push(() => postgres.stop());
  const start = async (role: 'api' | 'worker') => {
    const server = await startServer({
      port: await freePort(),
      dataDir: temporaryDirectory(),
      databaseUrl: postgres.url('postgres'),
      role,
    });
    cleanUps.push(() => server.end('SIGKILL'));
    return server;
  };
  const api = await start('api');
  const [otherApi, worker, otherWorker] = await Promise.all([start('api'), start('worker'), start('worker')]);
  const resellers: RemoteReseller[] = [];
  for (const number of [1, 2, 3]) resellers.push(await remoteReseller(api.url, `several-${number}`, BALANCE));

  const load = new Load('SEVERAL');
  load.start([api.url, otherApi.url], resellers, SCENES, CONNECTIONS);
  await load.untilAcknowledged(ORDERS_PER_ROUND);
  // Both share the work before one of them is gone; without that the end would prove nothing about two.
  while ((await ordersTaken(worker)) === 0 || (await ordersTaken(otherWorker)) === 0) await systemClock.sleep(20);
  await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')]);
  const takenBefore = await ordersTaken(otherWorker);
  await load.untilAcknowledged(ROUNDS * ORDERS_PER_ROUND);
  await load.stop();
  await load.resendUnanswered(otherApi.url);
  // The dead worker's orders are free when its lease ends, which no living one may cut short.
  await untilAllEnded(otherApi);
  expect(await ordersTaken(otherWorker)).toBeGreaterThan(takenBefore);
  expect(load.refused).toEqual([]);
  expect(load.unanswered).toEqual([]);
  expect(await otherApi.end('SIGTERM')).toBe(0);
  expect(await otherWorker.end('SIGTERM')).toBe(0);

  const database = await openPostgres({ url: postgres.url('postgres'), clock: systemClock, log: silentLog });
  await expectWhole(database, load.acknowledged);
  await database.close();
}, 120_000);

test('told to stop under load, the server answers what it took, ends cleanly, and the next one finds everything', async () => {
  const dataDir = temporaryDirectory();
  const start = { port: await freePort(), dataDir };
  const server = await startServer(start);
  cleanUps.push(() => server.end('SIGKILL'));
  const resellers = [await remoteReseller(server.url, 'stop-1', BALANCE)];
  const load = new Load('STOP');
  load.start(server.url, resellers, SCENES, CONNECTIONS);
  await load.untilAcknowledged(ORDERS_PER_ROUND);
  expect(await server.end('SIGTERM')).toBe(0);
  await load.stop();
  expect(server.output()).not.toContain('ERROR');

  const database = await openEmbedded({ directory: dataDir, clock: systemClock, log: silentLog });
  const { rows } = await sql<{ ref_id: string }>`select ref_id from orders`.execute(database.db);
  const stored = new Set(rows.map(({ ref_id }) => ref_id));
  expect(load.acknowledged.filter(({ refId }) => !stored.has(refId))).toEqual([]);
  // Every order is acknowledged, or its client knows that it got no answer and has to ask.
  const known = new Set([...load.acknowledged, ...load.unanswered].map(({ refId }) => refId));
  expect([...stored].filter((refId) => !known.has(refId))).toEqual([]);
  expect((await auditLedger(database.db)).ok).toBe(true);
  await database.close();
}, 60_000);

/** Loads the server, strikes, starts it again, sends again what got no answer; and waits for the end of all orders. */
async function crashRounds(start: () => Promise<ServerProcess>, strike: (server: ServerProcess) => Promise<unknown>) {
  const load = new Load('CRASH');
  let server = await start();
  const resellers: RemoteReseller[] = [];
  for (const number of [1, 2, 3]) resellers.push(await remoteReseller(server.url, `crash-${number}`, BALANCE));

  for (let round = 1; round <= ROUNDS; round++) {
    load.start(server.url, resellers, SCENES, CONNECTIONS);
    await load.untilAcknowledged(round * ORDERS_PER_ROUND);
    await strike(server);
    await load.stop();
    server = await start();
    await load.resendUnanswered(server.url);
  }
  cleanUps.push(() => server.end('SIGKILL'));
  await untilAllEnded(server);
  expect(load.refused).toEqual([]);
  expect(load.unanswered).toEqual([]);
  return { load, last: server };
}

async function ordersTaken(worker: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  return Number(/^topgate_orders_taken_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

async function untilAllEnded(server: ServerProcess): Promise<void> {
  const giveUpAt = systemClock.now().getTime() + 60_000;
  for (;;) {
    const { data, pagination } = await remoteAdmin(server.url, 'GET', '/admin/api/order?status=Process&limit=5');
    if (data.length === 0) return;
    if (systemClock.now().getTime() > giveUpAt)
      throw new Error(`Orders that never ended: ${JSON.stringify({ data, pagination })}\n${server.output()}`);
    await systemClock.sleep(100);
  }
}

/** Looks into the database itself, past the service: nothing acknowledged is missing, every invariant holds, nothing was bought twice. */
async function expectWhole({ db }: Database, acknowledged: PlacedOrder[]): Promise<void> {
  const { rows: stored } = await sql<{ ref_id: string; state: string }>`select ref_id, state from orders`.execute(db);
  const states = new Map(stored.map(({ ref_id, state }) => [ref_id, state]));
  expect(acknowledged.filter(({ refId }) => !states.has(refId))).toEqual([]);
  expect(new Set(acknowledged.map(({ orderId }) => orderId)).size).toBe(new Set(acknowledged.map(({ refId }) => refId)).size);
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * ORDERS_PER_ROUND);

  const audit = await auditLedger(db);
  expect(audit.checks.filter(({ ok }) => !ok)).toEqual([]);
  // From the supplier's side: its book holds at most one purchase for each order.
  const { rows: twice } = await sql`
    select left(reference, 28) as order_id, count(*) from sandbox_orders group by 1 having count(*) > 1`.execute(db);
  expect(twice).toEqual([]);
  const { rows: undelivered } = await sql`
    select count(*)::int as count from orders o where o.state = 'Success' and not exists (
      select from attempts a join sandbox_orders s on s.reference = a.reference and s.supplier_code = a.supplier_code
      where a.account_id = o.account_id and a.order_id = o.id and a.state = 'Delivered')`.execute(db);
  expect(undelivered).toEqual([{ count: 0 }]);
}
