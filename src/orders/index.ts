export { orderAdminRoutes } from './admin-routes.ts';
export { type AdmissionQueue, openAdmissionQueue } from './admit-orders.ts';
export { orderRequestSchema, type ViewSettings } from './contract.ts';
export { type Dispatcher, startDispatcher } from './dispatcher.ts';
export { ORDER_STATES } from './order.ts';
export { toPlaceOrderRequest } from './place-order.ts';
export { orderRoutes } from './routes.ts';
export { openSettlementQueue, type SettlementQueue } from './settle-orders.ts';
export { releaseLeases } from './store.ts';
