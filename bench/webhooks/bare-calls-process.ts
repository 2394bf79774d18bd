import { Agent, request } from 'undici';
import { newId } from '../../src/lib/ids.ts';
import { newWebhookSecret, webhookHeaders } from '../../src/webhooks/secret.ts';
import { obey, wallTimeMs } from '../system/child.ts';

/** What deliveries are compared with: a program that signs and posts as many bodies of the same size, and keeps nothing. */
export interface BareTask {
  urls: string[];
  /** Calls in all, as many to each endpoint. */
  calls: number;
  /** Connections to each endpoint, each with one call at a time. */
  connections: number;
}

export interface BareReport {
  startedAt: number;
  /** By endpoint; what the calls were signed with. */
  secrets: string[];
}

/** An event of an order, in the values of the sandbox, so that a body has the size that Topgate sends. */
const DATA = {
  ref_id: 'B-12345-1234',
  order_id: 'TG01M8TEQ5C8F3AT5ZK0A1B2C3D4',
  service_code: 'MLBB-85',
  service_name: '85 Diamonds (77+8)',
  account_identifier: { user_id: '12345010001', zone: '2001', nickname: 'Sandbox 12345010001' },
  price: 23_600,
  status: 'Success',
  purchase_time: '2026-03-01T02:40:15+07:00',
  product_code: 'MLBB',
  currency: 'IDR',
  mode: 'live',
  serial_number: 'SBX-TG01M8TEQ5C8F3AT5ZK0A1B2C3D4',
  failure: null,
  updated_at: '2026-03-01T02:40:15+07:00',
};

const agents = new Map<number, Agent>();

obey<BareTask>(async ({ urls, calls, connections }) => {
  const agent = agents.get(connections) ?? new Agent({ connections });
  agents.set(connections, agent);
  const secrets = urls.map(() => newWebhookSecret());
  const startedAt = wallTimeMs();
  await Promise.all(urls.map((url, endpoint) => callAll(url, secrets[endpoint] ?? '', agent)));
  return { startedAt, secrets } satisfies BareReport;

  async function callAll(url: string, secret: string, dispatcher: Agent): Promise<void> {
    let left = calls / urls.length;
    const loop = async () => {
      while (left-- > 0) await call(url, secret, left, dispatcher);
    };
    await Promise.all(Array.from({ length: connections }, loop));
  }
});

async function call(url: string, secret: string, sequence: number, dispatcher: Agent): Promise<void> {
  const sentAt = new Date();
  const body = JSON.stringify({ type: 'order.success', timestamp: '2026-03-01T02:40:15+07:00', sequence, data: DATA });
  const headers = webhookHeaders({ id: `evt_${newId(sentAt)}`, sentAt, body }, [secret]);
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'bare-calls', ...headers },
    body,
    dispatcher,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`A bare call was answered ${answer.statusCode}.`);
}
