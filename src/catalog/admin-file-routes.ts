import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type CatalogAdminDeps } from './admin-parts.ts';
import { writeCatalogCsv } from './csv.ts';
import { type ImportOutcome, importCatalog } from './import-catalog.ts';
import { listProducts, listServices } from './store.ts';

const IMPORT_LIMIT_BYTES = 16 * 1024 * 1024;

const importQuerySchema = z.strictObject({ dry_run: z.stringbool().default(false) });
const importBodySchema = z.union([z.string(), z.strictObject({ csv: z.string(), dry_run: z.boolean().optional() })]);
const importViewSchema = z.object({
  dry_run: z.boolean(),
  new_products: z.array(z.string()),
  changed_products: z.array(z.string()),
  new_services: z.array(z.string()),
  changed_services: z.array(z.object({ service_code: z.string(), price_before: z.int(), price: z.int() })),
  unchanged_services: z.int(),
  below_cost: z.array(z.string()).describe('Services whose price is below their cost.'),
});

/** The catalogue as a CSV file: import and export. */
export function addFileRoutes(app: TypedApp, deps: CatalogAdminDeps): void {
  app.addContentTypeParser('text/csv', { parseAs: 'string', bodyLimit: IMPORT_LIMIT_BYTES }, (_request, body, done) =>
    done(null, body),
  );

  app.post(
    '/admin/api/catalog/import',
    {
      bodyLimit: IMPORT_LIMIT_BYTES,
      schema: {
        tags: ADMIN_TAGS,
        summary: 'Import products and services from CSV',
        description: 'Send the file as `text/csv`, or as `{"csv": "…", "dry_run": true}`. A dry run tells what would change.',
        querystring: importQuerySchema,
        body: importBodySchema,
        response: { 200: successSchema(importViewSchema) },
      },
    },
    async (request) => {
      const { body, query } = request;
      const dryRun = query.dry_run || (typeof body === 'object' && body.dry_run === true);
      const outcome = await importCatalog(deps, actorOf(request), { csv: typeof body === 'string' ? body : body.csv, dryRun });
      return success(dryRun ? 'Nothing was changed; this is what an import would do' : 'Catalogue imported', importView(outcome));
    },
  );

  app.get(
    '/admin/api/catalog/export',
    { schema: { tags: ADMIN_TAGS, summary: 'The whole catalogue as CSV' } },
    async (_request, reply) => {
      const csv = writeCatalogCsv(await listProducts(deps.db), await listServices(deps.db));
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="catalogue.csv"')
        .serializer(String)
        .send(csv);
    },
  );
}

function importView(outcome: ImportOutcome): z.infer<typeof importViewSchema> {
  if (outcome.kind === 'invalid') {
    const issues = outcome.issues.map(({ line, message }) => ({ path: `line ${line}`, message }));
    throw new Problem('invalid_request', 'The file was not imported. `issues` names the lines.', { issues });
  }
  const { summary } = outcome;
  return {
    dry_run: outcome.kind === 'dry_run',
    new_products: summary.newProducts,
    changed_products: summary.changedProducts,
    new_services: summary.newServices,
    changed_services: summary.changedServices.map(({ code, priceBefore, price }) => ({
      service_code: code,
      price_before: toJsonAmount(priceBefore),
      price: toJsonAmount(price),
    })),
    unchanged_services: summary.unchangedServices,
    below_cost: summary.belowCost,
  };
}
