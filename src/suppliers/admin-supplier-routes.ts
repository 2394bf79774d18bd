import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type SupplierAdminDeps } from './admin-parts.ts';
import { addSupplier, type ConfigureOutcome, changeSupplierConfig, setSupplierStatus } from './configure-supplier.ts';
import {
  changeSupplierSchema,
  createSupplierSchema,
  supplierKindView,
  supplierKindViewSchema,
  supplierView,
  supplierViewSchema,
} from './contract.ts';
import { findSupplier, listSuppliers, type SupplierRecord } from './store.ts';

const supplierParams = z.strictObject({ code: text(1, 64).meta({ description: 'The supplier.', examples: ['main'] }) });
const MAX_LISTED = 200;

const testViewSchema = z
  .object({ ok: z.boolean(), balance: z.int().nullable(), message: z.string() })
  .meta({ id: 'SupplierTest', examples: [{ ok: true, balance: 48_250_000, message: 'The supplier told our balance.' }] });
const syncViewSchema = z
  .object({
    services: z
      .array(z.object({ sku: z.string(), name: z.string(), cost: z.int(), available: z.boolean() }))
      .describe(`The first ${MAX_LISTED} items.`),
  })
  .meta({
    id: 'SupplierPriceList',
    examples: [{ services: [{ sku: 'ML85', name: 'Mobile Legends 85 Diamonds', cost: 22_400, available: true }] }],
  });

/** Suppliers: the kinds there are, the accounts at them, pausing, and asking them something harmless. */
export function addSupplierRoutes(app: TypedApp, deps: SupplierAdminDeps): void {
  const { registry } = deps;
  const view = (supplier: SupplierRecord) => {
    const kind = registry.kind(supplier.kind);
    const connection = kind && registry.connection(supplier.code);
    const health = connection?.health ?? 'Working';
    const hold = connection ? connection.hold : supplier.hold;
    return supplierView(supplier, { kind, health, hold, baseUrl: deps.baseUrl, timeZone: deps.view.timeZone });
  };

  app.get(
    '/admin/api/supplier-kind',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listSupplierKinds',
        summary: 'The kinds of suppliers there are adapters for',
        response: { 200: successSchema(z.array(supplierKindViewSchema), 'Supplier kinds retrieved') },
      },
    },
    async () => success('Supplier kinds retrieved', registry.kinds().map(supplierKindView)),
  );

  app.get(
    '/admin/api/supplier',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listSuppliers',
        summary: 'List suppliers',
        response: { 200: successSchema(z.array(supplierViewSchema), 'Suppliers retrieved') },
      },
    },
    async () => success('Suppliers retrieved', (await listSuppliers(deps.db)).map(view)),
  );

  app.get(
    '/admin/api/supplier/:code',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'getSupplier',
        summary: 'Get a supplier',
        params: supplierParams,
        response: { 200: successSchema(supplierViewSchema, 'Supplier retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => success('Supplier retrieved', view(await requireSupplier(deps, request.params.code))),
  );

  app.post(
    '/admin/api/supplier',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createSupplier',
        summary: 'Add a supplier',
        body: createSupplierSchema,
        response: { 200: successSchema(supplierViewSchema, 'Supplier added') },
        problems: ['conflict'],
      },
    },
    async (request) => success('Supplier added', view(saved(await addSupplier(deps, actorOf(request), request.body)))),
  );

  app.patch(
    '/admin/api/supplier/:code',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'updateSupplier',
        summary: "Change a supplier's configuration",
        params: supplierParams,
        body: changeSupplierSchema,
        response: { 200: successSchema(supplierViewSchema, 'Supplier changed') },
        problems: ['not_found'],
      },
    },
    async (request) =>
      success(
        'Supplier changed',
        view(saved(await changeSupplierConfig(deps, actorOf(request), request.params.code, request.body.config))),
      ),
  );

  for (const [verb, label, status, message] of [
    ['pause', 'Pause', 'Paused', 'Supplier paused'],
    ['resume', 'Resume', 'Active', 'Supplier works again'],
  ] as const) {
    app.post(
      `/admin/api/supplier/:code/${verb}`,
      {
        schema: {
          tags: ADMIN_TAGS,
          operationId: `${verb}Supplier`,
          summary: `${label} a supplier`,
          params: supplierParams,
          response: { 200: successSchema(supplierViewSchema, message) },
          problems: ['not_found'],
        },
      },
      async (request) =>
        success(message, view(saved(await setSupplierStatus(deps, actorOf(request), request.params.code, status)))),
    );
  }

  app.post(
    '/admin/api/supplier/:code/test',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'testSupplier',
        summary: 'Ask the supplier something harmless',
        params: supplierParams,
        response: { 200: successSchema(testViewSchema, 'The supplier answered') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      const outcome = await registry.connection(request.params.code).readBalance();
      switch (outcome.kind) {
        case 'known':
          return success('The supplier answered', {
            ok: true,
            balance: outcome.balance === null ? null : toJsonAmount(outcome.balance),
            message: 'The supplier told our balance.',
          });
        case 'not_supported':
          return success('Nothing to ask', { ok: true, balance: null, message: 'This kind tells no balance; it is ready.' });
        case 'unknown':
          return success('The supplier did not answer', { ok: false, balance: null, message: outcome.reason });
        default:
          return unreachable(outcome);
      }
    },
  );

  app.post(
    '/admin/api/supplier/:code/sync',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'syncSupplier',
        summary: "Read the supplier's price list",
        params: supplierParams,
        response: { 200: successSchema(syncViewSchema, 'Price list retrieved') },
        problems: ['not_found', 'conflict'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      const outcome = await registry.connection(request.params.code).listServices([]);
      if (outcome.kind === 'not_supported') throw new Problem('conflict', 'This kind of supplier has no price list to read.');
      if (outcome.kind === 'unknown')
        throw new Problem('conflict', `The supplier did not answer: ${outcome.reason}. Try again later.`);
      const services = outcome.services.slice(0, MAX_LISTED).map((service) => ({ ...service, cost: toJsonAmount(service.cost) }));
      return success('Price list retrieved', { services });
    },
  );
}

async function requireSupplier(deps: SupplierAdminDeps, code: string): Promise<SupplierRecord> {
  const supplier = await findSupplier(deps.db, code);
  if (!supplier) throw unknownSupplier();
  return supplier;
}

function saved(outcome: ConfigureOutcome): SupplierRecord {
  switch (outcome.kind) {
    case 'saved':
      return outcome.supplier;
    case 'exists':
      throw new Problem('conflict', 'There is a supplier with this code already.');
    case 'not_found':
      throw unknownSupplier();
    case 'unknown_kind':
      throw new Problem('invalid_request', 'There is no adapter for this kind. GET /admin/api/supplier-kind lists all.', {
        issues: [{ path: 'kind', message: 'is not a known kind.' }],
      });
    case 'invalid_config':
      throw new Problem('invalid_request', 'The configuration does not fit the kind.', { issues: outcome.issues });
    default:
      return unreachable(outcome);
  }
}

function unknownSupplier(): Problem {
  return new Problem('not_found', 'There is no supplier with this code.');
}
