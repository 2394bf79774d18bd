import type { FastifyInstance } from 'fastify';
import { typed } from '../http/app.ts';
import { addRouteFileRoutes } from './admin-file-routes.ts';
import type { RoutingAdminDeps } from './admin-parts.ts';
import { addRouteRoutes } from './admin-route-routes.ts';
import { addRuleRoutes } from './admin-rule-routes.ts';

export function routingAdminRoutes(deps: RoutingAdminDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addRouteRoutes(app, deps);
    addRuleRoutes(app, deps);
    addRouteFileRoutes(app, deps);
  };
}
