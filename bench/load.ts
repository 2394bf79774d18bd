import { sign } from '../src/resellers/signature.ts';
import { type Client, type Measurement, type Plan, runClosedLoop } from './closed-loop.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** The load generator: a process of its own, so that signing and reading answers do not take the server's thread. */
export interface LoadTask {
  port: number;
  connections: number;
  plan: Plan;
  resellers: { token: string; secret: string }[];
}

export interface LoadReport extends Measurement {
  /** How many answers had which HTTP status. */
  statuses: Record<string, number>;
  /** The body of the first answer that was not 200. */
  firstRefusal: string | null;
}

const SERVICE_CODE = 'MLBB-85';
const ZONE = '2001';
/** Few players, so that nicknames come from the cache, as they do for players who come back. */
const PLAYERS = Array.from({ length: 16 }, (_, index) => `12345${String(index).padStart(2, '0')}0001`);

process.once('message', async (task: LoadTask) => {
  const report = await run(task);
  process.send?.(report, () => process.disconnect());
});

async function run({ port, connections, plan, resellers }: LoadTask): Promise<LoadReport> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const statuses: Record<string, number> = {};
  let firstRefusal: string | null = null;
  let placed = 0;

  const client = (connection: HttpConnection): Client => {
    return async () => {
      const reseller = resellers[Math.floor(Math.random() * resellers.length)];
      if (!reseller) throw new Error('No resellers to order as.');
      const request = signedRequest(reseller, `B-${process.pid}-${placed++}`);
      const startedAt = performance.now();
      const { status, body } = await connection.request(request);
      const latencyMs = performance.now() - startedAt;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) return latencyMs;
      firstRefusal ??= body.toString('utf8');
      return null;
    };
  };
  const measurement = await runClosedLoop(plan, open.map(client));
  for (const connection of open) connection.close();
  return { ...measurement, statuses, firstRefusal };
}

/** The bytes of a signed order, as a reseller's own program would send them. */
function signedRequest(reseller: { token: string; secret: string }, refId: string): string {
  const userId = PLAYERS[Math.floor(Math.random() * PLAYERS.length)] ?? '';
  const signature = sign({ serviceCode: SERVICE_CODE, refId, userId, zone: ZONE, maxPrice: null }, reseller.secret);
  const body = JSON.stringify({
    service_code: SERVICE_CODE,
    ref_id: refId,
    account_identifier: { user_id: userId, zone: ZONE },
    signature,
  });
  // Everything is ASCII, so characters are bytes.
  return (
    `POST /api/order HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${reseller.token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}
