import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { openTestService, type TestReseller, type TestService } from '../../test/support/service.ts';
import { after, DAY_MS } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { auditLedger } from '../reports/index.ts';
import { expireMonths, keepMonthsAhead } from './keep-months.ts';
import { makeMonths } from './month-store.ts';

const KEEP_DAYS = 180;

/** One for both engines: ids never go back, so neither may the time. */
const clock = new FakeClock();

describeOnBothEngines('months of events', (open) => {
  let topgate: TestService;
  let reseller: TestReseller;
  let deposits = 0;

  beforeAll(async () => {
    // Without workers nothing but these tests touches a delivery.
    topgate = await openTestService(open(), { clock, config: { role: 'api' } });
    reseller = await topgate.reseller({ balance: 0 });
    await reseller.post('/api/webhook', { url: 'http://127.0.0.1:9/hook' });
  });
  afterAll(() => topgate.stop());

  const db = () => open().database.db;
  const deps = () => ({ db: db(), clock, log: silentLog });
  const expire = (outcome: 'dropped' | 'archived' = 'dropped') => expireMonths(deps(), { days: KEEP_DAYS, outcome });

  /** An event with its delivery. */
  async function deposit(): Promise<void> {
    const body = { amount: 1_000, mode: 'test', reference: `month ${++deposits}` };
    await topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/deposit`, body);
  }

  /** The month so many months away from the present one. */
  function month(offset = 0): string {
    const now = clock.now();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 7).replace('-', '_');
  }

  async function passOneMonth(): Promise<void> {
    const [, number] = month().split('_');
    while (month().endsWith(`_${number}`)) await clock.jump(DAY_MS);
  }

  async function rows(query: string): Promise<Record<string, unknown>[]> {
    return (await sql<Record<string, unknown>>`${sql.raw(query)}`.execute(db())).rows;
  }

  const count = async (table: string) => Number((await rows(`select count(*) as count from ${table}`))[0]?.['count']);
  const months = async (schema = 'public') =>
    (
      await rows(`select right(relname, 7) as month from pg_class
                  where relkind = 'r' and relname ~ '^events_[0-9]{4}_[0-9]{2}$' and relnamespace::regnamespace::text = '${schema}'
                  order by month`)
    ).map((row) => row['month']);

  const sendAllBut = async (waiting: string) =>
    rows(`update webhook_deliveries set state = 'Delivered', next_attempt_at = null
          where state = 'Pending' and sequence not in (${waiting})`);

  test('the present month and the next two exist from the start, and a second look makes nothing', async () => {
    expect(await months()).toEqual([month(), month(1), month(2)]);
    expect(await makeMonths(db(), clock.now())).toBe(0);
  });

  test("over a year and its end every event finds its month, with the job's daily run", async () => {
    for (let passed = 0; passed < 12; passed++) {
      await deposit();
      await passOneMonth();
      await keepMonthsAhead(deps());
      expect(await months()).toContain(month(2));
    }
    expect(await count('events')).toBe(12);
    expect(await count('events_rest')).toBe(0);
    expect(await months()).toHaveLength(15);
  });

  test('months that are older than events are kept vanish; what still waits in them stays, and the audit finds nothing', async () => {
    // The second event of all still waits for its receiver.
    await sendAllBut('2');
    const before = await months();
    const { expired, kept } = await expire();
    expect(kept).toEqual([]);
    expect(expired).toEqual(before.slice(0, expired.length));
    expect(expired.length).toBeGreaterThan(4);
    const limit = after(clock.now(), -KEEP_DAYS * DAY_MS)
      .toISOString()
      .slice(0, 7)
      .replace('-', '_');
    expect(await months()).toEqual(before.filter((name) => String(name) >= limit));

    expect(await rows('select sequence::int as sequence, state from webhook_deliveries_rest')).toEqual([
      { sequence: 2, state: 'Pending' },
    ]);
    expect(await count('events_rest')).toBe(1);
    const report = await auditLedger(db());
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect((await expire()).expired).toEqual([]);
  });

  test('the feed begins after what has expired, without a gap, and says so to who was away too long', async () => {
    const events = (await reseller.get('/api/events')).body.data;
    const [first] = events;
    expect(first.sequence).toBeGreaterThan(2);
    expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      Array.from({ length: 12 - first.sequence + 1 }, (_, index) => first.sequence + index),
    );
    const late = await reseller.get('/api/events?after=1');
    expect(late.body.error).toMatchObject({ code: 'events_expired', details: { first_sequence: first.sequence } });
    expect((await reseller.get(`/api/events?after=${first.sequence - 1}`)).body.data[0]).toEqual(first);
  });

  test('what outlived its month goes when it waits no more', async () => {
    await sendAllBut('0');
    expect(await expire()).toMatchObject({ deleted: 1 });
    expect(await count('webhook_deliveries_rest')).toBe(0);
    expect(await count('events_rest')).toBe(0);
  });

  test('events that come when their month is missing are kept aside, and moved into it with all walls', async () => {
    for (let passed = 0; passed < 4; passed++) await passOneMonth();
    await deposit();
    expect(await count('events_rest')).toBe(1);
    expect(await count('webhook_deliveries_rest')).toBe(1);
    expect(await keepMonthsAhead(deps())).toEqual({ made: 3, filed: 0 });
    expect(await count('events_rest')).toBe(0);
    expect(await count(`webhook_deliveries_${month()}`)).toBe(1);
    await expect(rows(`insert into webhook_deliveries select * from webhook_deliveries_${month()}`)).rejects.toMatchObject({
      code: '23505',
    });
    const twice = `insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object('id', id_beside(d.id)))).*
                   from webhook_deliveries_${month()} as d`;
    await expect(rows(twice)).rejects.toMatchObject({ code: '23505', constraint: `webhook_deliveries_${month()}_once` });
    const orphan = `insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object('id', id_beside(d.id), 'sequence', 999))).*
                    from webhook_deliveries_${month()} as d`;
    await expect(rows(orphan)).rejects.toMatchObject({ code: '23503', constraint: `webhook_deliveries_${month()}_event` });
  });

  test('events of a month long past that was never made are filed too, and expire like others', async () => {
    for (let passed = 0; passed < 4; passed++) await passOneMonth();
    await deposit();
    const missed = month();
    for (let passed = 0; passed < 4; passed++) await passOneMonth();
    expect(await keepMonthsAhead(deps())).toEqual({ made: 3, filed: 1 });
    expect(await months()).toContain(missed);
    expect(await count('events_rest')).toBe(0);
  });

  test('a month is set aside for a copy instead, where the operator wants that', async () => {
    for (let passed = 0; passed < 8; passed++) await passOneMonth();
    await sendAllBut('0');
    const { expired } = await expire('archived');
    expect(expired.length).toBeGreaterThan(0);
    expect(await months('archive')).toEqual(expired);
    expect((await auditLedger(db())).checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('what waits for a deleted endpoint is cancelled, so that it holds no month', async () => {
    await keepMonthsAhead(deps());
    await deposit();
    await rows(`update webhook_endpoints set status = 'Deleted', next_visit_at = null, lease = null`);
    expect(await expire()).toMatchObject({ cancelled: 1 });
  });
});
