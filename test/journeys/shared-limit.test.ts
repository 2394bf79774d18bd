import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/db/postgres.ts';
import { required } from '../../src/lib/assert.ts';
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts';
import { fromPublicId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openOnServer, type TestDatabase } from '../support/engines.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

/** Two API processes on one PostgreSQL, behind a load balancer that spreads requests as it likes. */
const LIMIT = 20;
/** Tokens in hand lapse after a quarter of a second, and a share is never more than a tenth of the limit. */
const IN_HAND_SECONDS = 0.25;

let shared: TestDatabase;
let services: TestService[];
const closings: (() => Promise<void>)[] = [];

async function openAnother(): Promise<TestService> {
  const database = await openPostgres({ url: shared.url ?? '', clock: systemClock, log: silentLog, poolSize: 4 });
  const service = await openTestService({ database }, { config: { role: 'api', rateLimit: LIMIT } });
  closings.push(async () => {
    await service.stop();
    await database.close();
  });
  return service;
}

beforeAll(async () => {
  shared = await openOnServer();
  services = [await openAnother(), await openAnother()];
  // Each process looks once a second who else is there; from then on it takes tokens from the buckets they share.
  for (const [index, service] of services.entries()) {
    const probe = await required(services[0], 'a process').reseller();
    await until(async () => {
      await ask(service, probe);
      return (await bucketsOf(probe)) > 0;
    }, `process ${index} counts with the other`);
  }
});

afterAll(async () => {
  for (const close of closings) await close();
  await shared.drop();
});

const ask = (service: TestService, reseller: TestReseller) =>
  service.raw({ method: 'GET', url: '/api/account', headers: { authorization: `Bearer ${reseller.token}` } });

async function bucketsOf({ resellerId }: TestReseller): Promise<number> {
  const { rows } = await sql`select from rate_buckets where reseller_id = ${fromPublicId('rs_', resellerId)}`.execute(
    shared.database.db,
  );
  return rows.length;
}

/** Sends all at once and answers how many were let through, and the most that may be in the time it took. */
async function flood(reseller: TestReseller, receivers: TestService[]) {
  const startMs = systemClock.now().getTime();
  const answers = await Promise.all(receivers.map((service) => ask(service, reseller)));
  const seconds = (systemClock.now().getTime() - startMs) / SECOND_MS;
  const allowed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect(allowed.length + refused.length).toBe(receivers.length);
  return { allowed: allowed.length, most: Math.ceil(LIMIT * (1 + seconds + IN_HAND_SECONDS)), answers, refused };
}

test('a reseller whose requests reach both processes has the limit once, and no more', async () => {
  const reseller = await required(services[0], 'a process').reseller();
  const receivers = Array.from({ length: 120 }, (_, index) => required(services[index % 2], 'a process'));
  const { allowed, most, refused } = await flood(reseller, receivers);
  expect(allowed).toBeGreaterThanOrEqual(LIMIT);
  expect(allowed).toBeLessThanOrEqual(most);
  expect(refused[0]).toMatchObject({
    headers: { 'retry-after': '1', ratelimit: '"default";r=0;t=1', 'ratelimit-policy': `"default";q=${LIMIT};w=1` },
    body: { error: { code: 'rate_limited', retryable: true } },
  });
});

test.each([0, 1])('a reseller whose connection stays with process %i has all of it there', async (index) => {
  const reseller = await required(services[0], 'a process').reseller();
  const { allowed, most } = await flood(reseller, Array(120).fill(services[index]));
  expect(allowed).toBeGreaterThanOrEqual(LIMIT);
  expect(allowed).toBeLessThanOrEqual(most);
});

test('what one process let through is missing from what the other says is left', async () => {
  const reseller = await required(services[0], 'a process').reseller();
  const { answers } = await flood(reseller, Array(10).fill(services[0]));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const { headers } = await ask(required(services[1], 'a process'), reseller);
  const left = Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
  expect(left).toBeLessThan(LIMIT - 1);
});
