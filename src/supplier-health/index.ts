export { type Health, noCounts } from './health.ts';
export { HEALTH_WINDOW_MS, type HealthBook, openHealthBook } from './health-book.ts';
export { pruneHealth } from './prune-health.ts';
