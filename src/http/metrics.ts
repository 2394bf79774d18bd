import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { measureWaitingOrders, type WaitingMeasures } from './order-metrics.ts';
import { measureSuppliers, type SupplierMeasures } from './supplier-metrics.ts';

export interface MetricsDeps {
  /** Items that wait for the disk, by queue. */
  queues: () => Record<string, number>;
  /** Orders that this process took to deliver since the start. */
  ordersTaken: () => number;
  /** What was done about webhooks since the start. */
  webhooks: () => { succeeded: number; failed: number; disabled: number };
  /** Messages at callback addresses since the start, by supplier and by what became of them. */
  callbacks: () => Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Exchanges with suppliers that could not be kept. */
  exchangesLost: () => number;
  /** Requests whose rate this process judged alone because the database did not answer. */
  rateFallbacks: () => number;
  /** How old what the read replica has is; null when there is none or it is not known. */
  replicaBehindMs: () => number | null;
  /** How far this machine's clock is ahead of the database's; null when not known. */
  clockAheadMs: () => number | null;
  /** Runs of jobs since the start, by name. */
  jobs: () => Readonly<Record<string, { succeeded: number; failed: number }>>;
  /** What the last audit of this process found. */
  auditViolations: () => number;
  /** Orders that wait, over all processes; null while that is not known. */
  waitingOrders: () => Promise<WaitingMeasures[] | null>;
  now: () => Date;
  /** The suppliers in numbers. */
  suppliers: () => SupplierMeasures[];
}

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** `GET /metrics`, without a token. Register before the routes that are to be measured. */
export function serveMetrics(app: FastifyInstance, deps: MetricsDeps): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(app, registry);
  countWork(registry, deps);
  measureClocks(registry, deps);
  countJobs(registry, deps);
  countCallbacks(registry, deps);
  measureSuppliers(registry, deps.suppliers);
  measureWaitingOrders(registry, deps.waitingOrders, deps.now);

  app.get(
    '/metrics',
    {
      schema: {
        tags: ['Operation'],
        security: [],
        operationId: 'getMetrics',
        summary: 'Measurements for Prometheus',
        produces: ['text/plain'],
        response: { 200: z.string().meta({ examples: ['topgate_queue_length{queue="admissions"} 0\n'] }) },
      },
    },
    async (_request, reply) =>
      reply
        .type(registry.contentType)
        .serializer(String)
        .send(await registry.metrics()),
  );
}

function measureRequests(app: FastifyInstance, registry: Registry): void {
  const latency = new Histogram({
    name: 'topgate_http_request_duration_seconds',
    help: 'Time from the request to its answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS,
    registers: [registry],
  });
  const known = new Map<string, ReturnType<typeof latency.labels>>();
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    const key = `${method} ${route} ${status}`;
    // Kept, as finding the one for its labels costs more than counting.
    const series = known.get(key) ?? latency.labels({ method, route, status });
    known.set(key, series);
    series.observe(reply.elapsedTime / 1_000);
    done();
  });
}

/** What others count is asked for when somebody looks. */
function countWork(registry: Registry, deps: MetricsDeps): void {
  const { queues, ordersTaken, webhooks, exchangesLost, rateFallbacks } = deps;
  const registers = [registry];
  new Gauge({
    name: 'topgate_queue_length',
    help: 'Items that wait for the disk.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [queue, length] of Object.entries(queues())) this.set({ queue }, length);
    },
  });
  new Counter({
    name: 'topgate_orders_taken_total',
    help: 'Orders that this worker took to deliver or to ask about, each as often as it was taken.',
    registers,
    collect() {
      this.reset();
      this.inc(ordersTaken());
    },
  });
  new Counter({
    name: 'topgate_webhook_attempts_total',
    help: 'Calls to webhook endpoints, by what came of them.',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { succeeded, failed } = webhooks();
      this.reset();
      this.inc({ outcome: 'succeeded' }, succeeded);
      this.inc({ outcome: 'failed' }, failed);
    },
  });
  new Counter({
    name: 'topgate_webhook_endpoints_disabled_total',
    help: 'Webhook endpoints that were disabled because they were gone or had failed for days.',
    registers,
    collect() {
      this.reset();
      this.inc(webhooks().disabled);
    },
  });
  new Counter({
    name: 'topgate_supplier_exchanges_lost_total',
    help: 'Exchanges with suppliers that could not be kept for operators, because there were too many at once.',
    registers,
    collect() {
      this.reset();
      this.inc(exchangesLost());
    },
  });
  new Counter({
    name: 'topgate_rate_limit_fallbacks_total',
    help: 'Requests whose rate was judged by this process alone because the database did not answer in time.',
    registers,
    collect() {
      this.reset();
      this.inc(rateFallbacks());
    },
  });
}

/** What is not known has no value. */
function measureClocks(registry: Registry, { replicaBehindMs, clockAheadMs }: MetricsDeps): void {
  const gauge = (name: string, help: string, measure: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const measuredMs = measure();
        if (measuredMs === null) this.remove();
        else this.set(measuredMs / 1_000);
      },
    });
  gauge(
    'topgate_replica_behind_seconds',
    'How old what the read replica has is; without a value when there is none, or while it never answered.',
    replicaBehindMs,
  );
  gauge('topgate_clock_ahead_seconds', "How far this machine's clock is ahead of the database's.", clockAheadMs);
}

function countJobs(registry: Registry, { jobs, auditViolations }: MetricsDeps): void {
  const registers = [registry];
  new Counter({
    name: 'topgate_jobs_total',
    help: 'Runs of nightly and hourly jobs in this process, by what came of them.',
    labelNames: ['job', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [job, { succeeded, failed }] of Object.entries(jobs())) {
        this.inc({ job, outcome: 'succeeded' }, succeeded);
        this.inc({ job, outcome: 'failed' }, failed);
      }
    },
  });
  new Gauge({
    name: 'topgate_ledger_violations',
    help: 'Rows that break a rule of the ledger, found by the last nightly audit in this process. Anything but 0 is an alarm.',
    registers,
    collect() {
      this.set(auditViolations());
    },
  });
}

function countCallbacks(registry: Registry, { callbacks }: MetricsDeps): void {
  new Counter({
    name: 'topgate_supplier_callbacks_total',
    help: 'Messages at callback addresses of suppliers. Anything forged or refused_address that grows is worth a look.',
    labelNames: ['supplier', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [supplier, outcomes] of Object.entries(callbacks()))
        for (const [outcome, count] of Object.entries(outcomes)) this.inc({ supplier, outcome }, count);
    },
  });
}
