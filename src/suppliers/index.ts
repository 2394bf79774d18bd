export { supplierAdminRoutes } from './admin-routes.ts';
export type { Connection, NotSent, SupplierStatus } from './connection.ts';
export { openRegistry, type SupplierRegistry } from './registry.ts';
export type { Route } from './store.ts';
export { type CheckOutcome, FAILURES, type FailureCode, type LookupOutcome, type SupplierKind } from './supplier.ts';
