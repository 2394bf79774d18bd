import type { Connection, SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';
import type { Health } from '../supplier-health/index.ts';
import type { Route } from './route.ts';
import { createRouteBook } from './route-book.ts';
import { loadRouting } from './rule-store.ts';
import { listRoutes } from './store.ts';

/** The routes that every test order takes, and live orders of services without a route of their own. */
const SANDBOX_ROUTE: Route = {
  supplierCode: 'sandbox',
  sku: 'sandbox',
  cost: 0n,
  accountTemplate: null,
  oncePerDay: false,
  cutOff: null,
};
const SANDBOX_ROUTES = [SANDBOX_ROUTE, { ...SANDBOX_ROUTE, supplierCode: 'sandbox-2' }];

/** An order, or one that may be placed, as far as it decides who can deliver it. */
export interface RouteQuery {
  mode: Mode;
  serviceCode: string;
  /** What the reseller pays. */
  price: Amount;
}

/** Who delivers what, as configured now. Reloaded within a second of any change. */
export interface Routing {
  /**
   * Who may deliver an order that was sold, in order of preference; none, when no route is worth it or open by now. A test
   * order never leaves the sandbox.
   */
  routes(query: RouteQuery): Route[];
  /** Who would try a new order first; null when nobody may for now, so that it must not be sold. */
  routeForNew(query: RouteQuery): Route | null;
  /** Who can be asked for nicknames of a product, given its services: the suppliers that deliver it, or else the sandbox. */
  lookups(mode: Mode, serviceCodes: string[]): Connection[];
}

export interface RoutingDeps {
  db: Db;
  clock: Clock;
  /** Opened before: a change of suppliers reaches it first. */
  registry: SupplierRegistry;
  revisions: RevisionWatch;
  /** How suppliers answered lately, where that decides who is tried first. */
  healthOf: (supplierCode: string) => Health;
  /** In which cut-offs are told. */
  timeZone: string;
}

export async function openRouting({ db, clock, registry, revisions, healthOf, timeZone }: RoutingDeps): Promise<Routing> {
  const book = createRouteBook({
    clock,
    timeZone,
    healthOf,
    isHeld: (code) => registry.connection(code).hold !== null,
  });

  await revisions.subscribe('suppliers', async () => {
    const routes = await listRoutes(db);
    const rules = await loadRouting(db);
    const known = new Set(registry.codes());
    // A route to a supplier without adapter is never used, and its service does not go to the sandbox for it.
    const usable = [...routes].map(([code, list]) => [code, list.filter(({ supplierCode }) => known.has(supplierCode))] as const);
    book.load(new Map(usable), rules);
  });

  return {
    routes: ({ mode, serviceCode, price }) => (mode === 'live' ? book.forOrder(serviceCode, price) : null) ?? SANDBOX_ROUTES,
    routeForNew({ mode, serviceCode, price }) {
      const route = mode === 'live' ? book.forNewOrder(serviceCode, price) : null;
      return route === 'none' ? null : (route ?? SANDBOX_ROUTE);
    },
    lookups(mode, serviceCodes) {
      const own = mode === 'live' ? serviceCodes.flatMap((serviceCode) => book.all(serviceCode) ?? []) : [];
      const codes = new Set((own.length > 0 ? own : SANDBOX_ROUTES).map((route) => route.supplierCode));
      return [...codes].map(registry.connection).filter((candidate) => candidate.kind.capabilities.nickname);
    },
  };
}
