import fs from 'node:fs';
import { sql } from 'kysely';
import type { Db } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { silentLog } from '../src/lib/log.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { scriptedReceivers } from '../test/support/scripted-receiver.ts';
import { openTestService, type TestReseller, until } from '../test/support/service.ts';

/**
 * What orders cost the database, each delivered at once and told to one webhook endpoint: rows, bytes by table and index, log,
 * fsyncs, updates in place and the server's processor time. `node scripts/measure-growth.ts 20000`; the guide to scaling has the
 * numbers for a million. Needs a quiet machine for the times; the bytes are the same on any.
 */
const ORDERS = Number(process.argv[2] ?? 20_000);
const RESELLERS = 20;
const AT_ONCE = 256;
const TICKS_PER_SECOND = 100;

const server = await startPostgres({ autovacuum_naptime: '2s' });
const database = await openPostgres({ url: server.url('postgres'), clock: systemClock, log: silentLog });
const { db } = database;
try {
  await migrate(database);
  await measure();
} finally {
  await database.close();
  await server.stop();
}

async function measure(): Promise<void> {
  // As after half a year.
  await sql`select make_month((date_trunc('month', now()) - make_interval(months => back))::date) from generate_series(1, 6) as back`.execute(
    db,
  );
  const topgate = await openTestService({ database }, { webhookSender: scriptedReceivers(systemClock) });
  const resellers: TestReseller[] = [];
  for (let index = 0; index < RESELLERS; index++) {
    const reseller = await topgate.reseller({ balance: 1_000_000_000 });
    await reseller.post('/api/webhook', { url: 'http://127.0.0.1:9/hook' });
    resellers.push(reseller);
  }
  await until(async () => (await waiting(db)) === 0, 'the beginning is over');
  const before = await counters(db);

  let placed = 0;
  const run = `M${newId(systemClock.now()).slice(0, 8)}`;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let order = placed++; order < ORDERS; order = placed++) {
        const reseller = resellers[order % RESELLERS] as TestReseller;
        const answer = await reseller.order({ ref_id: `${run}-${order}`, user_id: `${100_000 + order}0001` });
        if (answer.status !== 200) throw new Error(`An order was refused: ${JSON.stringify(answer.body)}`);
      }
    }),
  );
  while ((await waiting(db)) > 0) await systemClock.sleep(200);
  const after = await counters(db);
  const each = (name: keyof typeof after) => ((after[name] - before[name]) / ORDERS).toFixed(3);

  console.log(`${ORDERS} orders; for each:`);
  console.log(`  log ${each('walBytes')} bytes, ${each('walRecords')} records; fsyncs of the log ${each('fsyncs')}`);
  console.log(`  transactions ${each('transactions')}; processor of the server ${(Number(each('ticks')) * 10).toFixed(3)} ms`);
  await sql`vacuum (analyze)`.execute(db);
  const { rows: tables } = await sql<Record<string, unknown>>`
    select coalesce(parent.relname, c.relname) as table, sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated,
           sum(n_tup_hot_upd)::int as in_place, sum(pg_relation_size(c.oid))::bigint as heap, sum(pg_indexes_size(c.oid))::bigint as indexes
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    left join pg_inherits on inhrelid = c.oid left join pg_class parent on parent.oid = inhparent
    group by 1 having sum(n_tup_ins) > ${ORDERS / 2} or sum(n_tup_upd) > 100 order by sum(pg_total_relation_size(c.oid)) desc`.execute(
    db,
  );
  console.table(tables);
  const { rows: indexes } = await sql<Record<string, unknown>>`
    select indexrelname as index, pg_relation_size(indexrelid)::bigint as bytes, idx_scan as scans from pg_stat_user_indexes
    where pg_relation_size(indexrelid) > ${ORDERS * 8} order by 2 desc`.execute(db);
  console.table(indexes);
  await topgate.stop();
}

/** Orders in process, and deliveries on their way. */
async function waiting(source: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from orders where next_action_at is not null)
      + (select count(*) from webhook_deliveries where next_attempt_at is not null))::int as count`.execute(source);
  return rows[0]?.count ?? 0;
}

async function counters(source: Db) {
  const { rows } = await sql<{ bytes: bigint; records: bigint; fsyncs: bigint; transactions: bigint; pid: string }>`
    select wal_bytes::bigint as bytes, wal_records as records,
      (select sum(fsyncs)::bigint from pg_stat_io where object = 'wal') as fsyncs,
      (select xact_commit from pg_stat_database where datname = current_database()) as transactions,
      split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid
    from pg_stat_wal`.execute(source);
  const [row] = rows;
  if (row === undefined) throw new Error('The server told nothing.');
  return {
    walBytes: Number(row.bytes),
    walRecords: Number(row.records),
    fsyncs: Number(row.fsyncs),
    transactions: Number(row.transactions),
    ticks: processorTicks(row.pid),
  };
}

/** User and system time of all processes of the server, in hundredths of a second. */
function processorTicks(postmaster: string): number {
  const stats = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        return [text.slice(text.lastIndexOf(')') + 2).split(' ')];
      } catch {
        return [];
      }
    });
  const own = stats.filter((fields) => fields[1] === postmaster);
  return own.reduce((sum, fields) => sum + ((Number(fields[11]) + Number(fields[12])) * 100) / TICKS_PER_SECOND, 0);
}
