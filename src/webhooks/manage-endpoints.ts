import type { Db, Tx } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { after, type Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { cancelDeliveries, hurryDeliveries } from './delivery-store.ts';
import { disable, type Endpoint, enable, MAX_ENDPOINTS, ROTATION_OVERLAP_MS } from './endpoint.ts';
import {
  findDeletedWithBacklog,
  findEndpoint,
  insertEndpoint,
  insertSecret,
  listEndpoints,
  lockEndpoints,
  retireSecrets,
  updateEndpoints,
} from './endpoint-store.ts';
import type { EventType } from './event.ts';
import { expectEndpoints } from './event-store.ts';
import { newWebhookSecret } from './secret.ts';

export interface EndpointDeps {
  db: Db;
  clock: Clock;
  secretBox: SecretBox;
}

/** Deliveries that one statement changes; and one request, in several. */
const BACKLOG_BATCH = 1_000;
const MAX_BACKLOG = 10_000;

/** The secret is told once; afterwards only workers read it. */
export interface EndpointWithSecret {
  endpoint: Endpoint;
  secret: string;
}

export async function createEndpoint(
  deps: EndpointDeps,
  request: { accountId: string; url: string; types: EventType[] },
): Promise<{ kind: 'created'; created: EndpointWithSecret } | { kind: 'limit_reached' }> {
  const now = deps.clock.now();
  const endpoint: Endpoint = {
    id: newId(now),
    accountId: request.accountId,
    url: request.url,
    types: request.types,
    status: 'Active',
    disabledReason: null,
    failingSince: null,
    lease: null,
    createdAt: now,
    updatedAt: now,
  };
  return inTransaction(deps.db, async (tx) => {
    // Under the lock that numbers the events: two requests cannot both take the last place.
    await expectEndpoints(tx, request.accountId);
    if ((await listEndpoints(tx, request.accountId)).length >= MAX_ENDPOINTS) return { kind: 'limit_reached' };
    await insertEndpoint(tx, endpoint);
    const secret = await addSecret(tx, deps, endpoint.id);
    return { kind: 'created', created: { endpoint, secret } };
  });
}

/** What is not given stays. */
export interface EndpointChange {
  url?: string | undefined;
  types?: EventType[] | undefined;
  status?: 'Active' | 'Disabled' | undefined;
}

/** Null when the account has no such endpoint. */
export async function changeEndpoint(
  deps: EndpointDeps,
  request: { accountId: string; id: string; change: EndpointChange },
): Promise<Endpoint | null> {
  const now = deps.clock.now();
  const { url, types, status } = request.change;
  let hurried = 0;
  const outcome = await withEndpoint(deps.db, request, async (tx, before) => {
    const changed = { ...before, url: url ?? before.url, types: types ?? before.types, updatedAt: now };
    const endpoint = status === undefined || status === before.status ? changed : withStatus(changed, status, now);
    if (endpoint.status === 'Active' && before.status !== 'Active')
      hurried = await hurryDeliveries(tx, endpoint.id, now, BACKLOG_BATCH);
    await updateEndpoints(tx, [endpoint], now);
    return endpoint;
  });
  // What is beyond that comes by its own schedule, within a day.
  for (let rest = MAX_BACKLOG - hurried; rest > 0 && hurried === BACKLOG_BATCH; rest -= hurried)
    hurried = (await withEndpoint(deps.db, request, (tx, { id }) => hurryDeliveries(tx, id, now, BACKLOG_BATCH))) ?? 0;
  return outcome;
}

/** What still waited for it is cancelled, a large backlog by the job of the night; the history stays with the events. */
export async function deleteEndpoint(deps: EndpointDeps, request: { accountId: string; id: string }): Promise<Endpoint | null> {
  const now = deps.clock.now();
  const deleted = await withEndpoint(deps.db, request, async (tx, before) => {
    const endpoint: Endpoint = { ...before, status: 'Deleted', disabledReason: null, lease: null, updatedAt: now };
    await updateEndpoints(tx, [endpoint], now);
    return endpoint;
  });
  if (deleted !== null) await cancelBacklog(deps, deleted.id, MAX_BACKLOG);
  return deleted;
}

export interface Backlog {
  cancelled: number;
}

/** Cancels what a deletion left because it was too much, or because the process died meanwhile. */
export async function cancelBacklogsOfDeleted(deps: Pick<EndpointDeps, 'db' | 'clock'>): Promise<Backlog> {
  let cancelled = 0;
  for (const id of await findDeletedWithBacklog(deps.db)) cancelled += await cancelBacklog(deps, id, Number.POSITIVE_INFINITY);
  return { cancelled };
}

/** In batches, each a transaction: a statement over a backlog of millions would meet the time limit and hold up the endpoint. */
async function cancelBacklog({ db, clock }: Pick<EndpointDeps, 'db' | 'clock'>, id: string, limit: number): Promise<number> {
  let cancelled = 0;
  for (let last = BACKLOG_BATCH; last === BACKLOG_BATCH && cancelled < limit; cancelled += last)
    last = await inTransaction(db, async (tx) => {
      await lockEndpoints(tx, [id]);
      return cancelDeliveries(tx, id, clock.now(), BACKLOG_BATCH);
    });
  return cancelled;
}

/** A new secret; the present one goes on signing beside it for a day. */
export async function rotateSecret(
  deps: EndpointDeps,
  request: { accountId: string; id: string },
): Promise<EndpointWithSecret | null> {
  const now = deps.clock.now();
  return withEndpoint(deps.db, request, async (tx, endpoint) => {
    await retireSecrets(tx, endpoint.id, now, after(now, ROTATION_OVERLAP_MS));
    return { endpoint, secret: await addSecret(tx, deps, endpoint.id) };
  });
}

export function secretBinding(secretId: string): string {
  return `webhook_secret:${secretId}`;
}

function withStatus(endpoint: Endpoint, status: 'Active' | 'Disabled', now: Date): Endpoint {
  return status === 'Active' ? enable(endpoint, now) : disable(endpoint, 'by_request', now);
}

async function addSecret(tx: Tx, { clock, secretBox }: EndpointDeps, endpointId: string): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const secret = newWebhookSecret();
  const sealed = secretBox.seal(secret, secretBinding(id));
  await insertSecret(tx, { endpointId, id, sealed, expiresAt: null, createdAt: now });
  return secret;
}

/** Runs `work` on the account's endpoint, locked and as it is then; null when there is none. */
export async function withEndpoint<Outcome>(
  db: Db,
  key: { accountId: string; id: string },
  work: (tx: Tx, endpoint: Endpoint) => Promise<Outcome>,
): Promise<Outcome | null> {
  return inTransaction(db, async (tx) => {
    if ((await findEndpoint(tx, key.accountId, key.id)) === null) return null;
    const [endpoint] = await lockEndpoints(tx, [key.id]);
    return endpoint && endpoint.status !== 'Deleted' ? work(tx, endpoint) : null;
  });
}
