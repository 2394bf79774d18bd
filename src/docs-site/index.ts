export { type DocsSiteOptions, serveDocsSite } from './routes.ts';
