import type { Context } from '../case.ts';
import { sum } from '../load/numbers.ts';
import type { Sample, Side } from '../report/figures.ts';
import { wallTimeMs } from '../system/child.ts';
import type { Engine } from '../system/installations.ts';
import { type Topgate, withTopgate } from '../system/topgate.ts';
import { expectEqual } from '../system/verify.ts';
import { askAs, recoverAll, registerEndpoint, untilRecorded, verifyDelivered } from './deliveries.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Round, runBacklogRounds, runIdleRounds, verifySignatures } from './rounds.ts';

interface WebhookOptions {
  engine: Engine;
  endpoints: number;
  /** How many of the endpoints take every call and never answer; the others are measured. */
  hanging: number;
  /** Orders whose webhooks make the backlog; null: none, but test events one after the other. */
  backlog: number | null;
}

/** Topgate (ROLE=all) sends a backlog of webhooks, or one after the other. */
export function topgateWebhooks(context: Context, options: WebhookOptions): Side {
  const { engine, endpoints, hanging, backlog } = options;
  const others = hanging === 0 ? '' : `: ${endpoints - hanging} endpoints, ${hanging} others hang`;
  return {
    subject: `Topgate, ${engine === 'postgres' ? 'PostgreSQL' : 'embedded'}${others}`,
    isBaseline: false,
    measure: () =>
      withTopgate(context, { engine, roles: ['all'], resellers: endpoints }, async (topgate) => {
        const receiver = await startReceiver(endpoints);
        try {
          return [
            await (backlog === null ? measureIdle(topgate, receiver) : measureBacklog(topgate, receiver, options, backlog)),
          ];
        } finally {
          await receiver.stop();
        }
      }),
  };
}

/** Orders of resellers without endpoints come first: their events are on the feed, and nothing is sent. */
async function measureBacklog(topgate: Topgate, receiver: Receiver, options: WebhookOptions, backlog: number): Promise<Sample> {
  const arrivals = { kind: 'closed', warmUpMs: 0, measureMs: 120_000, limit: backlog, pauseMs: 0 } as const;
  const { report } = await topgate.order({ connections: 64, arrivals });
  // A new process sends the webhooks: what the orders cost is behind it.
  await topgate.server.restart();
  return runBacklogRounds('', () => runRound(topgate, receiver, report.accepted, options.hanging));
}

/** Registers an endpoint for each reseller, has it sent everything that happened before, and removes it. */
async function runRound({ server, installation }: Topgate, receiver: Receiver, orders: number, hanging: number): Promise<Round> {
  const endpoints = await Promise.all(
    installation.resellers.map((reseller, index) =>
      registerEndpoint(server, reseller, { url: receiver.urls[index], types: ['order.success'] }),
    ),
  );
  await receiver.begin(Array.from({ length: hanging }, (_, index) => index));
  const startedAt = wallTimeMs();
  const queued = await Promise.all(endpoints.map((endpoint) => recoverAll(server, endpoint)));
  expectEqual('recovered deliveries', sum(queued), orders);
  const answering = endpoints.slice(hanging);
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
  await verifyDelivered(server, answering, deliveries);
  for (const { reseller, id } of endpoints) await askAs(server, reseller, 'DELETE', `/api/webhook/${id}`);
  return { startedAt, receivedAt, recordedAt, received };
}

/** Test events one after the other, each timed from its request to its receipt. */
async function measureIdle({ server, installation }: Topgate, receiver: Receiver): Promise<Sample> {
  const [reseller] = installation.resellers;
  if (!reseller) throw new Error('No reseller to send tests to.');
  const endpoint = await registerEndpoint(server, reseller, { url: receiver.urls[0] });
  let sent = 0;
  const sample = await runIdleRounds(async () => {
    await receiver.begin([]);
    const startedAt = wallTimeMs();
    await askAs(server, reseller, 'POST', `/api/webhook/${endpoint.id}/test`);
    const receivedAt = await receiver.untilReceived(1);
    await untilRecorded(server, [endpoint]);
    const received = await receiver.end();
    sent += 1;
    expectEqual('test webhooks received', received.distinct, 1);
    verifySignatures(received, [endpoint.secret]);
    return { startedAt, receivedAt, recordedAt: null, received };
  });
  await verifyDelivered(server, [endpoint], sent);
  return sample;
}
