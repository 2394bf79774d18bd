export { reconciliationAdminRoutes } from './admin-routes.ts';
