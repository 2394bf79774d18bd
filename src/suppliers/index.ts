export { fillTemplate } from './account-template.ts';
export { supplierAdminRoutes } from './admin-routes.ts';
export { startBalancePoller } from './balance-poller.ts';
export type { NotSent } from './call-supplier.ts';
export type { Connection, SupplierAnswer, SupplierStatus } from './connection.ts';
export type { KeptExchange } from './exchange.ts';
export { type ExchangeLog, openExchangeLog, pruneExchanges } from './exchange-log.ts';
export { findExchanges } from './exchange-store.ts';
export { FAILURES, type FailureCode } from './failures.ts';
export { supplierFigures } from './figures.ts';
export { type HealthBook, openHealthBook } from './health-book.ts';
export { startHoldKeeper } from './hold-keeper.ts';
export { createWire } from './http-wire.ts';
export type { ObserveCall, ObservedCall } from './observed-call.ts';
export { pruneHealth } from './prune-health.ts';
export { openRegistry, type RouteQuery, type SupplierRegistry } from './registry.ts';
export { leastPrice } from './route-choice.ts';
export { loadRouting, type RoutingRules, setClosedByList } from './routing-store.ts';
export { findSupplier, listRoutes, type OfferedRoute, type Route, type RouteTerms, updateRouteTerms } from './store.ts';
export type {
  CallbackMessage,
  CallbackReading,
  CheckOutcome,
  LookupOutcome,
  Purchase,
  SupplierKind,
  SupplierService,
  Told,
} from './supplier.ts';
export type { Wire } from './wire.ts';
