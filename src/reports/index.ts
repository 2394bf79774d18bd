export { reportAdminRoutes } from './admin-routes.ts';
export { auditLedger } from './audit.ts';
