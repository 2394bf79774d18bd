import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { callbackAdminRoutes, callbackRoutes } from '../callbacks/index.ts';
import { catalogAdminRoutes, catalogRoutes, type TellServiceChanges } from '../catalog/index.ts';
import { type Alert, supplierAdminRoutes } from '../connections/index.ts';
import { jobAdminRoutes } from '../jobs/index.ts';
import { adminGate, operatorAdminRoutes } from '../operators/index.ts';
import { orderAdminRoutes, orderRoutes } from '../orders/index.ts';
import { playerRoutes } from '../players/index.ts';
import { listPriceListAlerts, priceListAdminRoutes, warnOfRoutes } from '../price-lists/index.ts';
import { listReconciliationAlerts, reconciliationAdminRoutes } from '../reconciliation/index.ts';
import { referenceRoutes } from '../reference/index.ts';
import { reportAdminRoutes } from '../reports/index.ts';
import { requestLogRoutes } from '../request-log/index.ts';
import { openGates, resellerAdminRoutes, resellerRoutes, tellServices } from '../resellers/index.ts';
import { clearClosedByList, routingAdminRoutes } from '../routing/index.ts';
import { webhookRoutes } from '../webhooks/index.ts';
import type { Parts } from './parts.ts';

/** The interface of resellers, that of operators, and the addresses that suppliers report to. */
export async function mountRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  await mountResellerRoutes(app, parts);
  await mountAdminRoutes(app, parts);
  await app.register(callbackRoutes(parts));
}

async function mountResellerRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  const { config, settings } = parts;
  const gates = openGates({
    access: parts.access,
    rateLimit: parts.rateLimit.limit,
    maintenance: () => (settings.maintenance().enabled ? settings.maintenance().message : null),
  });
  const urlRules = { guard: parts.networkGuard, allowHttp: config.env === 'development' };
  const deps = { ...parts, gates };
  await app.register(resellerRoutes(deps));
  await app.register(catalogRoutes({ ...deps, isSoldNow: (query) => parts.routing.routeForNew(query) !== null }));
  await app.register(playerRoutes(deps));
  await app.register(orderRoutes(deps));
  await app.register(webhookRoutes({ ...deps, urlRules, wake: parts.wakeDeliverer }));
  await app.register(requestLogRoutes({ ...deps, days: config.requestLogDays }));
  await app.register(referenceRoutes(deps));
}

async function mountAdminRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  const { config, clock, registry } = parts;
  const gate: onRequestAsyncHookHandler = adminGate(config.adminToken);
  const tell: TellServiceChanges = (tx, changes) => tellServices(tx, clock, changes);
  const deps = { ...parts, adminGate: gate };
  await app.register(resellerAdminRoutes(deps));
  await app.register(orderAdminRoutes({ ...deps, wake: () => parts.wakeDispatcher() }));
  await app.register(
    catalogAdminRoutes({ ...deps, tell, onStatesSet: (tx, codes) => clearClosedByList(tx, codes, clock.now()) }),
  );
  await app.register(supplierAdminRoutes({ ...deps, baseUrl: config.publicUrl, alertsBeside: () => listAlertsBeside(parts) }));
  await app.register(routingAdminRoutes({ ...deps, warnOfRoutes: (routes) => warnOfRoutes(parts.db, routes, config.timeZone) }));
  await app.register(callbackAdminRoutes(deps));
  await app.register(priceListAdminRoutes({ ...deps, tell }));
  await app.register(operatorAdminRoutes(deps));
  await app.register(reportAdminRoutes(deps));
  await app.register(
    reconciliationAdminRoutes({
      ...deps,
      foreignCurrencyOf: (code) => (registry.codes().includes(code) ? registry.connection(code).foreignCurrency : null),
    }),
  );
  await app.register(jobAdminRoutes(deps));
}

/** What price lists and the last night have to say about suppliers. */
async function listAlertsBeside({ db }: Parts): Promise<Map<string, Alert[]>> {
  const lists = await listPriceListAlerts(db);
  const days = await listReconciliationAlerts(db);
  const codes = new Set([...lists.keys(), ...days.keys()]);
  return new Map([...codes].map((code) => [code, [...(lists.get(code) ?? []), ...(days.get(code) ?? [])]]));
}
