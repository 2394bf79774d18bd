import type { FastifyInstance } from 'fastify';
import { typed } from '../http/app.ts';
import { addBalanceRoutes } from './admin-balance-routes.ts';
import { addCredentialRoutes } from './admin-credential-routes.ts';
import type { ResellerAdminDeps } from './admin-parts.ts';
import { addResellerRoutes } from './admin-reseller-routes.ts';

export function resellerAdminRoutes(deps: ResellerAdminDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addResellerRoutes(app, deps);
    addCredentialRoutes(app, deps);
    addBalanceRoutes(app, deps);
  };
}
