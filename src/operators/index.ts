export { operatorAdminRoutes } from './admin-routes.ts';
export { AUDIT_EXAMPLE, auditEntryView, auditEntryViewSchema } from './audit-contract.ts';
export { type Actor, recordAction } from './audit-log.ts';
export { type AuditEntry, listActions } from './audit-store.ts';
export { describe, describeChange } from './describe-change.ts';
export { actorOf, adminGate } from './gate.ts';
export { openSettings, type Settings } from './settings.ts';
