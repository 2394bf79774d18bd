export { priceListAdminRoutes } from './admin-routes.ts';
export { listPriceListAlerts } from './list-alerts.ts';
export { syncOnSchedule } from './sync-on-schedule.ts';
export { warnOfRoutes } from './warn-of-routes.ts';
