import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { until } from '../../test/support/service.ts';
import { after, DAY_MS, SECOND_MS } from '../lib/clock.ts';
import { newId, newRandomId } from '../lib/ids.ts';
import { type Log, silentLog } from '../lib/log.ts';
import type { RequestEntry } from './entry.ts';
import { pruneRequests } from './prune-requests.ts';
import { MAX_WAITING, RequestBuffer } from './request-buffer.ts';
import { insertRequests, listRequests } from './store.ts';
import { startWriter } from './write-requests.ts';

const ACCOUNT = newRandomId();

function entry(at: Date): RequestEntry {
  return {
    accountId: ACCOUNT,
    id: newId(at),
    requestId: 'request',
    method: 'POST',
    path: '/api/order',
    status: 402,
    problem: { code: 'insufficient_balance', message: 'Deposit first.' },
    durationMs: 3,
    request: { ref_id: 'INV-1', account_identifier: { user_id: '••••0001' } },
    at,
  };
}

describeOnBothEngines('writing the request log', (open) => {
  let clock: FakeClock;
  let buffer: RequestBuffer;
  let warnings: { dropped: number; message: string }[];
  let writer: { stop(): Promise<void> };

  beforeEach(async () => {
    clock = new FakeClock();
    buffer = new RequestBuffer();
    warnings = [];
    await sql`delete from request_log`.execute(open().database.db);
    const log: Log = { ...silentLog, warn: (details, message) => warnings.push({ dropped: 0, ...details, message }) };
    writer = startWriter({ db: open().database.db, clock, log, buffer });
    return async () => writer.stop();
  });
  afterAll(() => sql`delete from request_log`.execute(open().database.db));

  const count = async () => {
    const { rows } = await sql<{ count: bigint }>`select count(*) as count from request_log`.execute(open().database.db);
    return Number(rows[0]?.count);
  };
  const add = (entries: number) => {
    for (let index = 0; index < entries; index++) buffer.add(entry(clock.now()));
  };

  test('an entry is read as it was written', async () => {
    const written = entry(clock.now());
    buffer.add(written);
    await clock.advance(SECOND_MS - 1);
    expect(buffer.length).toBe(1);
    await clock.advance(1);
    await until(async () => (await count()) === 1, 'it is written');
    const list = async (from: Date) =>
      (await listRequests(open().database.db, ACCOUNT, { errorsOnly: true, from, limit: 10 })).items;
    expect(await list(written.at)).toEqual([written]);
    expect(await list(clock.now())).toEqual([]);
  });

  test('all that waits is written in one turn, and at the stop', async () => {
    add(1_200);
    await clock.advance(SECOND_MS);
    await until(async () => (await count()) === 1_200, 'all is written');
    add(700);
    await writer.stop();
    expect(await count()).toBe(1_900);
    expect(warnings).toEqual([]);
  });

  test('what comes while others are being written waits for the next second', async () => {
    add(1);
    await clock.advance(SECOND_MS);
    add(1);
    await until(async () => (await count()) === 1, 'the first is written');
    expect(buffer.length).toBe(1);
    await until(async () => {
      await clock.advance(SECOND_MS);
      return (await count()) === 2;
    }, 'the second is written');
  });

  test('what is older than its days is deleted, in any number, and nothing else', async () => {
    const { db } = open().database;
    const old = after(clock.now(), -7 * DAY_MS - 1);
    await insertRequests(
      db,
      Array.from({ length: 1_700 }, () => entry(old)),
    );
    await insertRequests(db, [entry(after(clock.now(), -7 * DAY_MS)), entry(clock.now())]);
    expect(await pruneRequests({ db, clock, days: 7 })).toEqual({ deleted: 1_700 });
    expect(await count()).toBe(2);
    await clock.advance(1);
    expect(await pruneRequests({ db, clock, days: 0 })).toEqual({ deleted: 2 });
  });

  test('more than can wait is left out, and said once a minute', async () => {
    add(MAX_WAITING + 7);
    await clock.advance(SECOND_MS);
    await until(async () => warnings.length > 0, 'the gap is reported');
    expect(await count()).toBe(MAX_WAITING);
    expect(warnings).toEqual([expect.objectContaining({ dropped: 7, message: expect.stringContaining('has gaps') })]);
  });

  test('a batch that cannot be written is lost alone: the log says so once a minute and goes on', async () => {
    const { db } = open().database;
    await sql`alter table request_log rename to hidden`.execute(db);
    add(3);
    await clock.advance(SECOND_MS);
    await until(async () => warnings.length === 1, 'the gap is reported');
    expect(warnings).toEqual([expect.objectContaining({ dropped: 3, err: expect.any(Error) })]);
    // The second of these two is only taken when the first has failed.
    for (const entries of [2, 1]) {
      add(entries);
      await until(async () => {
        await clock.advance(SECOND_MS);
        return buffer.length === 0;
      }, 'the next batch is taken');
    }
    await sql`alter table hidden rename to request_log`.execute(db);
    add(1);
    await until(async () => {
      await clock.advance(SECOND_MS);
      return (await count()) > 0;
    }, 'the next entry is written');
    await clock.advance(60 * SECOND_MS);
    await until(async () => warnings.reduce((sum, { dropped }) => sum + dropped, 0) >= 5, 'what was lost later is reported');
  });
});
