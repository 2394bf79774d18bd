export { reconciliationAdminRoutes } from './admin-routes.ts';
export { listReconciliationAlerts, reconcileAtNight } from './night.ts';
