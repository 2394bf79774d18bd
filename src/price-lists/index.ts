export { priceListAdminRoutes } from './admin-routes.ts';
export { syncOnSchedule } from './sync-on-schedule.ts';
