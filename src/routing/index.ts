export { routingAdminRoutes } from './admin-routes.ts';
export type { OfferedRoute, Route, RouteTerms } from './route.ts';
export { leastPrice } from './route-choice.ts';
export { openRouting, type RouteQuery, type Routing } from './routing.ts';
export { clearClosedByList, loadRouting, type RoutingRules, setClosedByList } from './rule-store.ts';
export { setRoutes } from './set-routes.ts';
export { listRoutes, updateRouteTerms } from './store.ts';
