import type { FastifyInstance } from 'fastify';
import { typed } from '../http/app.ts';
import { addControlRoutes } from './admin-control-routes.ts';
import type { SupplierAdminDeps } from './admin-parts.ts';
import { addSupplierRoutes } from './admin-supplier-routes.ts';

export function supplierAdminRoutes(deps: SupplierAdminDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addSupplierRoutes(app, deps);
    addControlRoutes(app, deps);
  };
}
