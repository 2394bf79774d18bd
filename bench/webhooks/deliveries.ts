import type { Credentials } from '../load/task.ts';
import { ask, askAll } from '../system/admin.ts';
import type { BenchServer } from '../system/server.ts';
import { expectEqual } from '../system/verify.ts';

/** An endpoint as its reseller knows it. */
export interface Endpoint {
  reseller: Credentials;
  id: string;
  secret: string;
}

/** A request to the reseller API; throws unless it is answered with 200. */
export async function askAs<Data>(
  server: BenchServer,
  reseller: Credentials,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<Data> {
  return (await ask<Data>(server.port, reseller.token, method, url, body)).data;
}

export async function registerEndpoint(server: BenchServer, reseller: Credentials, body: object): Promise<Endpoint> {
  const created = await askAs<{ webhook_id: string; secret: string }>(server, reseller, 'POST', '/api/webhook', body);
  return { reseller, id: created.webhook_id, secret: created.secret };
}

/** Makes deliveries of all events, 10,000 with a call. Answers how many. */
export async function recoverAll(server: BenchServer, { reseller, id }: Endpoint): Promise<number> {
  const since = '2026-01-01T00:00:00+00:00';
  let queued = 0;
  let hasMore = true;
  while (hasMore) {
    const url = `/api/webhook/${id}/recover`;
    const answer = await askAs<{ queued: number; has_more: boolean }>(server, reseller, 'POST', url, { since });
    queued += answer.queued;
    hasMore = answer.has_more;
  }
  return queued;
}

const RECORD_LIMIT_MS = 180_000;

/** Waits until nothing is left to be sent to these endpoints. */
export async function untilRecorded(server: BenchServer, endpoints: Endpoint[]): Promise<void> {
  const giveUpAt = performance.now() + RECORD_LIMIT_MS;
  for (const { reseller, id } of endpoints) {
    const url = `/api/webhook/${id}/delivery?status=Pending&limit=1`;
    while ((await askAs<unknown[]>(server, reseller, 'GET', url)).length > 0) {
      if (performance.now() > giveUpAt) throw new Error(`Some webhooks were not recorded within ${RECORD_LIMIT_MS} ms.`);
    }
  }
}

/** What was received is what was to be sent, each recorded as Delivered after a single attempt. */
export async function verifyDelivered(server: BenchServer, endpoints: Endpoint[], expected: number): Promise<void> {
  let found = 0;
  for (const { reseller, id } of endpoints) {
    const url = `/api/webhook/${id}/delivery?limit=200`;
    const deliveries = await askAll<{ status: string; attempts: unknown[] }>(server.port, reseller.token, url);
    found += deliveries.filter(({ status, attempts }) => status === 'Delivered' && attempts.length === 1).length;
  }
  expectEqual('webhooks Delivered at once', found, expected);
}
