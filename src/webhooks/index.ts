export { eventView } from './contract.ts';
export { EVENT_TYPES, type EventType, type NewEvent } from './event.ts';
export { eventRoutes } from './routes.ts';
export { insertFeed, listOrderEvents, recordEvents } from './store.ts';
