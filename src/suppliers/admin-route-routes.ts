import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type SupplierAdminDeps } from './admin-parts.ts';
import { routeListSchema, routeView, routeViewSchema } from './contract.ts';
import { setRoutes } from './set-routes.ts';
import { hasService, listRoutes } from './store.ts';

const serviceParams = z.strictObject({ service_code: text(1, 64).meta({ description: 'The service.', examples: ['MLBB-85'] }) });

/** The routes of a service: read and replace the whole list. */
export function addRouteRoutes(app: TypedApp, deps: SupplierAdminDeps): void {
  app.get(
    '/admin/api/service/:service_code/route',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'getServiceRoutes',
        summary: 'The routes of a service, in order of preference',
        params: serviceParams,
        response: { 200: successSchema(z.array(routeViewSchema), 'Routes retrieved') },
        problems: ['service_not_found'],
      },
    },
    async (request) => {
      const { service_code: serviceCode } = request.params;
      if (!(await hasService(deps.db, serviceCode))) throw new Problem('service_not_found');
      const routes = (await listRoutes(deps.db)).get(serviceCode) ?? [];
      return success('Routes retrieved', routes.map(routeView));
    },
  );

  app.put(
    '/admin/api/service/:service_code/route',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'setServiceRoutes',
        summary: 'Replace the routes of a service',
        params: serviceParams,
        body: routeListSchema,
        response: { 200: successSchema(z.array(routeViewSchema), 'Routes saved') },
        problems: ['service_not_found'],
      },
    },
    async (request) => {
      const routes = request.body.map(({ supplier, sku, cost, account_template: template }) => ({
        supplierCode: supplier,
        sku,
        cost: BigInt(cost),
        accountTemplate: template ?? null,
        oncePerDay: false,
        cutOff: null,
      }));
      const outcome = await setRoutes(deps, actorOf(request), request.params.service_code, routes);
      switch (outcome.kind) {
        case 'saved':
          return success('Routes saved', routes.map(routeView));
        case 'unknown_service':
          throw new Problem('service_not_found');
        case 'unknown_supplier':
          throw new Problem(
            'invalid_request',
            'A route names a supplier that does not exist. GET /admin/api/supplier lists all.',
          );
        case 'repeated':
          throw new Problem('invalid_request', `The list names ${outcome.supplierCode} with the item ${outcome.sku} twice.`);
        default:
          return unreachable(outcome);
      }
    },
  );
}
