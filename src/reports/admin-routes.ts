import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { typed } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { type Clock, formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { auditLedger } from './audit.ts';
import { type OrderGroup, readStats } from './stats.ts';

const TAGS = ['Reports'];
const MAX_HOURS = 24 * 31;

const auditViewSchema = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), checked: z.int(), violations: z.array(z.string()) })),
});

const groupSchema = z.object({ mode: z.enum(['live', 'test']), key: z.string(), orders: z.int(), amount: z.int() });

const statsViewSchema = z.object({
  since: z.string(),
  by_state: z.array(groupSchema),
  by_product: z.array(groupSchema),
  by_supplier: z.array(groupSchema),
  by_hour: z.array(groupSchema),
  delivery_ms: z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable(),
  queue: z.object({ in_process: z.int(), due: z.int(), in_review: z.int(), oldest_in_process: z.string().nullable() }),
  waiting: z
    .object({ admissions: z.int(), settlements: z.int() })
    .describe('Orders and answers that wait for the disk in this process.'),
});

export interface ReportDeps {
  db: Db;
  clock: Clock;
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
  waiting: () => { admissions: number; settlements: number };
}

export function reportAdminRoutes(deps: ReportDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.get(
      '/admin/api/ledger/audit',
      {
        schema: {
          tags: TAGS,
          summary: 'Recompute every invariant of the ledger',
          description: 'From the rows alone; names each row that breaks one.',
          response: { 200: successSchema(auditViewSchema) },
        },
      },
      async () => {
        const report = await auditLedger(deps.db);
        return success(
          report.ok ? 'Every invariant holds' : 'Some invariants are broken: see the checks that are not ok',
          report,
        );
      },
    );

    app.get(
      '/admin/api/stats',
      {
        schema: {
          tags: TAGS,
          summary: 'Orders, money, latency and queues',
          querystring: z.strictObject({ hours: z.coerce.number().int().min(1).max(MAX_HOURS).default(24) }),
          response: { 200: successSchema(statsViewSchema) },
        },
      },
      async (request) => {
        const stats = await readStats(deps.db, { now: deps.clock.now(), hours: request.query.hours });
        const { timeZone } = deps.view;
        return success('Statistics retrieved', {
          since: formatTime(stats.since, timeZone),
          by_state: stats.byState.map(groupView),
          by_product: stats.byProduct.map(groupView),
          by_supplier: stats.bySupplier.map(groupView),
          by_hour: stats.byHour.map(groupView),
          delivery_ms: stats.deliveryMs,
          queue: {
            in_process: stats.queue.inProcess,
            due: stats.queue.due,
            in_review: stats.queue.inReview,
            oldest_in_process: stats.queue.oldestInProcess && formatTime(stats.queue.oldestInProcess, timeZone),
          },
          waiting: deps.waiting(),
        });
      },
    );
  };
}

function groupView(group: OrderGroup): z.infer<typeof groupSchema> {
  return { ...group, amount: toJsonAmount(group.amount) };
}
