import { randomBytes } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { openEmbedded } from '../../src/db/open.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { type Context, WARM_UP_MS } from '../case.ts';
import type { Sample, Side } from '../report/figures.ts';
import type { Engine, Installation } from '../system/installations.ts';
import { openClient } from '../system/postgres.ts';
import { connectionsText } from '../system/topgate.ts';
import { expectEqual } from '../system/verify.ts';
import { PRICE, SALES } from './one-by-one.ts';

/**
 * Baseline (d): the database alone, writing the batches that Topgate would write: one transaction on one connection locks the
 * accounts, inserts 200 orders and their 200 transfers from JSON, updates the balances and commits. The JSON is made before the
 * clock runs, so there are no decisions, no HTTP, and nothing else of TypeScript.
 */
export function rawEngine(context: Context, options: { engine: Engine; resellers: number }): Side {
  return { subject: rawSubject(options.engine), isBaseline: false, measure: () => measure(context, options) };
}

export function rawSubject(engine: Engine): string {
  return `(d) raw ${engine === 'embedded' ? 'embedded engine' : 'PostgreSQL'}, batches of ${BATCH}`;
}

const BATCH = 200;
/** More than the engines write in a second; what is left over is thrown away. */
const BATCHES_PER_SECOND = 100;

/** One session of either engine. */
interface RawSession {
  query(text: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Runs the statements in one transaction. */
  commit(statements: [text: string, parameter: string][]): Promise<void>;
  close(): Promise<void>;
}

async function measure(context: Context, { engine, resellers }: { engine: Engine; resellers: number }): Promise<Sample[]> {
  const installation = await context.installations.open(engine, resellers);
  const session = await openSession(installation);
  try {
    const { rows } = await session.query(`
      select accounts.id, balance::text as balance, seq::text as seq from accounts join resellers on resellers.id = reseller_id
      where mode = 'live' and username like 'bench-%'`);
    const accounts = (rows as { id: string; balance: string; seq: string }[]).map(({ id, balance, seq }) => ({
      id,
      balance: BigInt(balance),
      seq: BigInt(seq),
    }));
    const batches = prepare(accounts, Math.ceil((context.seconds + WARM_UP_MS / 1_000) * BATCHES_PER_SECOND));
    const { written, perSecond } = await write(session, batches, context.seconds * 1_000);
    const counted = await session.query('select count(*)::int as orders from orders');
    expectEqual('orders of the raw engine', (counted.rows[0] as { orders: number }).orders, written);
    return [{ setting: connectionsText(1), value: perSecond, details: {} }];
  } finally {
    await session.close();
    await installation.discard();
  }
}

async function write(session: RawSession, batches: [string, string][][], measureMs: number) {
  const measureFrom = performance.now() + WARM_UP_MS;
  let measured = 0;
  let written = 0;
  let endedAt = measureFrom;
  let firstAt = measureFrom;
  for (const batch of batches) {
    const startedAt = performance.now();
    if (startedAt >= measureFrom + measureMs) break;
    await session.commit(batch);
    written += BATCH;
    if (startedAt < measureFrom) continue;
    if (measured === 0) firstAt = startedAt;
    measured += BATCH;
    endedAt = performance.now();
  }
  return { written, perSecond: measured / ((endedAt - firstAt) / 1_000) };
}

const LOCK = `
  select id, balance, seq, head from accounts
  where id in (select id from json_to_recordset($1::json) as row (id uuid)) order by id for no key update`;
const INSERT_ORDERS = `
  insert into orders (account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price,
                      state, supplier_code, next_action_at, debit_seq, created_at, updated_at)
  select account_id, id, 'live', ref_id, 'MLBB', 'MLBB-85', '85 Diamonds (77+8)', '123450001', '2001', 'Sandbox 123450001',
         ${PRICE}, 'Process', 'sandbox', created_at, seq, created_at, created_at
  from json_to_recordset($1::json) as row (account_id uuid, id uuid, ref_id text, seq bigint, created_at timestamptz)`;
const INSERT_TRANSFERS = `
  insert into transfers (account_id, seq, id, mode, kind, debit_account, credit_account, amount, balance_after, order_id,
                         reference, created_at, hash)
  select account_id, seq, id, 'live', 'order', account_id, '${SALES}', ${PRICE}, balance_after, order_id, ref_id, created_at, hash
  from json_to_recordset($1::json) as row (account_id uuid, seq bigint, id uuid, balance_after bigint, order_id uuid,
                                           ref_id text, created_at timestamptz, hash bytea)`;
const UPDATE_ACCOUNTS = `
  update accounts set balance = row.balance, seq = row.seq, head = row.head
  from json_to_recordset($1::json) as row (id uuid, balance bigint, seq bigint, head bytea) where accounts.id = row.id`;

/** The statements of so many batches, in order: each goes on from the balances that the one before it leaves. */
function prepare(accounts: { id: string; balance: bigint; seq: bigint }[], count: number): [string, string][][] {
  const run = process.hrtime.bigint().toString(36);
  return Array.from({ length: count }, (_, batch) => {
    const touched = new Map<string, { id: string; balance: string; seq: string; head: string }>();
    const orders: unknown[] = [];
    const transfers: unknown[] = [];
    for (let index = 0; index < BATCH; index++) {
      const account = accounts[Math.floor(Math.random() * accounts.length)];
      if (!account) throw new Error('No accounts to order from.');
      account.seq += 1n;
      account.balance -= PRICE;
      const now = new Date();
      const order = { account_id: account.id, id: newId(now), ref_id: `D-${run}-${batch}-${index}`, created_at: now };
      const hash = `\\x${randomBytes(32).toString('hex')}`;
      const seq = String(account.seq);
      const balance = String(account.balance);
      orders.push({ ...order, seq });
      transfers.push({ ...order, id: newId(now), order_id: order.id, seq, balance_after: balance, hash });
      touched.set(account.id, { id: account.id, balance, seq, head: hash });
    }
    const changed = JSON.stringify([...touched.values()]);
    return [
      [LOCK, changed],
      [INSERT_ORDERS, JSON.stringify(orders)],
      [INSERT_TRANSFERS, JSON.stringify(transfers)],
      [UPDATE_ACCOUNTS, changed],
    ];
  });
}

async function openSession({ databaseUrl, dataDir }: Installation): Promise<RawSession> {
  if (databaseUrl !== null) {
    const client = await openClient(databaseUrl);
    return {
      query: (text, parameters = []) => client.query(text, parameters),
      async commit(statements) {
        await client.query('begin');
        for (const [text, parameter] of statements) await client.query({ name: text.slice(0, 40), text, values: [parameter] });
        await client.query('commit');
      },
      close: () => client.end(),
    };
  }
  const { db, close } = await openEmbedded({ directory: dataDir ?? '', clock: systemClock, log: silentLog });
  return {
    query: (text, parameters = []) => db.executeQuery(CompiledQuery.raw(text, parameters)),
    commit: (statements) =>
      db.transaction().execute(async (tx) => {
        for (const [text, parameter] of statements) await tx.executeQuery(CompiledQuery.raw(text, [parameter]));
      }),
    close,
  };
}
