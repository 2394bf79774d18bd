export { operatorAdminRoutes } from './admin-routes.ts';
export { type Actor, recordAction } from './audit-log.ts';
export { describe, describeChange } from './describe-change.ts';
export { actorOf, adminGate } from './gate.ts';
export { openSettings, type Settings } from './settings.ts';
