import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { required } from '../lib/assert.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { RateDecision } from './rate-limit.ts';
import type { TokenGrant, TokenRequest } from './rate-store.ts';
import { SharedRateLimit } from './shared-rate-limit.ts';
import { SHARE_LAPSES_MS } from './token-share.ts';

const RESELLER = 'one';

/** Buckets in memory that give as the statement in the store does; a test of the store holds the two together. */
function buckets(clock: Clock, perSecond: number) {
  const fullAtUs = new Map<string, number>();
  const statements: TokenRequest[][] = [];
  const takeTokens = async (requests: TokenRequest[]): Promise<Map<string, TokenGrant>> => {
    statements.push(requests);
    const nowUs = clock.now().getTime() * 1_000;
    return new Map(
      requests.map(({ resellerId, wanted }) => {
        const fullAt = Math.max(nowUs, fullAtUs.get(resellerId) ?? 0);
        const granted = Math.min(wanted, Math.floor(((1_000_000 - (fullAt - nowUs)) * perSecond) / 1_000_000));
        const next = fullAt + Math.floor((Math.max(0, granted) * 1_000_000) / perSecond);
        fullAtUs.set(resellerId, next);
        return [resellerId, { granted: Math.max(0, granted), fullInMs: (next - nowUs) / 1_000 }];
      }),
    );
  };
  return { takeTokens, statements };
}

function processes(count: number, perSecond: number, clock = new FakeClock()) {
  const { takeTokens, statements } = buckets(clock, perSecond);
  const limits = Array.from(
    { length: count },
    () => new SharedRateLimit({ clock, log: silentLog, perSecond, isAlone: () => count === 1, takeTokens }),
  );
  return { clock, limits, statements };
}

async function allowedOf(decisions: (RateDecision | Promise<RateDecision>)[]): Promise<number> {
  return (await Promise.all(decisions)).filter(({ allowed }) => allowed).length;
}

const take = (limit: SharedRateLimit, count: number) => Array.from({ length: count }, () => limit.take(RESELLER));

describe('the rate limit of several processes', () => {
  test('in no span of time do all of them together let through more than the limit and one burst, however requests are spread', async () => {
    const step = fc.record({ process: fc.nat(3), count: fc.integer({ min: 1, max: 40 }), pauseMs: fc.nat(400) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.array(step, { minLength: 1, maxLength: 60 }),
        async (perSecond, steps) => {
          const { clock, limits } = processes(4, perSecond);
          const allowed: { atMs: number; count: number }[] = [];
          for (const { process, count, pauseMs } of steps) {
            const limit = required(limits[process], 'a process');
            allowed.push({ atMs: clock.now().getTime(), count: await allowedOf(take(limit, count)) });
            await clock.advance(pauseMs);
          }
          for (const [start, first] of allowed.entries()) {
            let sum = 0;
            for (const { atMs, count } of allowed.slice(start)) {
              sum += count;
              // Tokens in hand may be as old as their lapse; a microsecond is lost where the limit does not divide a second.
              const spanSeconds = (atMs - first.atMs + SHARE_LAPSES_MS) / SECOND_MS;
              expect(sum).toBeLessThanOrEqual(Math.ceil(perSecond * (1 + spanSeconds) * 1.001));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('one process gets the whole limit while the other has nothing to do', async () => {
    const { clock, limits } = processes(2, 50);
    const [busy] = limits;
    let allowed = await allowedOf(take(required(busy, 'a process'), 60));
    expect(allowed).toBe(50);
    for (let tick = 0; tick < 100; tick++) {
      await clock.advance(100);
      allowed += await allowedOf(take(required(busy, 'a process'), 8));
    }
    // Ten seconds at 50; what was in hand at the end of the burst may have lapsed.
    expect(allowed).toBeGreaterThanOrEqual(50 + 490);
    expect(allowed).toBeLessThanOrEqual(50 + 500);
  });

  test('a busy reseller costs a statement for every few requests, and one who is refused costs none', async () => {
    const { clock, limits, statements } = processes(2, 1_000);
    const [busy] = limits;
    for (let tick = 0; tick < 400; tick++) {
      await allowedOf(take(required(busy, 'a process'), 4));
      await nextTurn();
      await clock.advance(5);
    }
    // 1,600 requests in two seconds; the first tenth of a second has no past to learn from.
    expect(statements.length).toBeLessThan(160);

    await allowedOf(take(required(busy, 'a process'), 2_000));
    const before = statements.length;
    expect(await allowedOf(take(required(busy, 'a process'), 500))).toBe(0);
    expect(statements.length).toBe(before);
  });

  test('what many resellers need at one moment is one statement, in which each is named once', async () => {
    const { limits, statements } = processes(2, 50);
    const names = Array.from({ length: 100 }, (_, index) => `reseller ${index % 20}`);
    await Promise.all(names.map((name) => limits[0]?.take(name)));
    expect(statements).toHaveLength(1);
    expect(statements[0]).toHaveLength(20);
    expect(statements[0]?.[0]).toEqual({ resellerId: 'reseller 0', wanted: 5 });
  });

  test('alone, a process asks nobody and answers at once', () => {
    const { limits, statements } = processes(1, 10);
    const decisions = take(required(limits[0], 'a process'), 12);
    expect(decisions.filter((decision) => !(decision instanceof Promise) && decision.allowed)).toHaveLength(10);
    expect(statements).toEqual([]);
  });

  test('tells how many requests are left, and when the next may come', async () => {
    const { clock, limits } = processes(2, 4);
    const [limit] = limits;
    expect(await limit?.take(RESELLER)).toEqual({ allowed: true, remaining: 3 });
    expect(await limits[1]?.take(RESELLER)).toEqual({ allowed: true, remaining: 2 });
    expect(await limit?.take(RESELLER)).toEqual({ allowed: true, remaining: 1 });
    expect(await limit?.take(RESELLER)).toEqual({ allowed: true, remaining: 0 });
    expect(await limits[1]?.take(RESELLER)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    await clock.advance(250);
    expect(await limits[1]?.take(RESELLER)).toEqual({ allowed: true, remaining: 0 });
  });
});

describe('when the database does not count', () => {
  test('each process keeps to the limit alone, counts how often, and asks again until it is back', async () => {
    const clock = new FakeClock();
    const { takeTokens, statements } = buckets(clock, 10);
    let isAway = true;
    const limit = new SharedRateLimit({
      clock,
      log: silentLog,
      perSecond: 10,
      isAlone: () => false,
      async takeTokens(requests) {
        if (isAway) throw new Error('connection refused');
        return takeTokens(requests);
      },
    });
    expect(await allowedOf(take(limit, 15))).toBe(10);
    expect(limit.fallbacks).toBe(15);
    isAway = false;
    await clock.advance(1_000);
    expect(await limit.take(RESELLER)).toEqual({ allowed: true, remaining: 9 });
    await limit.drain();
    expect(statements).toHaveLength(1);
    await limit.take(RESELLER);
    expect(limit.fallbacks).toBe(16);
  });

  test('no request waits for it longer than a fifth of a second', async () => {
    const clock = new FakeClock();
    const { promise: stuck, resolve: release } = Promise.withResolvers<Map<string, TokenGrant>>();
    const limit = new SharedRateLimit({
      clock,
      log: silentLog,
      perSecond: 10,
      isAlone: () => false,
      takeTokens: () => stuck,
    });
    const first = limit.take(RESELLER);
    await nextTurn();
    await clock.advance(200);
    expect(await first).toMatchObject({ allowed: true });
    // The next one does not wait at all.
    expect(limit.take(RESELLER)).toMatchObject({ allowed: true });
    expect(limit.fallbacks).toBe(2);
    release(new Map());
    await limit.drain();
  });
});
