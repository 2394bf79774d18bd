import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { silentLog } from '../src/lib/log.ts';
import { createReseller, creditDeposit } from '../src/resellers/index.ts';
import { type Measurement, type Plan, runClosedLoop } from './closed-loop.ts';
import { DEPOSIT } from './server.ts';
import { expectEqual } from './verify.ts';

/**
 * The usual design, to compare with: one interactive transaction for each order, straight on PostgreSQL. It writes the same
 * rows into the same schema as Topgate, with prepared statements, and it is spared everything else: no HTTP, no JSON, no
 * signature, no catalogue, no delivery.
 */
export async function runBaseline(
  url: string,
  options: { accounts: number; connections: number; plan: Plan },
): Promise<Measurement> {
  const accountIds = await prepare(url, options.accounts);
  const clients = Array.from({ length: options.connections }, () => new pg.Client({ connectionString: url }));
  // A lost connection also fails the query that waits on it; unheard, the event would end the process before it cleans up.
  for (const client of clients) client.on('error', () => undefined);
  await Promise.all(clients.map((client) => client.connect()));
  try {
    const measurement = await runClosedLoop(
      options.plan,
      clients.map((client) => async () => {
        const accountId = accountIds[Math.floor(Math.random() * accountIds.length)];
        if (accountId === undefined) throw new Error('No accounts to order from.');
        const startedAt = performance.now();
        await placeOrder(client, accountId);
        return performance.now() - startedAt;
      }),
    );
    await verify(clients[0], measurement.accepted);
    return measurement;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** Migrates the empty database and opens accounts with money, by the service's own code. Answers their ids. */
async function prepare(url: string, count: number): Promise<string[]> {
  const database = await openPostgres({ url, clock: systemClock, log: silentLog });
  const deps = { db: database.db, clock: systemClock, timeZone: 'UTC', currency: 'IDR' };
  const actor = { name: 'bench', requestId: null };
  try {
    await migrate(database);
    for (let number = 1; number <= count; number++) {
      const reseller = { name: `Bench ${number}`, username: `bench-${number}`, tierCode: 'standard', lowBalanceThreshold: null };
      const created = await createReseller(deps, actor, reseller);
      if (created.kind !== 'created') throw new Error(`No reseller: ${created.kind}`);
      const credit = { resellerId: created.reseller.id, mode: 'live' as const, amount: BigInt(DEPOSIT), reference: 'bench' };
      await creditDeposit(deps, actor, credit);
    }
    const { rows } = await sql<{ id: string }>`select id from accounts where mode = 'live'`.execute(database.db);
    return rows.map(({ id }) => id);
  } finally {
    await database.close();
  }
}

const SALES = '00000000-0000-7000-8000-000000000012';
const PRICE = 23_600n;

const LOCK = { name: 'lock', text: 'select balance, seq, head from accounts where id = $1 for update' };
const FIND = { name: 'find', text: 'select id, state from orders where account_id = $1 and ref_id = $2' };
const INSERT_ORDER = {
  name: 'insert-order',
  text: `
    insert into orders (account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price,
                        state, supplier_code, next_action_at, debit_seq, created_at, updated_at)
    values ($1, $2, 'live', $3, 'MLBB', 'MLBB-85', '85 Diamonds (77+8)', $4, '2001', $5, $6, 'Process', 'sandbox', $7, $8, $7, $7)`,
};
const INSERT_TRANSFER = {
  name: 'insert-transfer',
  text: `
    insert into transfers (account_id, seq, id, mode, kind, debit_account, credit_account, amount, balance_after, order_id,
                           reference, created_at, hash)
    values ($1, $2, $3, 'live', 'order', $1, '${SALES}', $4, $5, $6, $7, $8, $9)`,
};
const UPDATE_ACCOUNT = { name: 'update-account', text: 'update accounts set balance = $2, seq = $3, head = $4 where id = $1' };

let placed = 0;

async function placeOrder(client: pg.Client, accountId: string): Promise<void> {
  const now = new Date();
  const orderId = newId(now);
  const refId = `B-${process.pid}-${placed++}`;
  // The hash is not computed here, which favours the baseline; its column has the same size.
  const hash = randomBytes(32);
  await client.query('begin');
  const locked = await client.query<{ balance: string; seq: string }>({ ...LOCK, values: [accountId] });
  const earlier = await client.query({ ...FIND, values: [accountId, refId] });
  const account = locked.rows[0];
  if (!account || earlier.rows.length > 0) throw new Error('The baseline found no account, or its order twice.');
  const seq = BigInt(account.seq) + 1n;
  const balance = BigInt(account.balance) - PRICE;
  if (balance < 0n) throw new Error('The baseline ran out of money.');
  await client.query({ ...INSERT_ORDER, values: [accountId, orderId, refId, '123450001', 'Sandbox 123450001', PRICE, now, seq] });
  const transfer = [accountId, seq, newId(now), PRICE, balance, orderId, refId, now, hash];
  await client.query({ ...INSERT_TRANSFER, values: transfer });
  await client.query({ ...UPDATE_ACCOUNT, values: [accountId, balance, seq, hash] });
  await client.query('commit');
}

/** The baseline is held to the same proof: every committed order is there, debited once, and the balances agree. */
async function verify(client: pg.Client | undefined, accepted: number): Promise<void> {
  const counted = await client?.query<{ orders: string; debits: string; spent: string }>(`
    select (select count(*) from orders) as orders,
           (select count(*) from transfers t join orders o on o.account_id = t.account_id and o.debit_seq = t.seq) as debits,
           (select sum(${DEPOSIT} - balance) from accounts where mode = 'live') as spent`);
  const found = counted?.rows[0];
  expectEqual('orders of the baseline', Number(found?.orders), accepted);
  expectEqual('debits of the baseline', Number(found?.debits), accepted);
  expectEqual('money debited by the baseline', Number(found?.spent), accepted * Number(PRICE));
}
