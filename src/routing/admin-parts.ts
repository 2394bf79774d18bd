import type { onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { SupplierRegistry } from '../connections/index.ts';
import { text } from '../http/fields.ts';
import type { HealthBook } from '../supplier-health/index.ts';
import type { Route } from './route.ts';
import type { SetRoutesDeps } from './set-routes.ts';

export interface RoutingAdminDeps extends SetRoutesDeps {
  registry: SupplierRegistry;
  health: HealthBook;
  /** For each route what speaks against it in its supplier's price list; null: nothing is known. */
  warnOfRoutes: (routes: readonly Route[]) => Promise<(string | null)[]>;
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
}

export const ADMIN_TAGS = ['Suppliers'];

export const serviceParams = z.strictObject({
  service_code: text(1, 64).meta({ description: 'The service.', examples: ['MLBB-85'] }),
});
