import type { BareReport, BareTask } from './bare-calls.ts';
import { startChild, wallTimeMs } from './child.ts';
import type { Plan } from './closed-loop.ts';
import { runLoad } from './load-process.ts';
import type { BenchPostgres } from './postgres.ts';
import { type Receiver, startReceiver } from './receiver-process.ts';
import { addResellers, type BenchReseller, type BenchServer, readPrice, requestAs, startServer } from './server.ts';
import { expectEqual, untilDelivered, untilRecorded, verifyAudit, verifyServer, verifyWebhooks } from './verify.ts';
import { ENDPOINTS, type WebhookMeasurement, type WebhookResult, type WebhookWorkload } from './webhook-report.ts';
import { type Round, runBacklogRounds, runIdleRounds, verifySignatures } from './webhook-rounds.ts';

/** Orders whose webhooks make the backlog; a few more when the load stops late. */
export const BACKLOG = 5_000;

/** The calls alone: signed bodies of the same size, posted by a program without a database. */
export async function runBareCase(options: { workload: WebhookWorkload; connections: number }): Promise<WebhookResult> {
  const { workload, connections } = options;
  const calls = workload === 'one-webhook' ? 1 : BACKLOG;
  const receiver = await startReceiver(ENDPOINTS[workload]);
  const caller = startChild('bare-calls.ts');
  const runRound = async (): Promise<Round> => {
    await receiver.begin([]);
    const task: BareTask = { urls: receiver.urls, calls, connections };
    const { startedAt, secrets } = await caller.ask<BareReport>(task);
    const receivedAt = await receiver.untilReceived(calls);
    const received = await receiver.end();
    expectEqual('bare calls received', received.calls, calls);
    verifySignatures(received, secrets);
    return { startedAt, receivedAt, recordedAt: null, received };
  };
  try {
    const measurement = await (workload === 'one-webhook' ? runIdleRounds : runBacklogRounds)(runRound);
    const each = `${connections} connection${connections === 1 ? '' : 's'}${ENDPOINTS[workload] === 1 ? '' : ' each'}`;
    return { workload, name: `bare calls, no database, ${each}`, isBaseline: true, measurement, webhooksPerFsync: null };
  } finally {
    await caller.stop();
    await receiver.stop();
  }
}

export interface WebhookCaseSettings {
  postgres: BenchPostgres;
  workload: WebhookWorkload;
  engine: 'embedded' | 'postgres';
  /** How many of the endpoints take every call and never answer; the others are measured. */
  hanging: number;
}

/** Topgate in its own process (ROLE=all) sends a backlog of webhooks, or one after the other. */
export async function runWebhookCase(settings: WebhookCaseSettings): Promise<WebhookResult> {
  const { postgres, workload, engine, hanging } = settings;
  const databaseUrl = engine === 'postgres' ? await postgres.createDatabase() : null;
  const server = await startServer({ role: 'all', databaseUrl });
  const receiver = await startReceiver(ENDPOINTS[workload]);
  let fsyncsBefore = 0;
  const measurement = await measure().catch(async (error: unknown) => {
    // If the server fell, its own last words say why; stopping it then throws them.
    const fall = await server.stop().catch((reason: unknown) => reason);
    await receiver.stop();
    throw new Error(`${workload}, ${engine}, ${hanging} hanging: ${String(error)}`, { cause: fall ?? error });
  });
  await server.stop();
  await receiver.stop();
  const fsyncs = (await postgres.countFsyncs()) - fsyncsBefore;
  if (databaseUrl !== null) await postgres.dropDatabase(databaseUrl);
  const others = hanging === 0 ? '' : `, ${hanging} others hang`;
  return {
    workload,
    name: `Topgate, ${engine}${hanging === 0 ? '' : `: ${ENDPOINTS[workload] - hanging} endpoints${others}`}`,
    isBaseline: false,
    measurement,
    webhooksPerFsync: databaseUrl === null ? null : measurement.received / fsyncs,
  };

  async function measure() {
    const resellers = await addResellers(server, ENDPOINTS[workload]);
    if (workload === 'one-webhook') {
      fsyncsBefore = await postgres.countFsyncs();
      return verified(await measureIdle(server, receiver, resellers));
    }
    const orders = await placeOrders(server, resellers);
    // A new process sends the webhooks: what the orders cost is behind, and PostgreSQL has counted it.
    await server.restart();
    fsyncsBefore = await postgres.countFsyncs();
    return verified(await runBacklogRounds(() => runBacklogRound({ server, receiver, resellers, orders, hanging })));
  }

  async function verified(found: WebhookMeasurement): Promise<WebhookMeasurement> {
    await verifyAudit(server);
    return found;
  }
}

/** Orders of resellers without endpoints: their events are on the feed, and nothing is sent. Answers how many. */
async function placeOrders(server: BenchServer, resellers: BenchReseller[]): Promise<number> {
  const price = await readPrice(server, resellers);
  const plan: Plan = { warmUpMs: 0, measureMs: 120_000, maxMeasured: BACKLOG };
  const { accepted } = await runLoad({ port: server.port, connections: 64, plan, resellers });
  await untilDelivered(server);
  await verifyServer(server, { accepted, price, delivered: true });
  return accepted;
}

interface BacklogTask {
  server: BenchServer;
  receiver: Receiver;
  resellers: BenchReseller[];
  orders: number;
  hanging: number;
}

/** Registers an endpoint for each reseller, has it sent everything that happened before, and removes it. */
async function runBacklogRound({ server, receiver, resellers, orders, hanging }: BacklogTask): Promise<Round> {
  const endpoints = await Promise.all(
    resellers.map(async (reseller, index) => {
      const body = { url: receiver.urls[index], types: ['order.success'] };
      const created = await requestAs<{ webhook_id: string; secret: string }>(server, reseller, 'POST', '/api/webhook', body);
      return { reseller, id: created.webhook_id, secret: created.secret, hangs: index < hanging };
    }),
  );
  await receiver.begin(endpoints.flatMap(({ hangs }, index) => (hangs ? [index] : [])));
  const startedAt = wallTimeMs();
  const queued = await Promise.all(endpoints.map(({ reseller, id }) => recoverAll(server, reseller, id)));
  expectEqual('recovered deliveries', sum(queued), orders);
  const answering = endpoints.filter(({ hangs }) => !hangs);
  const deliveries = sum(queued.slice(hanging));
  const receivedAt = await receiver.untilReceived(deliveries);
  await untilRecorded(server, answering);
  const recordedAt = wallTimeMs();
  const received = await receiver.end();
  expectEqual('webhooks received', received.distinct, deliveries);
  if (hanging > 0 && received.hung === 0) throw new Error('The endpoints that hang were never called.');
  verifySignatures(
    received,
    endpoints.map(({ secret }) => secret),
  );
  await verifyWebhooks(server, answering, deliveries);
  for (const { reseller, id } of endpoints) await requestAs(server, reseller, 'DELETE', `/api/webhook/${id}`);
  return { startedAt, receivedAt, recordedAt, received };
}

/** Makes deliveries of all events, 10,000 with a call. Answers how many. */
async function recoverAll(server: BenchServer, reseller: BenchReseller, id: string): Promise<number> {
  const since = '2026-01-01T00:00:00+00:00';
  let queued = 0;
  let hasMore = true;
  while (hasMore) {
    const url = `/api/webhook/${id}/recover`;
    const answer = await requestAs<{ queued: number; has_more: boolean }>(server, reseller, 'POST', url, { since });
    queued += answer.queued;
    hasMore = answer.has_more;
  }
  return queued;
}

/** Test events one after the other, each timed from its request to its receipt. */
async function measureIdle(server: BenchServer, receiver: Receiver, [reseller]: BenchReseller[]) {
  if (!reseller) throw new Error('No reseller to send tests to.');
  const body = { url: receiver.urls[0] };
  const created = await requestAs<{ webhook_id: string; secret: string }>(server, reseller, 'POST', '/api/webhook', body);
  const endpoint = { reseller, id: created.webhook_id };
  let sent = 0;
  return runIdleRounds(async () => {
    await receiver.begin([]);
    const startedAt = wallTimeMs();
    await requestAs(server, reseller, 'POST', `/api/webhook/${endpoint.id}/test`);
    const receivedAt = await receiver.untilReceived(1);
    await untilRecorded(server, [endpoint]);
    const received = await receiver.end();
    sent += 1;
    expectEqual('test webhooks received', received.distinct, 1);
    verifySignatures(received, [created.secret]);
    if (sent % 50 === 0) await verifyWebhooks(server, [endpoint], sent);
    return { startedAt, receivedAt, recordedAt: null, received };
  });
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
