export { pruneRequests } from './prune-requests.ts';
export { openRequestLog } from './record-requests.ts';
export { requestLogRoutes } from './routes.ts';
