import { setTimeout as delay } from 'node:timers/promises';
import { sum } from '../load/numbers.ts';
import { askAll } from './admin.ts';
import { DEPOSIT, type Installation } from './installations.ts';
import { queryOnce, withClient } from './postgres.ts';
import { ADMIN_TOKEN, type BenchServer } from './server.ts';

/** What live orders an installation has, and what they cost. */
export interface Totals {
  orders: number;
  delivered: number;
  /** Transfers that paid for an order; null on the embedded engine, whose database belongs to the server alone. */
  debits: number | null;
  spent: number;
}

/** Counts rows: with SQL where another process may look, through the admin API where none may. */
export async function readTotals(server: BenchServer, { databaseUrl }: Installation): Promise<Totals> {
  return databaseUrl === null ? readThroughAdmin(server) : readThroughSql(databaseUrl);
}

async function readThroughSql(databaseUrl: string): Promise<Totals> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<Record<keyof Totals, string>>(`
      select (select count(*) from orders where mode = 'live') as orders,
             (select count(*) from orders where mode = 'live' and state = 'Success') as delivered,
             (select count(*) from transfers t join orders o on o.account_id = t.account_id and o.debit_seq = t.seq
              where t.mode = 'live' and t.kind = 'order' and t.order_id = o.id and t.amount = o.price) as debits,
             (select coalesce(sum(amount), 0) from transfers where mode = 'live' and kind = 'order') as spent`);
    const [row] = rows;
    return {
      orders: Number(row?.orders),
      delivered: Number(row?.delivered),
      debits: Number(row?.debits),
      spent: Number(row?.spent),
    };
  });
}

interface Stats {
  by_state: { mode: string; key: string; orders: number }[];
}

async function readThroughAdmin(server: BenchServer): Promise<Totals> {
  const { by_state: states } = await server.admin<Stats>('GET', '/admin/api/stats');
  const live = states.filter(({ mode }) => mode === 'live');
  const url = '/admin/api/reseller?limit=200';
  const resellers = await askAll<{ username: string; balances: { live: number } }>(server.port, ADMIN_TOKEN, url);
  const ours = resellers.filter(({ username }) => username.startsWith('bench-'));
  return {
    orders: sum(live.map(({ orders }) => orders)),
    delivered: sum(live.filter(({ key }) => key === 'Success').map(({ orders }) => orders)),
    debits: null,
    spent: sum(ours.map(({ balances }) => DEPOSIT - balances.live)),
  };
}

/** A rate counts only if it is true: accepted answers = orders = debits, to the last one and to the last rupiah. */
export function verifyTotals(
  before: Totals,
  after: Totals,
  expected: { accepted: number; price: number; delivered: boolean },
): void {
  const { accepted, price, delivered } = expected;
  expectEqual('orders in the database', after.orders - before.orders, accepted);
  if (before.debits !== null && after.debits !== null) expectEqual('debits', after.debits - before.debits, accepted);
  expectEqual('money debited', after.spent - before.spent, accepted * price);
  if (delivered) expectEqual('delivered orders', after.delivered - before.delivered, accepted);
}

interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; checked: number; violations: string[] }[];
}

export async function verifyAudit(server: BenchServer): Promise<void> {
  const audit = await server.admin<Audit>('GET', '/admin/api/ledger/audit');
  const broken = audit.checks.filter(({ ok }) => !ok);
  if (!audit.ok) throw new Error(`The audit failed: ${JSON.stringify(broken)}`);
}

const DELIVERY_LIMIT_MS = 300_000;
const LOOK_EVERY_MS = 100;

/** Orders in Process: through an index on a server; through the statistics where only the service may look. */
export async function countInProcess(server: BenchServer, { databaseUrl }: Installation): Promise<number> {
  if (databaseUrl !== null)
    return Number(await queryOnce(databaseUrl, 'select count(*) as answer from orders where next_action_at is not null'));
  const { queue } = await server.admin<{ queue: { in_process: number } }>('GET', '/admin/api/stats?hours=1');
  return queue.in_process;
}

/** Cheaper than counting where the statistics would be asked: the one session of the embedded engine is busy delivering. */
async function isSomethingInProcess(server: BenchServer, installation: Installation): Promise<boolean> {
  if (installation.databaseUrl !== null) return (await countInProcess(server, installation)) > 0;
  const open = await server.admin<unknown[]>('GET', '/admin/api/order?status=Process&limit=1');
  return open.length > 0;
}

/** Waits until nothing is in Process any more, and answers for how many seconds. */
export async function untilDelivered(server: BenchServer, installation: Installation): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < DELIVERY_LIMIT_MS) {
    if (!(await isSomethingInProcess(server, installation))) return (performance.now() - startedAt) / 1_000;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`Some orders were not delivered within ${DELIVERY_LIMIT_MS} ms.`);
}

export function expectEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: found ${found}, but ${expected} were accepted, paid for or to be sent.`);
}
