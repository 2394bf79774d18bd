import type { FastifyInstance } from 'fastify';
import { type TypedApp, typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { dateIn, dayOf } from '../lib/clock.ts';
import { mapPage } from '../lib/page.ts';
import { ADMIN_TAGS, badDate, noSupplier, type ReconciliationDeps } from './admin-parts.ts';
import {
  dayQuerySchema,
  dayReportSchema,
  dayReportView,
  differenceQuerySchema,
  differenceSchema,
  differenceView,
} from './contract.ts';
import { listDayDifferences, readDay } from './day-store.ts';
import { addStatementRoutes } from './statement-routes.ts';
import { isSupplier } from './statement-store.ts';

export function reconciliationAdminRoutes(deps: ReconciliationDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addDayRoutes(app, deps);
    addStatementRoutes(app, deps);
  };
}

function addDayRoutes(app: TypedApp, deps: ReconciliationDeps): void {
  const { timeZone } = deps.view;
  const base = { tags: ADMIN_TAGS, problems: ['not_found'] as const };

  app.get(
    '/admin/api/reconciliation',
    {
      schema: {
        ...base,
        operationId: 'getReconciliationDay',
        summary: "A day's purchases at a supplier, by state and price",
        description: 'What we know of the purchases that began that day: nothing is asked of the supplier.',
        querystring: dayQuerySchema,
        response: { 200: successSchema(dayReportSchema, 'Day retrieved') },
      },
    },
    async (request) => {
      const { date, span } = await requireDay(deps, request.query);
      const report = await deps.reads.report((db) => readDay(db, span));
      return success('Day retrieved', dayReportView(report, { date, span, timeZone }));
    },
  );

  app.get(
    '/admin/api/reconciliation/difference',
    {
      schema: {
        ...base,
        operationId: 'listReconciliationDifferences',
        summary: "A day's purchases that deserve a look",
        querystring: differenceQuerySchema,
        response: { 200: pagedSchema(differenceSchema, 'Differences retrieved') },
      },
    },
    async (request) => {
      const { span } = await requireDay(deps, request.query);
      const page = await deps.reads.list(span.to, (db) => listDayDifferences(db, span, request.query));
      return pagedSuccess(
        'Differences retrieved',
        mapPage(page, (difference) => differenceView(difference, timeZone)),
      );
    },
  );
}

async function requireDay(
  { db, clock, view }: Pick<ReconciliationDeps, 'db' | 'clock' | 'view'>,
  { supplier, date = dateIn(clock.now(), view.timeZone) }: { supplier: string; date?: string | undefined },
) {
  const bounds = dayOf(date, view.timeZone);
  if (bounds === null) throw badDate('date', date);
  if (!(await isSupplier(db, supplier))) throw noSupplier(supplier);
  return { date, span: { supplierCode: supplier, ...bounds } };
}
