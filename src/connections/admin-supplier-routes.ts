import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { actorOf } from '../operators/index.ts';
import {
  ADMIN_TAGS,
  requireSupplier,
  type SupplierAdminDeps,
  savedSupplier,
  supplierParams,
  viewSupplier,
  viewSuppliers,
} from './admin-parts.ts';
import { addSupplier, changeSupplierConfig } from './configure-supplier.ts';
import {
  changeSupplierSchema,
  createSupplierSchema,
  supplierKindView,
  supplierKindViewSchema,
  supplierViewSchema,
} from './contract.ts';
import { listSuppliers, type SupplierRecord } from './store.ts';

/** Suppliers: the kinds there are, and the accounts at them. */
export function addSupplierRoutes(app: TypedApp, deps: SupplierAdminDeps): void {
  const view = (supplier: SupplierRecord) => viewSupplier(deps, supplier);

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
    async () => success('Supplier kinds retrieved', deps.registry.kinds().map(supplierKindView)),
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
    async () => success('Suppliers retrieved', await viewSuppliers(deps, await listSuppliers(deps.db))),
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
    async (request) => success('Supplier retrieved', await view(await requireSupplier(deps, request.params.code))),
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
    async (request) =>
      success('Supplier added', await view(savedSupplier(await addSupplier(deps, actorOf(request), request.body)))),
  );

  app.patch(
    '/admin/api/supplier/:code',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'updateSupplier',
        summary: "Change a supplier's configuration",
        params: supplierParams,
        description:
          'Once orders were sent to it, the fields that say whose account it is stay: another account is another supplier.',
        body: changeSupplierSchema,
        response: { 200: successSchema(supplierViewSchema, 'Supplier changed') },
        problems: ['not_found', 'conflict'],
      },
    },
    async (request) => {
      const { config, same_account: sameAccount } = request.body;
      const outcome = await changeSupplierConfig(deps, actorOf(request), request.params.code, { config, sameAccount });
      return success('Supplier changed', await view(savedSupplier(outcome)));
    },
  );
}
