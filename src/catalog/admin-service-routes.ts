import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type CatalogAdminDeps, savedItem, withoutUndefined } from './admin-parts.ts';
import { adminServiceView, adminServiceViewSchema, changeServiceSchema, createServiceSchema } from './contract.ts';
import { changeService, createService } from './edit-catalog.ts';
import { listServices } from './store.ts';

/** Services: list, add, change. */
export function addServiceRoutes(app: TypedApp, deps: CatalogAdminDeps): void {
  const { timeZone } = deps.view;

  app.get(
    '/admin/api/service',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listCatalogServices',
        summary: 'List services',
        response: { 200: successSchema(z.array(adminServiceViewSchema), 'Services retrieved') },
      },
    },
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
        tags: ADMIN_TAGS,
        operationId: 'createService',
        summary: 'Add a service',
        body: createServiceSchema,
        response: { 200: successSchema(adminServiceViewSchema, 'Service added') },
        problems: ['conflict', 'product_not_found'],
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
        tags: ADMIN_TAGS,
        operationId: 'updateService',
        summary: 'Change a service',
        params: z.strictObject({ service_code: text(1, 64).meta({ description: 'The service.', examples: ['FF-70'] }) }),
        body: changeServiceSchema,
        response: { 200: successSchema(adminServiceViewSchema, 'Service changed') },
        problems: ['not_found'],
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
}
