export { orderAdminRoutes } from './admin-routes.ts';
export { openAdmissionQueue } from './admit-orders.ts';
export { leaveToWorkers } from './claim-new-orders.ts';
export { balanceLowSchema, orderRequestSchema, orderViewSchema, type ViewSettings } from './contract.ts';
export { startDispatcher } from './dispatcher.ts';
export { ORDER_EXAMPLES } from './examples.ts';
export { watchWaitingOrders } from './figure-store.ts';
export {
  ATTEMPT_STATES,
  type AttemptState,
  fromOrderId,
  ORDER_STATES,
  type OrderState,
  parseReference,
  toOrderId,
} from './order.ts';
export { toPlaceOrderRequest } from './place-order.ts';
export { orderRoutes } from './routes.ts';
export { openSettlementQueue } from './settle-orders.ts';
export { releaseLeases } from './store.ts';
export { flagContradiction, type HintOutcome, type SupplierHint, takeHint } from './take-hint.ts';
