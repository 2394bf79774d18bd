import type { FastifyInstance } from 'fastify';
import { type DeliveryRouteDeps, deliveryRoutes } from './delivery-routes.ts';
import { type EndpointRouteDeps, endpointRoutes } from './endpoint-routes.ts';
import { eventRoutes } from './event-routes.ts';

/** The event feed, webhook endpoints and their deliveries. */
export function webhookRoutes(deps: EndpointRouteDeps & DeliveryRouteDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(eventRoutes(deps));
    await app.register(endpointRoutes(deps));
    await app.register(deliveryRoutes(deps));
  };
}
