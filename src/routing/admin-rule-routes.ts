import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { minuteOfDay } from '../lib/clock.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type RoutingAdminDeps, serviceParams } from './admin-parts.ts';
import {
  serviceRoutingSchema,
  serviceRoutingView,
  serviceRoutingViewSchema,
  standardRoutingSchema,
  standardRoutingView,
  standardRoutingViewSchema,
} from './contract.ts';
import { explainRoutes } from './explain-routes.ts';
import { findListPrice, loadRouting } from './rule-store.ts';
import { setServiceRouting, setStandardRouting } from './set-rules.ts';
import { listRoutesOf } from './store.ts';

/** Which routes are tried first, for all services and for one. */
export function addRuleRoutes(app: TypedApp, deps: RoutingAdminDeps): void {
  const standard = { tags: ADMIN_TAGS, response: { 200: successSchema(standardRoutingViewSchema, 'Routing retrieved') } };
  const ofService = {
    tags: ADMIN_TAGS,
    params: serviceParams,
    response: { 200: successSchema(serviceRoutingViewSchema, 'Routing retrieved') },
    problems: ['service_not_found' as const],
  };

  app.get(
    '/admin/api/routing',
    { schema: { ...standard, operationId: 'getRouting', summary: 'How routes are chosen where a service says nothing else' } },
    async () => success('Routing retrieved', standardRoutingView((await loadRouting(deps.db)).standard)),
  );

  app.put(
    '/admin/api/routing',
    {
      schema: {
        ...standard,
        operationId: 'setRouting',
        summary: 'Set how routes are chosen where a service says nothing else',
        body: standardRoutingSchema,
      },
    },
    async (request) => {
      const { preference, margin_floor, sells_below_cost: sellsBelowCost } = request.body;
      const rule = { preference, marginFloor: BigInt(margin_floor), sellsBelowCost };
      await setStandardRouting(deps, actorOf(request), rule);
      return success('Routing saved', standardRoutingView(rule));
    },
  );

  app.get(
    '/admin/api/service/:service_code/routing',
    {
      schema: {
        ...ofService,
        operationId: 'getServiceRouting',
        summary: 'How the routes of a service are chosen, and in which order they would be tried now',
      },
    },
    async (request) => success('Routing retrieved', await explain(deps, request.params.service_code)),
  );

  app.put(
    '/admin/api/service/:service_code/routing',
    {
      schema: {
        ...ofService,
        operationId: 'setServiceRouting',
        summary: 'Set how the routes of a service are chosen',
        body: serviceRoutingSchema,
      },
    },
    async (request) => {
      const { service_code: serviceCode } = request.params;
      const { preference, margin_floor, sells_below_cost: sellsBelowCost } = request.body;
      const marginFloor = margin_floor === null ? null : BigInt(margin_floor);
      const isKnown = await setServiceRouting(deps, actorOf(request), serviceCode, { preference, marginFloor, sellsBelowCost });
      if (!isKnown) throw new Problem('service_not_found');
      return success('Routing saved', await explain(deps, serviceCode));
    },
  );
}

async function explain(deps: RoutingAdminDeps, serviceCode: string) {
  const { registry, health } = deps;
  const price = await findListPrice(deps.db, serviceCode);
  if (price === null) throw new Problem('service_not_found');
  const rules = await loadRouting(deps.db);
  const inForce = rules.of(serviceCode);
  const known = new Set(registry.codes());
  const choice = explainRoutes(await listRoutesOf(deps.db, serviceCode), inForce, {
    price,
    minute: minuteOfDay(deps.clock.now(), deps.view.timeZone),
    healthOf: health.of,
    connectionOf: (code) => (known.has(code) ? registry.connection(code) : null),
  });
  return serviceRoutingView({ own: rules.own(serviceCode), inForce, price, choice });
}
