import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { sql } from 'kysely';
import { catalogAdminRoutes, catalogRoutes, openCatalogCache, type TellServiceChanges } from '../catalog/index.ts';
import type { Database } from '../db/database.ts';
import { watchRevisions } from '../db/revisions.ts';
import { serveDocsSite } from '../docs-site/index.ts';
import { createApp } from '../http/app.ts';

import { serveHealth } from '../http/health.ts';
import { describeApi, serveApiDescription } from '../http/openapi.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createSecretBox } from '../lib/secret-box.ts';
import { adminGate, openSettings, operatorAdminRoutes } from '../operators/index.ts';
import {
  openAdmissionQueue,
  openSettlementQueue,
  orderAdminRoutes,
  orderRoutes,
  releaseLeases,
  startDispatcher,
} from '../orders/index.ts';
import { createNicknameLookup, playerRoutes } from '../players/index.ts';
import { DESCRIBED_EVENTS, referenceRoutes } from '../reference/index.ts';
import { reportAdminRoutes } from '../reports/index.ts';
import { openRequestLog, requestLogRoutes } from '../request-log/index.ts';
import { createRateLimit, openAccess, openGates, resellerAdminRoutes, resellerRoutes, tellServices } from '../resellers/index.ts';
import { openRegistry, type SupplierKind, supplierAdminRoutes } from '../suppliers/index.ts';
import { openSandboxBook, sandboxKind } from '../suppliers/sandbox/index.ts';
import {
  createNetworkGuard,
  createWebhookSender,
  releaseEndpoints,
  startDeliverer,
  type WebhookSender,
  webhookRoutes,
} from '../webhooks/index.ts';
import type { Config } from './config.ts';
import { createNotifier } from './notifier.ts';

export interface ServiceDeps {
  config: Omit<Config, 'databaseUrl' | 'dataDir'>;
  database: Database;
  clock: Clock;
  log: Log;
  version: string;
  /** Adapters beside the sandbox. */
  supplierKinds?: SupplierKind[];
  /** Makes the calls to webhook endpoints; over the network when not given. */
  webhookSender?: WebhookSender;
  /** Orders that may wait for the disk; one more is answered `503 overloaded`. */
  admissionLimit?: number;
}

/** A running Topgate without its port: the web application, and the workers behind it. */
export interface Service {
  app: FastifyInstance;
  /** Finishes what is in flight, then lets go of everything but the database. */
  stop(): Promise<void>;
}

const ADMISSION_LIMIT = 10_000;
/** Several batches may be on their way to a server's disk at once; the embedded engine runs one transaction at a time anyway. */
const ADMISSION_LANES = { embedded: 1, postgres: 2 } as const;
const STOP_LIMIT_MS = 5 * SECOND_MS;

/** Wires all rooms together. The one place that knows everything, so nothing else has to. */
export async function openService(deps: ServiceDeps): Promise<Service> {
  const { config, database, clock, log } = deps;
  const { db } = database;
  const view = { currency: config.currency, timeZone: config.timeZone };
  const secretBox = createSecretBox(config.masterKey);
  const revisions = watchRevisions(db, clock, log);
  const kinds = [sandboxKind(openSandboxBook(db)), ...(deps.supplierKinds ?? [])];
  const registry = await openRegistry({ db, clock, log, secretBox, revisions, kinds });
  const catalog = await openCatalogCache(db, revisions);
  const access = await openAccess({ db, clock, secretBox, revisions });
  const settings = await openSettings(db, revisions);
  const requestLog = openRequestLog({ db, clock, log, days: config.requestLogDays });
  const nicknames = createNicknameLookup({ clock, registry });

  // A lone worker knows that whoever held orders before its start is gone; among several, leases run out by themselves.
  if (config.role !== 'api' && (await database.announceWorker())) {
    await releaseLeases(db, clock.now());
    await releaseEndpoints(db, clock.now());
  }
  const notifier = createNotifier(database, clock, log);
  const networkGuard = createNetworkGuard(config.webhookAllowedCidrs);
  const sender = deps.webhookSender ?? createWebhookSender({ clock, guard: networkGuard, version: deps.version });
  const deliverer = config.role === 'api' ? null : startDeliverer({ db, clock, log, secretBox, sender, timeZone: view.timeZone });
  const wakeDeliverer = () => (deliverer ? deliverer.wake() : notifier.notify());
  const settlements = openSettlementQueue({ db, clock, registry, view, onEvents: wakeDeliverer });
  const dispatcher = config.role === 'api' ? null : startDispatcher({ db, clock, log, registry, settlements });
  const wake = (supplierCodes?: Set<string>) => (dispatcher ? dispatcher.wake(supplierCodes) : notifier.notify());
  const stopListening = listenForWork();
  const admissions = openAdmissionQueue({
    db,
    clock,
    currency: config.currency,
    onPlaced: wake,
    lanes: ADMISSION_LANES[database.engine],
    maxQueue: deps.admissionLimit ?? ADMISSION_LIMIT,
  });

  let stopping = false;
  const app = createApp({ log, trustedProxies: config.trustedProxies, isStopping: () => stopping });
  requestLog.watch(app);
  const waiting = () => ({ admissions: admissions.length, settlements: settlements.length });
  describeApi(app, { version: deps.version, events: DESCRIBED_EVENTS });
  serveHealth(app, { ping: () => ping(database), queues: waiting, webhookAttempts: () => ({ ...deliverer?.totals }) });
  if (config.role !== 'worker') await mountRoutes();
  serveApiDescription(app);
  serveDocsSite(app, { version: deps.version });
  app.closeMethodGaps();

  function listenForWork(): () => void {
    if (config.role === 'api' || database.engine !== 'postgres') return () => {};
    return database.listen('work', () => {
      dispatcher?.wake();
      deliverer?.wake();
    });
  }

  async function mountRoutes(): Promise<void> {
    const perSecond = config.rateLimit;
    const gates = openGates({
      access,
      rateLimit: perSecond === 0 ? null : { perSecond, take: createRateLimit(clock, perSecond) },
      maintenance: () => (settings.maintenance().enabled ? settings.maintenance().message : null),
    });
    const guard: onRequestAsyncHookHandler = adminGate(config.adminToken);
    const baseUrl = `http://${config.host}:${config.port}`;
    await app.register(resellerRoutes({ db, clock, gates, view }));
    await app.register(catalogRoutes({ catalog, gates, view }));
    await app.register(playerRoutes({ catalog, nicknames, gates }));
    await app.register(orderRoutes({ db, clock, catalog, nicknames, registry, admissions, gates, view }));
    const urlRules = { guard: networkGuard, allowHttp: config.env === 'development' };
    await app.register(webhookRoutes({ db, clock, secretBox, gates, view, urlRules, wake: wakeDeliverer }));
    await app.register(requestLogRoutes({ db, clock, gates, view, days: config.requestLogDays }));
    await app.register(referenceRoutes({ catalog, gates }));
    await app.register(resellerAdminRoutes({ database, clock, secretBox, revisions, adminGate: guard, view }));
    await app.register(orderAdminRoutes({ db, clock, view, adminGate: guard, wake: () => wake() }));
    const tell: TellServiceChanges = (tx, changes) => tellServices(tx, clock, changes);
    await app.register(catalogAdminRoutes({ db, clock, revisions, adminGate: guard, view, tell }));
    await app.register(supplierAdminRoutes({ db, clock, secretBox, revisions, registry, adminGate: guard, view, baseUrl }));
    await app.register(operatorAdminRoutes({ db, clock, revisions, settings, adminGate: guard }));
    await app.register(reportAdminRoutes({ db, clock, adminGate: guard, view, waiting }));
  }

  return {
    app,
    async stop() {
      stopping = true;
      stopListening();
      // First the door, then what is inside: answers that were promised are given before the workers go.
      await app.close();
      await admissions.drain();
      await requestLog.stop();
      await dispatcher?.stop(STOP_LIMIT_MS);
      await settlements.drain();
      await deliverer?.stop(STOP_LIMIT_MS);
      await notifier.stop();
      await revisions.stop();
    },
  };
}

async function ping({ db }: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
