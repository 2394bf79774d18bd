import { setTimeout as delay } from 'node:timers/promises';
import { type BenchReseller, type BenchServer, DEPOSIT, listAs, requestAs } from './server.ts';

const DELIVERY_LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 100;

/** Waits until nothing is in Process any more, and answers for how long. */
export async function untilDelivered(server: BenchServer): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < DELIVERY_LIMIT_MS) {
    const open = await server.admin<unknown[]>('GET', '/admin/api/order?status=Process&limit=1');
    if (open.length === 0) return (performance.now() - startedAt) / 1_000;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`Some orders were not delivered within ${DELIVERY_LIMIT_MS} ms.`);
}

interface Stats {
  by_state: { mode: string; key: string; orders: number; amount: number }[];
}
interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; checked: number; violations: string[] }[];
}

/**
 * A rate counts only if it is true: accepted answers = orders = debits, to the last one, and the ledger's audit holds.
 * A fast case that lost or doubled one order fails here.
 */
export async function verifyServer(
  server: BenchServer,
  expected: { accepted: number; price: number; delivered: boolean },
): Promise<void> {
  const { by_state: states } = await server.admin<Stats>('GET', '/admin/api/stats');
  const live = states.filter(({ mode }) => mode === 'live');
  expectEqual('orders in the database', sum(live.map(({ orders }) => orders)), expected.accepted);
  if (expected.delivered)
    expectEqual(
      'delivered orders',
      sum(live.filter(({ key }) => key === 'Success').map(({ orders }) => orders)),
      expected.accepted,
    );

  const resellers = await server.admin<{ username: string; balances: { live: number } }[]>(
    'GET',
    '/admin/api/reseller?limit=200',
  );
  const spent = resellers.filter(({ username }) => username.startsWith('bench-')).map(({ balances }) => DEPOSIT - balances.live);
  expectEqual('money debited', sum(spent), expected.accepted * expected.price);

  await verifyAudit(server);
}

export async function verifyAudit(server: BenchServer): Promise<void> {
  const audit = await server.admin<Audit>('GET', '/admin/api/ledger/audit');
  const broken = audit.checks.filter(({ ok }) => !ok);
  if (!audit.ok) throw new Error(`The audit failed: ${JSON.stringify(broken)}`);
}

interface WebhookKey {
  reseller: BenchReseller;
  id: string;
}

/** Waits until nothing is left to be sent to these endpoints. */
export async function untilRecorded(server: BenchServer, endpoints: WebhookKey[]): Promise<void> {
  const giveUpAt = performance.now() + DELIVERY_LIMIT_MS;
  for (const { reseller, id } of endpoints) {
    const url = `/api/webhook/${id}/delivery?status=Pending&limit=1`;
    while ((await requestAs<unknown[]>(server, reseller, 'GET', url)).length > 0) {
      if (performance.now() > giveUpAt) throw new Error(`Some webhooks were not recorded within ${DELIVERY_LIMIT_MS} ms.`);
    }
  }
}

/** What was received is what was to be sent, each recorded as Delivered after a single attempt. */
export async function verifyWebhooks(server: BenchServer, endpoints: WebhookKey[], expected: number): Promise<void> {
  const counts = await Promise.all(
    endpoints.map(async ({ reseller, id }) => {
      const url = `/api/webhook/${id}/delivery?limit=200`;
      const deliveries = await listAs<{ status: string; attempts: unknown[] }>(server, reseller, url);
      return deliveries.filter(({ status, attempts }) => status === 'Delivered' && attempts.length === 1).length;
    }),
  );
  expectEqual('webhooks Delivered at once', sum(counts), expected);
}

export function expectEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: found ${found}, but ${expected} were accepted, paid for or to be sent.`);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
