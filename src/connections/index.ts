export { supplierAdminRoutes } from './admin-routes.ts';
export type { Alert } from './alerts.ts';
export { startBalancePoller } from './balance-poller.ts';
export { type Connection, PACE_PATIENCE_MS, type SupplierAnswer, type SupplierStatus } from './connection.ts';
export { supplierFigures } from './figures.ts';
export { startHoldKeeper } from './hold-keeper.ts';
export { createWire } from './http-wire.ts';
export { openRegistry, type SupplierRegistry } from './registry.ts';
export { findSupplier } from './store.ts';
