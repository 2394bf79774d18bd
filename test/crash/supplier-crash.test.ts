import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts';
import { newChance } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { auditLedger } from '../../src/reports/index.ts';
import { digiflazzDialect } from '../simulators/digiflazz.ts';
import type { Fate } from '../simulators/shop.ts';
import { type Fault, Simulator } from '../simulators/simulator.ts';
import { Load, type RemoteReseller, remoteAdmin, remoteReseller } from '../support/load.ts';
import { freePort, startPostgres } from '../support/postgres-server.ts';
import { type ServerProcess, startServer } from '../support/process.ts';

/** What the supplier and the way to it do, in turn: every second request is troubled. */
const FAULTS: Fault[] = [
  { is: 'none' },
  { is: 'lost_answer' },
  { is: 'none' },
  { is: 'lost_request' },
  { is: 'none' },
  { is: 'error_page', status: 502, done: true },
  { is: 'none' },
  { is: 'garbage', body: '<html>' },
  { is: 'none' },
  { is: 'slow', delayMs: 300 },
];
const FATES: Fate[] = [
  { is: 'delivered', afterMs: 0 },
  { is: 'delivered', afterMs: 0 },
  { is: 'delivered', afterMs: 1_000 },
  { is: 'rejected', why: 'wrong_player', afterMs: 500 },
  { is: 'rejected', why: 'wrong_player', afterMs: 0 },
];
const CONNECTIONS = 12;
const PAUSE_MS = 200;
const ROUNDS = 4;
const ORDERS_PER_ROUND = 40;
const BALANCE = 10_000_000_000;
const END_LIMIT_MS = 90 * SECOND_MS;

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

/** A supplier over HTTP that troubles every second request, and keeps a book. */
async function openFaultySupplier() {
  let requests = 0;
  let orders = 0;
  const simulator = new Simulator(digiflazzDialect, {
    clock: systemClock,
    fateOf: () => FATES[orders++ % FATES.length] as Fate,
    faultOf: () => FAULTS[requests++ % FAULTS.length] as Fault,
  });
  const served = await simulator.listen();
  cleanUps.push(() => served.close());
  return {
    shop: simulator.shop,
    url: served.url,
    recover() {
      simulator.faultOf = () => ({ is: 'none' });
    },
  };
}

test('one API process and two workers, one of them killed at random again and again, PostgreSQL too, with a faulty supplier: nothing lost, nothing double, all ended', async () => {
  const postgres = await startPostgres();
  cleanUps.push(() => postgres.stop());
  const supplier = await openFaultySupplier();
  const start = async (role: 'api' | 'worker') => {
    const settings = { port: await freePort(), dataDir: temporaryDirectory(), databaseUrl: postgres.url('postgres'), role };
    const server = await startServer(settings);
    cleanUps.push(() => server.end('SIGKILL'));
    return server;
  };
  const api = await start('api');
  const config = { base_url: supplier.url, ...digiflazzDialect.config, time_limit_seconds: '2', concurrency: '8' };
  await remoteAdmin(api.url, 'POST', '/admin/api/supplier', { code: 'digi', kind: 'digiflazz', config });
  await remoteAdmin(api.url, 'PUT', '/admin/api/service/MLBB-85/route', [{ supplier: 'digi', sku: 'ML86', cost: 19_500 }]);
  const workers = [await start('worker'), await start('worker')];
  const resellers: RemoteReseller[] = [];
  for (const number of [1, 2, 3]) resellers.push(await remoteReseller(api.url, `faulty-${number}`, BALANCE, 'live'));

  const load = new Load('FAULTY');
  load.start(api.url, resellers, ['0001'], CONNECTIONS, PAUSE_MS);
  const story: string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await load.untilAcknowledged(round * ORDERS_PER_ROUND);
    if (round === 3) {
      story.push('PostgreSQL');
      await postgres.kill();
      await postgres.restart();
    } else {
      const index = newChance() < 0.5 ? 0 : 1;
      story.push(`worker ${index}`);
      await workers[index]?.end('SIGKILL');
      workers[index] = await start('worker');
    }
  }
  await load.stop();
  await load.resendUnanswered(api.url);
  expect(load.refused).toEqual([]);
  expect(load.unanswered).toEqual([]);
  // The supplier is well again, and an operator has everything asked about at once that would be asked about in minutes.
  supplier.recover();
  await untilAllEnded([api, ...workers], story);

  const database = await openPostgres({ url: postgres.url('postgres'), clock: systemClock, log: silentLog });
  cleanUps.push(() => database.close());
  await expectWhole(database, load, supplier.shop, story);
  for (const server of [api, ...workers]) expect(await server.end('SIGTERM')).toBe(0);
}, 240_000);

async function untilAllEnded(servers: ServerProcess[], story: string[]): Promise<void> {
  const giveUpAt = systemClock.now().getTime() + END_LIMIT_MS;
  const url = servers[0]?.url ?? '';
  for (;;) {
    const { data } = await remoteAdmin(url, 'GET', '/admin/api/order?status=Process&limit=100');
    if (data.length === 0) return;
    for (const order of data) await remoteAdmin(url, 'POST', `/admin/api/order/${order.order_id}/recheck`);
    if (systemClock.now().getTime() > giveUpAt) {
      const detail = await remoteAdmin(url, 'GET', `/admin/api/order/${data[0].order_id}`);
      const printed = servers.map((server) => server.output().slice(-2_000)).join('\n---\n');
      throw new Error(`Never ended after ${story.join(', ')}: ${JSON.stringify(detail.data)}\n${printed}`);
    }
    await systemClock.sleep(1_000);
  }
}

/** Compares our database with the supplier's book, order by order. */
async function expectWhole({ db }: Database, load: Load, shop: Simulator['shop'], story: string[]): Promise<void> {
  const { rows: orders } = await sql<{ ref_id: string; state: string; references: string[] }>`
    select o.ref_id, o.state, array_agg(a.reference) as references
    from orders o left join attempts a on a.account_id = o.account_id and a.order_id = o.id
    group by o.account_id, o.id`.execute(db);
  const stored = new Set(orders.map(({ ref_id }) => ref_id));
  expect(load.acknowledged.filter(({ refId }) => !stored.has(refId))).toEqual([]);
  expect((await auditLedger(db)).checks.filter(({ ok }) => !ok)).toEqual([]);

  const wrong = orders.filter(({ state, references }) => {
    const taken = shop.orders.filter(({ reference }) => references.includes(reference ?? ''));
    const delivered = taken.filter((order) => shop.stateOf(order) === 'delivered').length;
    return taken.length > 1 || delivered !== (state === 'Success' ? 1 : 0);
  });
  expect(wrong, `after the deaths of ${story.join(', ')}`).toEqual([]);
  const references = new Set(orders.flatMap((order) => order.references));
  expect(shop.orders.filter(({ reference }) => !references.has(reference ?? ''))).toEqual([]);
  expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['Success', 'Failed']));
}
