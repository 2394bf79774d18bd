import { describe, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { DAY_MS } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { Exchange, ObservedCall } from '../suppliers/observed-call.ts';
import { exchangesToKeep } from './exchange.ts';
import { openExchangeLog, pruneExchanges } from './exchange-log.ts';
import { findExchanges } from './exchange-store.ts';

const clock = new FakeClock();

function exchangeOf(fields: Partial<Exchange> = {}): Exchange {
  return {
    method: 'POST',
    url: 'https://supplier.example/order',
    requestBody: '{"sign":"•••"}',
    status: 200,
    responseBody: '{"status":"ok"}',
    error: null,
    durationMs: 40,
    ...fields,
  };
}

function callOf(fields: Partial<ObservedCall> = {}): ObservedCall {
  return {
    supplierCode: 'main',
    call: 'check',
    reference: 'TG-A-1',
    outcome: 'pending',
    detail: null,
    hold: null,
    at: clock.now(),
    durationMs: 50,
    exchanges: [exchangeOf()],
    ...fields,
  };
}

describe('what is kept of a call', () => {
  test.each<[string, Partial<ObservedCall>, number]>([
    ['a purchase whose call went well', { call: 'place', outcome: 'delivered' }, 1],
    ['every request of a question', { exchanges: [exchangeOf(), exchangeOf()] }, 2],
    ['no price list that was read', { call: 'list', outcome: 'known' }, 0],
    ['no nickname that was found', { call: 'lookup', outcome: 'found' }, 0],
    [
      'only the last request of a price list that failed',
      { call: 'list', outcome: 'unknown', exchanges: [exchangeOf(), exchangeOf()] },
      1,
    ],
    ['nothing of a call that sent nothing', { exchanges: [] }, 0],
  ])('%s', (_what, call, count) => {
    expect(exchangesToKeep(callOf(call))).toHaveLength(count);
  });

  test('half a character and NUL, which no database takes, are replaced', () => {
    const [kept] = exchangesToKeep(callOf({ detail: 'a\u0000', exchanges: [exchangeOf({ responseBody: 'x\ud83d' })] }));
    expect(kept).toMatchObject({ detail: 'a\ufffd', responseBody: 'x\ufffd' });
  });
});

describeOnBothEngines('the log of exchanges', (open) => {
  const openLog = (days = 30) => openExchangeLog({ db: open().database.db, clock, log: silentLog, days });

  test('is written within a second, found by the reference, oldest first and bounded', async () => {
    const log = openLog();
    for (const responseBody of ['first', 'second', 'third'])
      log.observe(callOf({ reference: 'TG-B-1', exchanges: [exchangeOf({ responseBody })] }));
    await log.stop();
    const found = await findExchanges(open().database.db, ['TG-B-1', 'TG-NONE-1'], 2);
    expect([...found.keys()]).toEqual(['TG-B-1']);
    expect(found.get('TG-B-1')?.map(({ responseBody }) => responseBody)).toEqual(['second', 'third']);
  });

  test('loses what there is no room for, counts it, and delays nobody', async () => {
    const log = openLog();
    for (let index = 0; index < 2_005; index++) log.observe(callOf({ reference: 'TG-C-1' }));
    expect(log.lost).toBe(5);
    await log.stop();
    expect((await findExchanges(open().database.db, ['TG-C-1'], 5_000)).get('TG-C-1')).toHaveLength(2_000);
  });

  test('keeps nothing when no days are set', async () => {
    const log = openLog(0);
    log.observe(callOf({ reference: 'TG-D-1' }));
    await log.stop();
    expect(await findExchanges(open().database.db, ['TG-D-1'], 5)).toEqual(new Map());
  });

  test('is pruned by age, in batches', async () => {
    await clock.jump(40 * DAY_MS);
    const log = openLog();
    log.observe(callOf({ reference: 'TG-E-1' }));
    await log.stop();
    const { db } = open().database;
    const { deleted } = await pruneExchanges({ db, clock, days: 30 });
    expect(deleted).toBeGreaterThanOrEqual(2_003);
    expect((await findExchanges(db, ['TG-B-1', 'TG-C-1', 'TG-E-1'], 5)).size).toBe(1);
  });
});
