export { deliveryView, deliveryViewSchema, eventView, eventViewSchema } from './contract.ts';
export { type Deliverer, startDeliverer } from './deliverer.ts';
export { findAttemptsOf, listOrderDeliveries } from './delivery-store.ts';
export { releaseEndpoints } from './endpoint-store.ts';
export { EVENT_TYPES, type EventType, type NewEvent } from './event.ts';
export { insertFeed, listOrderEvents, recordEvents } from './event-store.ts';
export { createNetworkGuard, type NetworkGuard } from './network-guard.ts';
export { webhookRoutes } from './routes.ts';
export { createWebhookSender, type WebhookSender } from './send.ts';
