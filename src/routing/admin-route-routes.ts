import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type RoutingAdminDeps, serviceParams } from './admin-parts.ts';
import { routeListSchema, routeView, routeViewSchema, toRoute } from './contract.ts';
import { setRoutes } from './set-routes.ts';
import { hasService, listRoutesOf } from './store.ts';

/** The routes of a service: read and replace the whole list. */
export function addRouteRoutes(app: TypedApp, deps: RoutingAdminDeps): void {
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
      return success('Routes retrieved', await viewRoutes(deps, serviceCode));
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
      const { service_code: serviceCode } = request.params;
      const routes = request.body.map(toRoute);
      const outcome = await setRoutes(deps, actorOf(request), serviceCode, routes);
      switch (outcome.kind) {
        case 'saved':
          return success('Routes saved', await viewRoutes(deps, serviceCode));
        case 'unknown_service':
          throw new Problem('service_not_found');
        case 'unknown_supplier':
          throw new Problem(
            'invalid_request',
            'A route names a supplier that does not exist. GET /admin/api/supplier lists all.',
          );
        case 'repeated':
          throw new Problem('invalid_request', `The list names ${outcome.supplierCode} with the item ${outcome.sku} twice.`);
        case 'unfit': {
          const { index, field, message } = outcome;
          throw new Problem('invalid_request', `The routes were not saved. ${message}`, {
            issues: [{ path: `${index}.${field}`, message }],
          });
        }
        default:
          return unreachable(outcome);
      }
    },
  );
}

async function viewRoutes(deps: RoutingAdminDeps, serviceCode: string) {
  const routes = await listRoutesOf(deps.db, serviceCode);
  const warnings = await deps.warnOfRoutes(routes);
  return routes.map((route, index) => routeView(route, warnings[index] ?? null));
}
