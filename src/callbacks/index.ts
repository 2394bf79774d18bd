export { callbackAdminRoutes } from './admin-routes.ts';
export { type CallbackTotals, openCallbackDesk } from './receive-callback.ts';
export { callbackRoutes } from './routes.ts';
export { pruneCallbacks, startCallbackWorker } from './work-off.ts';
