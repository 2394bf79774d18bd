export { catalogAdminRoutes } from './admin-routes.ts';
export { type AccountField, AVAILABILITIES, effectiveStatus, type Product, type Service } from './catalog.ts';
export { changeServices, lockCatalog, type ServiceChange } from './change-services.ts';
export { serviceViewSchema } from './contract.ts';
export { importCatalog } from './import-catalog.ts';
export { catalogRoutes } from './routes.ts';
export type { TellingDeps, TellServiceChanges } from './service-changes.ts';
export { type Catalog, type CatalogCache, loadCatalog, openCatalogCache } from './snapshot.ts';
