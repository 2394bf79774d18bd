export { reportAdminRoutes } from './admin-routes.ts';
export { auditLedger } from './audit.ts';
export { readInstallation } from './installation.ts';
export { auditAtNight, type NightlyAudit } from './nightly-audit.ts';
