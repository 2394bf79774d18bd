import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import {
  acceptCsv,
  CSV_TYPES,
  csvImportBody,
  csvImportQuery,
  IMPORT_LIMIT_BYTES,
  importMessage,
  readCsvImport,
  sendCsv,
} from '../http/csv-file.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type RoutingAdminDeps } from './admin-parts.ts';
import { importRoutes, type RouteImportOutcome } from './import-routes.ts';
import { writeRouteCsv } from './route-csv.ts';
import { listRoutes } from './store.ts';

const MAX_WARNINGS = 200;
const CSV_EXAMPLE = `service_code,supplier,sku,cost,account_template,once_per_day,cut_off
MLBB-85,main,ML85,22400,{user_id}|{zone},false,23:30-00:30
MLBB-85,backup,ml-85,22900,,,
`;

const csvSchema = z.string().meta({ examples: [CSV_EXAMPLE] });
const viewSchema = z
  .object({
    dry_run: z.boolean(),
    routes: z.int().describe('How many the file has.'),
    new_services: z.array(z.string()).describe('Services that had no route before.'),
    changed_services: z.array(z.string()),
    unchanged_services: z.int(),
    warnings: z
      .array(z.object({ line: z.int(), message: z.string() }))
      .describe(`What speaks against routes in the price lists as they were last read; the first ${MAX_WARNINGS}.`),
    warnings_total: z.int(),
  })
  .meta({
    id: 'RouteImport',
    examples: [
      {
        dry_run: true,
        routes: 2,
        new_services: ['MLBB-85'],
        changed_services: [],
        unchanged_services: 0,
        warnings: [{ line: 3, message: 'The price list of backup, read 2026-02-14T10:00:00+07:00, has no item ml-85.' }],
        warnings_total: 1,
      },
    ],
  });

/** The routes of many services as a CSV file: import and export. */
export function addRouteFileRoutes(app: TypedApp, deps: RoutingAdminDeps): void {
  acceptCsv(app);

  app.post(
    '/admin/api/route/import',
    {
      bodyLimit: IMPORT_LIMIT_BYTES,
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'importRoutes',
        summary: 'Set the routes of many services from CSV',
        description:
          'A row for each route, those of a service in order of preference: they replace all routes of that service. Services that the file does not name keep theirs. All or nothing. Send the file as `text/csv`, or as `{"csv": "…", "dry_run": true}`.',
        querystring: csvImportQuery,
        body: csvImportBody(CSV_EXAMPLE),
        response: { 200: successSchema(viewSchema, 'Routes imported') },
        consumes: CSV_TYPES,
      },
    },
    async (request) => {
      const { csv, dryRun } = readCsvImport(request);
      const outcome = await importRoutes(deps, actorOf(request), { csv, dryRun });
      return success(importMessage(dryRun, 'Routes imported'), importView(outcome));
    },
  );

  app.get(
    '/admin/api/route/export',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'exportRoutes',
        summary: 'All routes as CSV',
        produces: ['text/csv'],
        answerHeaders: ['Content-Disposition'],
        response: { 200: csvSchema },
      },
    },
    async (_request, reply) => sendCsv(reply, 'routes.csv', writeRouteCsv(await listRoutes(deps.db))),
  );
}

function importView(outcome: RouteImportOutcome): z.infer<typeof viewSchema> {
  if (outcome.kind === 'invalid') {
    const issues = outcome.issues.map(({ line, message }) => ({ path: `line ${line}`, message }));
    throw new Problem('invalid_request', 'The file was not imported. `issues` names the lines.', { issues });
  }
  const { summary } = outcome;
  return {
    dry_run: outcome.kind === 'dry_run',
    routes: summary.routes,
    new_services: summary.newServices,
    changed_services: summary.changedServices,
    unchanged_services: summary.unchangedServices,
    warnings: summary.warnings.slice(0, MAX_WARNINGS),
    warnings_total: summary.warnings.length,
  };
}
