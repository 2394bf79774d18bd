import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { type Context, WARM_UP_MS } from '../case.ts';
import { quantile } from '../load/numbers.ts';
import type { Sample, Side } from '../report/figures.ts';
import { DEPOSIT } from '../system/installations.ts';
import { openClient, withClient } from '../system/postgres.ts';
import { connectionsText } from '../system/topgate.ts';
import { expectEqual } from '../system/verify.ts';

/**
 * Baseline (a), the usual design: one interactive transaction for each order, straight on PostgreSQL. It writes the same rows
 * into the same schema as Topgate, with prepared statements, and it is spared everything else: no HTTP, no JSON, no
 * signature, no catalogue, no hash, no delivery.
 */
export function oneByOne(context: Context, options: OneByOneOptions): Side {
  return {
    subject: ONE_BY_ONE,
    isBaseline: true,
    measure: () => measure(context, options),
  };
}

export const ONE_BY_ONE = '(a) a transaction per order, no HTTP';
/** The usual pool size, and a larger one, so that the baseline is not held back by the choice. */
export const BASELINE_CONNECTIONS = [16, 64];

export interface OneByOneOptions {
  resellers: number;
  connections: number[];
  /** Chooses an account by its number. */
  choose: (count: number) => () => number;
  pauseMs?: number;
}

async function measure(context: Context, options: OneByOneOptions): Promise<Sample[]> {
  const { databaseUrl, discard } = await context.installations.open('postgres', options.resellers);
  if (databaseUrl === null) throw new Error('The baseline needs PostgreSQL.');
  const samples: Sample[] = [];
  let placed = 0;
  for (const connections of options.connections) {
    const measured = await load(databaseUrl, connections, context, options);
    placed += measured.placed;
    samples.push(measured.sample);
  }
  await verify(databaseUrl, placed);
  await discard();
  return samples;
}

async function load(url: string, connections: number, context: Context, { choose, pauseMs = 0 }: OneByOneOptions) {
  const accounts = await readAccounts(url);
  const next = choose(accounts.length);
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(url)));
  const databaseBefore = await context.postgres.countFsyncs();
  const cpuBefore = process.cpuUsage();
  const measureFrom = performance.now() + WARM_UP_MS;
  const measureUntil = measureFrom + context.seconds * 1_000;
  const latencies: number[] = [];
  let placed = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let now = performance.now(); now < measureUntil; ) {
        await placeOrder(client, accounts[next()] ?? '');
        placed += 1;
        const endedAt = performance.now();
        if (endedAt >= measureFrom && endedAt < measureUntil) latencies.push(endedAt - now);
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        now = performance.now();
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(latencies).sort();
  await Promise.all(clients.map((client) => client.end()));
  const fsyncs = (await context.postgres.countFsyncs()) - databaseBefore;
  const sample: Sample = {
    setting: connectionsText(connections),
    value: sorted.length / context.seconds,
    details: {
      'p50 ms': quantile(sorted, 0.5),
      'p99 ms': quantile(sorted, 0.99),
      'max ms': sorted.at(-1) ?? 0,
      'orders/fsync': placed / fsyncs,
      'server µs': (user + system) / placed,
    },
  };
  return { placed, sample };
}

/** The accounts of the resellers that were registered for the benchmark, in the order of their numbers. */
export async function readAccounts(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(`
      select accounts.id from accounts join resellers on resellers.id = reseller_id
      where mode = 'live' and username like 'bench-%' order by length(username), username`);
    return rows.map(({ id }) => id);
  });
}

export const SALES = '00000000-0000-7000-8000-000000000012';
export const PRICE = 23_600n;

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

let references = 0;

async function placeOrder(client: pg.Client, accountId: string): Promise<void> {
  const now = new Date();
  const orderId = newId(now);
  const refId = `A-${process.pid}-${references++}`;
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

/** Baselines are held to the same proof: every committed order is there, debited once, and the balances agree. */
export async function verify(url: string, placed: number): Promise<void> {
  await withClient(url, async (client) => {
    const counted = await client.query<{ orders: string; debits: string; spent: string }>(`
      select (select count(*) from orders) as orders,
             (select count(*) from transfers t join orders o on o.account_id = t.account_id and o.debit_seq = t.seq) as debits,
             (select sum(${DEPOSIT} - balance) from accounts join resellers on resellers.id = reseller_id
              where mode = 'live' and username like 'bench-%') as spent`);
    const found = counted.rows[0];
    expectEqual('orders of the baseline', Number(found?.orders), placed);
    expectEqual('debits of the baseline', Number(found?.debits), placed);
    expectEqual('money debited by the baseline', Number(found?.spent), placed * Number(PRICE));
  });
}
