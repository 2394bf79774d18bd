import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Reads } from '../db/replica.ts';
import { typed } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { timeField } from '../lib/answer-fields.ts';
import { type Clock, formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { auditLedger } from './audit.ts';
import { type OrderGroup, readStats } from './stats.ts';

const TAGS = ['Reports'];
const MAX_HOURS = 24 * 31;

const auditViewSchema = z
  .object({
    ok: z.boolean(),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), checked: z.int(), violations: z.array(z.string()) })),
  })
  .meta({ id: 'LedgerAudit', examples: [{ ok: true, checks: [{ name: 'balances', ok: true, checked: 12, violations: [] }] }] });

const groupSchema = z.object({ mode: z.enum(['live', 'test']), key: z.string(), orders: z.int(), amount: z.int() });

const statsViewSchema = z
  .object({
    since: timeField,
    by_state: z.array(groupSchema),
    by_product: z.array(groupSchema),
    by_supplier: z.array(groupSchema),
    by_hour: z.array(groupSchema),
    delivery_ms: z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable(),
    queue: z.object({ in_process: z.int(), due: z.int(), in_review: z.int(), oldest_in_process: timeField.nullable() }),
    waiting: z
      .object({ admissions: z.int(), settlements: z.int() })
      .describe('Orders and answers that wait for the disk in this process.'),
  })
  .meta({
    id: 'Statistics',
    examples: [
      {
        since: '2026-02-28T02:41:00+07:00',
        by_state: [{ mode: 'live', key: 'Success', orders: 412, amount: 18_230_400 }],
        by_product: [{ mode: 'live', key: 'MLBB', orders: 388, amount: 17_104_900 }],
        by_supplier: [{ mode: 'live', key: 'main', orders: 412, amount: 18_230_400 }],
        by_hour: [{ mode: 'live', key: '2026-02-28T19:00:00+00:00', orders: 412, amount: 18_230_400 }],
        delivery_ms: { p50: 840, p95: 2_950, p99: 7_100 },
        queue: { in_process: 3, due: 1, in_review: 0, oldest_in_process: '2026-03-01T02:40:15+07:00' },
        waiting: { admissions: 0, settlements: 0 },
      },
    ],
  });

export interface ReportDeps {
  reads: Reads;
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
          operationId: 'auditLedger',
          summary: 'Recompute every invariant of the ledger',
          description: 'From the rows alone; names each row that breaks one.',
          response: { 200: successSchema(auditViewSchema, 'Every invariant holds') },
        },
      },
      async () => {
        const report = await deps.reads.report(auditLedger);
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
          operationId: 'getStats',
          summary: 'Orders, money, latency and queues',
          querystring: z.strictObject({
            hours: z.coerce.number().int().min(1).max(MAX_HOURS).default(24).describe('Orders of the last so many hours.'),
          }),
          response: { 200: successSchema(statsViewSchema, 'Statistics retrieved') },
        },
      },
      async (request) => {
        const period = { now: deps.clock.now(), hours: request.query.hours };
        const stats = await deps.reads.report((db) => readStats(db, period));
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
