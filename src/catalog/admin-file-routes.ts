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
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type CatalogAdminDeps } from './admin-parts.ts';
import { writeCatalogCsv } from './csv.ts';
import { type ImportOutcome, importCatalog } from './import-catalog.ts';
import { listProducts, listServices } from './store.ts';

const CSV_EXAMPLE = `product_code,product_name,category,account_identifier,user_id_label,user_id_pattern,zone_label,zone_pattern,zone_options,nickname_lookup,service_code,service_name,cost,price
FF,Free Fire,Battle Royale,"Player ID, digits",Player ID,"[0-9]{4,20}",,,,true,FF-70,70 Diamonds,9500,10000
`;
const csvSchema = z.string().meta({ examples: [CSV_EXAMPLE] });
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
  acceptCsv(app);

  app.post(
    '/admin/api/catalog/import',
    {
      bodyLimit: IMPORT_LIMIT_BYTES,
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'importCatalog',
        summary: 'Import products and services from CSV',
        description: 'Send the file as `text/csv`, or as `{"csv": "…", "dry_run": true}`. A dry run tells what would change.',
        querystring: csvImportQuery,
        body: csvImportBody(CSV_EXAMPLE),
        response: { 200: successSchema(importViewSchema, 'Catalogue imported') },
        consumes: CSV_TYPES,
      },
    },
    async (request) => {
      const { csv, dryRun } = readCsvImport(request);
      const outcome = await importCatalog(deps, actorOf(request), { csv, dryRun });
      return success(importMessage(dryRun, 'Catalogue imported'), importView(outcome));
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
      return sendCsv(reply, 'catalogue.csv', csv);
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
