import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { supplierFigures } from '../connections/index.ts';
import type { Database } from '../db/database.ts';
import { serveDocsSite } from '../docs-site/index.ts';
import { createApp } from '../http/app.ts';
import { serveHealth } from '../http/health.ts';
import { serveMetrics } from '../http/metrics.ts';
import { describeApi, serveApiDescription } from '../http/openapi.ts';
import { watchWaitingOrders } from '../orders/index.ts';
import { DESCRIBED_EVENTS } from '../reference/index.ts';
import { mountRoutes } from './mount-routes.ts';
import { openParts, type ServiceDeps } from './parts.ts';

export type { ServiceDeps } from './parts.ts';

/** A running Topgate without its port: the web application, and the workers behind it. */
export interface Service {
  app: FastifyInstance;
  /** Finishes what is in flight, then lets go of everything but the database. */
  stop(): Promise<void>;
}

/** Wires all rooms together: their parts, and the web application in front of them. */
export async function openService(deps: ServiceDeps): Promise<Service> {
  const { config, database, log, version } = deps;
  const parts = await openParts(deps);

  let stopping = false;
  const app = createApp({ log, trustedProxies: config.trustedProxies, isStopping: () => stopping });
  parts.requestLog.watch(app);
  describeApi(app, { version, events: DESCRIBED_EVENTS });
  serveMetrics(app, {
    queues: parts.waiting,
    ordersTaken: parts.ordersTaken,
    clockAheadMs: () => parts.clockWatch.aheadMs(),
    webhooks: parts.webhookTotals,
    callbacks: () => parts.callbackDesk.totals,
    exchangesLost: () => parts.exchangeLog.lost,
    rateFallbacks: parts.rateLimit.fallbacks,
    replicaBehindMs: () => parts.reads.behindMs(),
    jobs: parts.jobTotals,
    auditViolations: parts.auditViolations,
    waitingOrders: watchWaitingOrders(parts),
    now: () => parts.clock.now(),
    suppliers: () => supplierFigures(parts.registry, parts.health),
  });
  serveHealth(app, {
    ping: () => ping(database),
    replica: () => parts.reads.state(),
    writingForMs: parts.writingForMs,
    isClockFarOff: () => parts.clockWatch.isFarOff(),
  });
  if (config.role !== 'worker') await mountRoutes(app, parts);
  serveApiDescription(app);
  serveDocsSite(app, { version });
  app.closeMethodGaps();

  return {
    app,
    async stop() {
      stopping = true;
      parts.stopListening();
      // First the door, then what is inside: answers that were promised are given before the workers go.
      await app.close();
      await parts.close();
    },
  };
}

async function ping({ db }: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
