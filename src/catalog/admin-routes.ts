import type { FastifyInstance } from 'fastify';
import { typed } from '../http/app.ts';
import { addFileRoutes } from './admin-file-routes.ts';
import type { CatalogAdminDeps } from './admin-parts.ts';
import { addProductRoutes } from './admin-product-routes.ts';
import { addServiceRoutes } from './admin-service-routes.ts';
import { addTierRoutes } from './admin-tier-routes.ts';

export function catalogAdminRoutes(deps: CatalogAdminDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addProductRoutes(app, deps);
    addServiceRoutes(app, deps);
    addTierRoutes(app, deps);
    addFileRoutes(app, deps);
  };
}
