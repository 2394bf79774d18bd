export { jobAdminRoutes } from './admin-routes.ts';
export type { Job, JobTotals } from './job.ts';
export { type JobRunner, startJobs } from './run-jobs.ts';
