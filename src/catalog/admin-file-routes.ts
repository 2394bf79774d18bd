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

const importQuerySchema = z.strictObject({
  dry_run: z
    .stringbool()
    .default(false)
    .meta({ type: 'boolean', description: '`true`: change nothing, tell what would change.' }),
});
const CSV_EXAMPLE = `product_code,product_name,category,account_identifier,user_id_label,user_id_pattern,zone_label,zone_pattern,zone_options,nickname_lookup,service_code,service_name,cost,price
FF,Free Fire,Battle Royale,"Player ID, digits",Player ID,"[0-9]{4,20}",,,,true,FF-70,70 Diamonds,9500,10000
`;
const csvSchema = z.string().meta({ examples: [CSV_EXAMPLE] });
const importBodySchema = z
  .union([z.string(), z.strictObject({ csv: z.string(), dry_run: z.boolean().optional() })])
  .meta({ examples: [{ csv: CSV_EXAMPLE, dry_run: true }] });
const importViewSchema = z
  .object({
    dry_run: z.boolean(),
    new_products: z.array(z.string()),
    changed_products: z.array(z.string()),
    new_services: z.array(z.string()),
    changed_services: z.array(z.object({ service_code: z.string(), price_before: z.int(), price: z.int() })),
    unchanged_services: z.int(),
    below_cost: z.array(z.string()).describe('Services whose price is below their cost.'),
  })
  .meta({
    id: 'CatalogImport',
    examples: [
      {
        dry_run: false,
        new_products: [],
        changed_products: [],
        new_services: ['FF-140'],
        changed_services: [{ service_code: 'FF-70', price_before: 9_900, price: 10_000 }],
        unchanged_services: 337,
        below_cost: [],
      },
    ],
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
        operationId: 'importCatalog',
        summary: 'Import products and services from CSV',
        description: 'Send the file as `text/csv`, or as `{"csv": "…", "dry_run": true}`. A dry run tells what would change.',
        querystring: importQuerySchema,
        body: importBodySchema,
        response: { 200: successSchema(importViewSchema, 'Catalogue imported') },
        consumes: ['text/csv', 'application/json'],
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
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'exportCatalog',
        summary: 'The whole catalogue as CSV',
        produces: ['text/csv'],
        answerHeaders: ['Content-Disposition'],
        response: { 200: csvSchema },
      },
    },
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
