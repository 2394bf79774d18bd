import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { success, successSchema } from './envelope.ts';
import { Problem } from './problems.ts';

export interface HealthDeps {
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  queues: () => Record<string, number>;
  /** Webhook calls since the start, by what came of them. */
  webhookAttempts: () => Record<string, number>;
}

const OPEN = { tags: ['Operation'], security: [] };
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** `GET /health/live`, `GET /health/ready` and `GET /metrics`, without a token. Register before the routes that are to be measured. */
export function serveHealth(app: FastifyInstance, deps: HealthDeps): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const latency = new Histogram({
    name: 'topgate_http_request_duration_seconds',
    help: 'Time from the request to its answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS,
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'topgate_queue_length',
    help: 'Items that wait for the disk.',
    labelNames: ['queue'],
    registers: [registry],
  });
  new Counter({
    name: 'topgate_webhook_attempts_total',
    help: 'Calls to webhook endpoints: succeeded, failed; and endpoints that were disabled for failing.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(deps.webhookAttempts())) this.inc({ outcome }, count);
    },
  });

  app.addHook('onResponse', async (request, reply) => {
    latency.observe(
      { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
      reply.elapsedTime / 1_000,
    );
  });

  app.get(
    '/health/live',
    {
      schema: {
        ...OPEN,
        operationId: 'getLiveness',
        summary: 'Is the process alive?',
        response: { 200: successSchema(z.object({ status: z.literal('live') }), 'The process is alive') },
      },
    },
    async () => success('The process is alive', { status: 'live' }),
  );

  app.get(
    '/health/ready',
    {
      schema: {
        ...OPEN,
        operationId: 'getReadiness',
        summary: 'Can it take orders now?',
        response: { 200: successSchema(z.object({ status: z.literal('ready') }), 'Ready to take orders') },
        problems: ['overloaded'],
      },
    },
    async () => {
      try {
        await deps.ping();
      } catch {
        throw new Problem('overloaded', 'The database does not answer.', { retryAfterSeconds: 1 });
      }
      return success('Ready to take orders', { status: 'ready' });
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        ...OPEN,
        operationId: 'getMetrics',
        summary: 'Measurements for Prometheus',
        produces: ['text/plain'],
        response: { 200: z.string().meta({ examples: ['topgate_queue_length{queue="admissions"} 0\n'] }) },
      },
    },
    async (_request, reply) => {
      for (const [queue, length] of Object.entries(deps.queues())) waiting.set({ queue }, length);
      return reply
        .type(registry.contentType)
        .serializer(String)
        .send(await registry.metrics());
    },
  );
}
