import type { TypedApp } from '../http/app.ts';
import { IMPORT_LIMIT_BYTES } from '../http/csv-file.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { DAY_MS, dayOf } from '../lib/clock.ts';
import { mapPage } from '../lib/page.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, badDate, noSupplier, type ReconciliationDeps } from './admin-parts.ts';
import type { DaySpan } from './day-store.ts';
import { importStatement, MAX_KEPT_FINDINGS } from './import-statement.ts';
import {
  findingListQuerySchema,
  findingView,
  findingViewSchema,
  statementListQuerySchema,
  statementParamsSchema,
  statementRequestSchema,
  statementView,
  statementViewSchema,
} from './statement-contract.ts';
import { findStatement, isSupplier, listFindings, listStatements, type Statement } from './statement-store.ts';

const MAX_DAYS = 62;

/** Suppliers' statements: given to us, compared, and what differs. */
export function addStatementRoutes(app: TypedApp, deps: ReconciliationDeps): void {
  const { db } = deps;
  const { timeZone } = deps.view;

  app.post(
    '/admin/api/reconciliation/statement',
    {
      bodyLimit: IMPORT_LIMIT_BYTES,
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'compareStatement',
        summary: "Compare a supplier's statement with our book",
        description: `Lines are matched by our reference, or by theirs where they have none of ours. What agrees is counted; of what does not, up to ${MAX_KEPT_FINDINGS} findings are kept, the gravest first. Nothing is settled by it.`,
        body: statementRequestSchema,
        response: { 200: successSchema(statementViewSchema, 'Statement compared') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { supplier, csv, date_from, date_to, columns } = request.body;
      const span = spanOf(supplier, date_from, date_to, timeZone);
      if (!(await isSupplier(db, supplier))) throw noSupplier(supplier);
      const outcome = await importStatement(deps, actorOf(request), {
        csv,
        columns,
        dateFrom: date_from,
        dateTo: date_to,
        span,
        foreignCurrency: deps.foreignCurrencyOf(supplier),
      });
      if (outcome.kind === 'invalid') {
        const issues = [{ path: `line ${outcome.line}`, message: outcome.message }];
        throw new Problem('invalid_request', `The file was not compared. ${outcome.message}`, { issues });
      }
      return success('Statement compared', statementView(outcome.statement, timeZone));
    },
  );

  app.get(
    '/admin/api/reconciliation/statement',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listStatements',
        summary: 'Statements that were compared',
        querystring: statementListQuerySchema,
        response: { 200: pagedSchema(statementViewSchema, 'Statements retrieved') },
      },
    },
    async (request) => {
      const page = await listStatements(db, request.query);
      return pagedSuccess(
        'Statements retrieved',
        mapPage(page, (statement) => statementView(statement, timeZone)),
      );
    },
  );

  app.get(
    '/admin/api/reconciliation/statement/:statement_id',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'getStatement',
        summary: 'One statement that was compared',
        params: statementParamsSchema,
        response: { 200: successSchema(statementViewSchema, 'Statement retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) =>
      success('Statement retrieved', statementView(await requireStatement(deps, request.params.statement_id), timeZone)),
  );

  app.get(
    '/admin/api/reconciliation/statement/:statement_id/finding',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listStatementFindings',
        summary: 'What of a statement does not agree',
        description: 'The gravest first.',
        params: statementParamsSchema,
        querystring: findingListQuerySchema,
        response: { 200: pagedSchema(findingViewSchema, 'Findings retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { id } = await requireStatement(deps, request.params.statement_id);
      return pagedSuccess('Findings retrieved', mapPage(await listFindings(db, id, request.query), findingView));
    },
  );
}

function spanOf(supplierCode: string, dateFrom: string, dateTo: string, timeZone: string): DaySpan {
  const first = dayOf(dateFrom, timeZone);
  const last = dayOf(dateTo, timeZone);
  if (first === null) throw badDate('date_from', dateFrom);
  if (last === null) throw badDate('date_to', dateTo);
  const days = (last.to.getTime() - first.from.getTime()) / DAY_MS;
  // An hour more or less, where a zone changes its time meanwhile.
  if (days <= 0 || days > MAX_DAYS + 0.1) {
    const message = days <= 0 ? 'must not be before date_from.' : `must be at most ${MAX_DAYS} days from date_from.`;
    throw new Problem('invalid_request', `date_to ${message}`, { issues: [{ path: 'date_to', message }] });
  }
  return { supplierCode, from: first.from, to: last.to };
}

async function requireStatement({ db }: ReconciliationDeps, id: string): Promise<Statement> {
  const statement = id === '' ? null : await findStatement(db, id);
  if (statement === null) throw new Problem('not_found');
  return statement;
}
