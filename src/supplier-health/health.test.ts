import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock, TEST_START } from '../../test/support/fake-clock.ts';
import { after, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { ObservedCall } from '../suppliers/observed-call.ts';
import { addCounts, countCall, healthOf, LATENCY_CLASSES_MS, NO_HEALTH, noCounts, percentile } from './health.ts';
import { openHealthBook } from './health-book.ts';
import { pruneHealth } from './prune-health.ts';

function callOf(fields: Partial<ObservedCall>): ObservedCall {
  return {
    supplierCode: 'sandbox',
    call: 'place',
    reference: 'TG1-1',
    outcome: 'delivered',
    detail: null,
    hold: null,
    at: TEST_START,
    durationMs: 150,
    exchanges: [],
    ...fields,
  };
}

function countsOf(...calls: Partial<ObservedCall>[]) {
  const counts = noCounts();
  for (const call of calls) countCall(counts, callOf(call));
  return counts;
}

describe('health', () => {
  test('of a supplier that was asked nothing is not known', () => {
    expect(healthOf(noCounts())).toEqual(NO_HEALTH);
    expect(healthOf(countsOf({ call: 'balance' }, { call: 'lookup' }, { call: 'check' }))).toEqual(NO_HEALTH);
  });

  test.each<[string, Partial<ObservedCall>, number]>([
    ['a delivery', {}, 1],
    ['a purchase that is taken', { outcome: 'pending' }, 1],
    ['a player that the game does not know', { outcome: 'rejected', isOrderAtFault: true }, 1],
    ['an item out of stock', { outcome: 'rejected', isOrderAtFault: false }, 0],
    ['a lost answer', { outcome: 'unknown' }, 0],
    ['neither yes nor no', { outcome: 'unclear' }, 0],
    ['a refused connection', { outcome: 'not_sent' }, 0],
    ['a fault of our configuration', { outcome: 'misconfigured' }, 0],
  ])('%s counts %#', (_what, call, rate) => {
    expect(healthOf(countsOf(call))).toMatchObject({ successRate: rate, calls: 1 });
  });

  test('a purchase that was taken at first and refused later did not go well; one that failed by its player did', () => {
    const taken = { outcome: 'pending' };
    const later = { call: 'check' as const, outcome: 'rejected' };
    expect(healthOf(countsOf(taken, taken, { ...later, isOrderAtFault: false })).successRate).toBe(0.5);
    expect(healthOf(countsOf(taken, { ...later, isOrderAtFault: true })).successRate).toBe(1);
    expect(healthOf(countsOf(taken, later, later))).toMatchObject({ successRate: 0, calls: 1 });
  });

  test('a connection that was refused says nothing about how fast answers are', () => {
    expect(healthOf(countsOf({ outcome: 'not_sent' }))).toMatchObject({ latencyP50Ms: null, latencyP95Ms: null });
  });

  test('percentiles lie in the class of the answer they tell of', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 120_000 }), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (times, share) => {
          const counts = countsOf(...times.map((durationMs) => ({ durationMs })));
          const sorted = times.toSorted((one, other) => one - other);
          const exact = sorted[Math.ceil(share * sorted.length - 1e-9) - 1] ?? 0;
          const place = LATENCY_CLASSES_MS.findIndex((endMs) => exact <= endMs);
          const found = percentile(counts.latencies, share) ?? -1;
          expect(found).toBeGreaterThanOrEqual(LATENCY_CLASSES_MS[place - 1] ?? 0);
          expect(found).toBeLessThanOrEqual(LATENCY_CLASSES_MS[place] ?? 0);
        },
      ),
    );
  });

  test('two halves added up are the whole', () => {
    const calls = [{}, { outcome: 'unknown' }, { outcome: 'rejected', isOrderAtFault: true }, { call: 'check' as const }];
    expect(addCounts(countsOf(...calls.slice(0, 2)), countsOf(...calls.slice(2)))).toEqual(countsOf(...calls));
  });
});

describeOnBothEngines('the book of health', (open) => {
  test('adds up what all processes saw, survives them, and forgets what is older than an hour', async () => {
    const clock = new FakeClock();
    const { db } = open().database;
    const one = await openHealthBook({ db, clock, log: silentLog });
    const other = await openHealthBook({ db, clock, log: silentLog });
    for (let call = 0; call < 3; call++) one.observe(callOf({ at: clock.now() }));
    other.observe(callOf({ at: clock.now(), outcome: 'unknown', durationMs: 3_000 }));
    expect(one.of('sandbox')).toMatchObject({ successRate: 1, calls: 3 });
    await one.stop();
    await other.stop();

    const later = await openHealthBook({ db, clock, log: silentLog });
    expect(later.of('sandbox')).toMatchObject({ successRate: 0.75, calls: 4 });
    expect(later.of('sandbox-2')).toEqual(NO_HEALTH);
    later.observe(callOf({ at: after(clock.now(), 6 * MINUTE_MS) }));
    await later.stop();
    await clock.jump(HOUR_MS);
    const nextHour = await openHealthBook({ db, clock, log: silentLog });
    expect(nextHour.of('sandbox')).toMatchObject({ calls: 1 });
    await nextHour.stop();
  });

  test('is pruned after 30 days', async () => {
    const { db } = open().database;
    const at = (days: number) => ({ now: () => after(TEST_START, days * 24 * HOUR_MS), sleep: async () => undefined });
    expect(await pruneHealth({ db, clock: at(29) })).toEqual({ health: 0, balances: 0 });
    expect((await pruneHealth({ db, clock: at(31) })).health).toBeGreaterThan(0);
    expect(await db.selectFrom('supplier_health').selectAll().execute()).toEqual([]);
  });
});
