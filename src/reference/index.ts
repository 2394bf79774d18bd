export { DESCRIBED_EVENTS } from './events.ts';
export { referenceRoutes } from './routes.ts';
