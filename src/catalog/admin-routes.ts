import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { typed } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import type { Tier } from './catalog.ts';
import {
  adminProductView,
  adminProductViewSchema,
  adminServiceView,
  adminServiceViewSchema,
  changeProductSchema,
  changeServiceSchema,
  changeTierSchema,
  createProductSchema,
  createServiceSchema,
  createTierSchema,
  tierView,
  tierViewSchema,
  toMarkup,
} from './contract.ts';
import { writeCatalogCsv } from './csv.ts';
import {
  changeProduct,
  changeService,
  changeTier,
  createProduct,
  createService,
  createTier,
  type EditDeps,
  type EditOutcome,
} from './edit-catalog.ts';
import { type ImportOutcome, importCatalog } from './import-catalog.ts';
import { listProducts, listServices, listTierPrices, listTiers } from './store.ts';

export interface CatalogAdminDeps extends EditDeps {
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
}

const TAGS = ['Catalogue administration'];
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

export function catalogAdminRoutes(deps: CatalogAdminDeps) {
  const { timeZone } = deps.view;

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    app.addContentTypeParser('text/csv', { parseAs: 'string', bodyLimit: IMPORT_LIMIT_BYTES }, (_request, body, done) =>
      done(null, body),
    );

    app.get(
      '/admin/api/product',
      { schema: { tags: TAGS, summary: 'List products', response: { 200: successSchema(z.array(adminProductViewSchema)) } } },
      async () =>
        success(
          'Products retrieved',
          (await listProducts(deps.db)).map((product) => adminProductView(product, timeZone)),
        ),
    );

    app.post(
      '/admin/api/product',
      {
        schema: {
          tags: TAGS,
          summary: 'Add a product',
          body: createProductSchema,
          response: { 200: successSchema(adminProductViewSchema) },
        },
      },
      async (request) => {
        const {
          product_code: code,
          product_name: name,
          account_identifier: accountDescription,
          nickname_lookup: nicknameLookup,
          ...rest
        } = request.body;
        const outcome = await createProduct(deps, actorOf(request), { code, name, accountDescription, nicknameLookup, ...rest });
        return success('Product added', adminProductView(savedItem(outcome, `the product ${code}`), timeZone));
      },
    );

    app.patch(
      '/admin/api/product/:product_code',
      {
        schema: {
          tags: TAGS,
          summary: 'Change a product',
          params: z.strictObject({ product_code: text(1, 64) }),
          body: changeProductSchema,
          response: { 200: successSchema(adminProductViewSchema) },
        },
      },
      async (request) => {
        const {
          product_name: name,
          account_identifier: accountDescription,
          nickname_lookup: nicknameLookup,
          ...rest
        } = request.body;
        const change = withoutUndefined({ name, accountDescription, nicknameLookup, ...rest });
        const outcome = await changeProduct(deps, actorOf(request), request.params.product_code, change);
        return success('Product changed', adminProductView(savedItem(outcome, 'this product'), timeZone));
      },
    );

    app.get(
      '/admin/api/service',
      { schema: { tags: TAGS, summary: 'List services', response: { 200: successSchema(z.array(adminServiceViewSchema)) } } },
      async () =>
        success(
          'Services retrieved',
          (await listServices(deps.db)).map((service) => adminServiceView(service, timeZone)),
        ),
    );

    app.post(
      '/admin/api/service',
      {
        schema: {
          tags: TAGS,
          summary: 'Add a service',
          body: createServiceSchema,
          response: { 200: successSchema(adminServiceViewSchema) },
        },
      },
      async (request) => {
        const { service_code: code, product_code: productCode, service_name: name, cost, price, status } = request.body;
        const outcome = await createService(deps, actorOf(request), {
          code,
          productCode,
          name,
          cost: BigInt(cost),
          price: BigInt(price),
          status,
        });
        return success('Service added', adminServiceView(savedItem(outcome, `the service ${code}`), timeZone));
      },
    );

    app.patch(
      '/admin/api/service/:service_code',
      {
        schema: {
          tags: TAGS,
          summary: 'Change a service',
          params: z.strictObject({ service_code: text(1, 64) }),
          body: changeServiceSchema,
          response: { 200: successSchema(adminServiceViewSchema) },
        },
      },
      async (request) => {
        const { service_name: name, cost, price, status } = request.body;
        const change = withoutUndefined({
          name,
          status,
          cost: cost === undefined ? undefined : BigInt(cost),
          price: price === undefined ? undefined : BigInt(price),
        });
        const outcome = await changeService(deps, actorOf(request), request.params.service_code, change);
        return success('Service changed', adminServiceView(savedItem(outcome, 'this service'), timeZone));
      },
    );

    app.get(
      '/admin/api/tier',
      { schema: { tags: TAGS, summary: 'List tiers', response: { 200: successSchema(z.array(tierViewSchema)) } } },
      async () => {
        const tiers = await listTiers(deps.db);
        return success('Tiers retrieved', await Promise.all(tiers.map((tier) => viewTier(deps, tier))));
      },
    );

    app.post(
      '/admin/api/tier',
      { schema: { tags: TAGS, summary: 'Add a tier', body: createTierSchema, response: { 200: successSchema(tierViewSchema) } } },
      async (request) => {
        const { code, name, pricing, markup, round_to: roundTo, floor_margin: floorMargin } = request.body;
        const tier = {
          code,
          name,
          pricing,
          markup: toMarkup(pricing, markup),
          roundTo: BigInt(roundTo),
          floorMargin: BigInt(floorMargin),
        };
        const outcome = await createTier(deps, actorOf(request), tier);
        return success('Tier added', await viewTier(deps, savedItem(outcome, `the tier ${code}`)));
      },
    );

    app.patch(
      '/admin/api/tier/:code',
      {
        schema: {
          tags: TAGS,
          summary: 'Change a tier and its explicit prices',
          params: z.strictObject({ code: text(1, 64) }),
          body: changeTierSchema,
          response: { 200: successSchema(tierViewSchema) },
        },
      },
      async (request) => {
        const { prices = {}, name, pricing, markup, round_to: roundTo, floor_margin: floorMargin } = request.body;
        const before = (await listTiers(deps.db)).find(({ code }) => code === request.params.code);
        const change = withoutUndefined({
          name,
          pricing,
          markup: markup === undefined ? undefined : toMarkup(pricing ?? before?.pricing ?? 'list', markup),
          roundTo: roundTo === undefined ? undefined : BigInt(roundTo),
          floorMargin: floorMargin === undefined ? undefined : BigInt(floorMargin),
        });
        const explicit = new Map(Object.entries(prices).map(([code, price]) => [code, price === null ? null : BigInt(price)]));
        const outcome = await changeTier(deps, actorOf(request), request.params.code, change, explicit);
        return success('Tier changed', await viewTier(deps, savedItem(outcome, 'this tier')));
      },
    );

    app.post(
      '/admin/api/catalog/import',
      {
        bodyLimit: IMPORT_LIMIT_BYTES,
        schema: {
          tags: TAGS,
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
        return success(
          dryRun ? 'Nothing was changed; this is what an import would do' : 'Catalogue imported',
          importView(outcome),
        );
      },
    );

    app.get(
      '/admin/api/catalog/export',
      { schema: { tags: TAGS, summary: 'The whole catalogue as CSV' } },
      async (_request, reply) => {
        const csv = writeCatalogCsv(await listProducts(deps.db), await listServices(deps.db));
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="catalogue.csv"')
          .serializer(String)
          .send(csv);
      },
    );
  };
}

async function viewTier({ db }: CatalogAdminDeps, tier: Tier) {
  const prices = (await listTierPrices(db)).filter(({ tierCode }) => tierCode === tier.code);
  return tierView(tier, Object.fromEntries(prices.map(({ serviceCode, price }) => [serviceCode, toJsonAmount(price)])));
}

function savedItem<Item>(outcome: EditOutcome<Item>, what: string): Item {
  switch (outcome.kind) {
    case 'saved':
      return outcome.item;
    case 'exists':
      throw new Problem('conflict', `There is ${what} already. Change it with PATCH.`);
    case 'not_found':
      throw new Problem('not_found', `There is no such object: ${what}.`);
    case 'unknown_product':
      throw new Problem('product_not_found');
    case 'unknown_service':
      throw new Problem('service_not_found', `There is no service ${outcome.code}.`);
    default:
      return unreachable(outcome);
  }
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

/** Drops the fields that were not given, so that spreading the rest over a stored object changes nothing else. */
function withoutUndefined<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
