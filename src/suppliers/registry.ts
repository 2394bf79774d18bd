import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { invariant, required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { type Connection, connect } from './connection.ts';
import type { Health } from './health.ts';
import type { Hold } from './hold.ts';
import type { ObserveCall } from './observed-call.ts';
import { createRedactor } from './redact.ts';
import { createRouteBook } from './route-book.ts';
import { loadRouting } from './routing-store.ts';
import { fillConfig, readSettings } from './settings.ts';
import { listRoutes, listSuppliers, type Route, type SupplierRecord } from './store.ts';
import type { SupplierKind } from './supplier.ts';
import type { Wire } from './wire.ts';

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

/** The suppliers and routes as configured now, ready to be called. Reloaded within a second of any change. */
export interface SupplierRegistry {
  kinds(): SupplierKind[];
  kind(name: string): SupplierKind | null;
  codes(): string[];
  /** Throws for a code that no supplier has: suppliers are never deleted, so that would be a bug. */
  connection(code: string): Connection;
  /**
   * Who may deliver an order that was sold, in order of preference; none, when no route is worth it or open by now. A test
   * order never leaves the sandbox.
   */
  routes(query: RouteQuery): Route[];
  /** Who would try a new order first; null when nobody may for now, so that it must not be sold. */
  routeForNew(query: RouteQuery): Route | null;
  /** Who can be asked for nicknames of a product, given its services: the suppliers that deliver it, or else the sandbox. */
  lookups(mode: Mode, serviceCodes: string[]): Connection[];
  /** Holds that connections of this process began by themselves and that are not written yet. */
  unsavedHolds(): { code: string; hold: Hold }[];
  close(): void;
}

interface OpenSupplier {
  record: SupplierRecord;
  connection: Connection;
  wire: Wire;
}

interface RegistryDeps {
  db: Db;
  clock: Clock;
  log: Log;
  secretBox: SecretBox;
  revisions: RevisionWatch;
  kinds: SupplierKind[];
  openWire: (proxyUrl: string | null) => Wire;
  observe: ObserveCall;
  /** How suppliers answered lately, where that decides who is tried first. */
  healthOf: (supplierCode: string) => Health;
  /** In which cut-offs are told. */
  timeZone: string;
}

export async function openRegistry(deps: RegistryDeps): Promise<SupplierRegistry> {
  const kinds = new Map(deps.kinds.map((kind) => [kind.kind, kind]));
  const connections = new Map<string, OpenSupplier>();
  const book = createRouteBook({
    clock: deps.clock,
    timeZone: deps.timeZone,
    healthOf: deps.healthOf,
    isHeld: (code) => connection(code).hold !== null,
  });

  const reload = async () => {
    const records = await listSuppliers(deps.db);
    const routes = await listRoutes(deps.db);
    const rules = await loadRouting(deps.db);
    for (const record of records) {
      // A supplier that did not change keeps its connection, and with it what its circuit has learnt.
      const before = connections.get(record.code);
      if (before && isSame(before.record, record)) {
        // A hold that this process began by itself, and that is not written yet, outlives reloads for other reasons.
        if (!isDeepStrictEqual(holdOf(before.record), holdOf(record))) before.connection.setHold(record.hold);
        before.record = record;
        continue;
      }
      const kind = kinds.get(record.kind);
      if (kind) {
        connections.set(record.code, openSupplier(deps, record, kind));
        before?.wire.close();
      } else
        deps.log.error(
          { supplier: record.code, kind: record.kind },
          'No adapter for this kind of supplier; its routes are not used.',
        );
    }
    // A route to a supplier without adapter is never used, and its service does not go to the sandbox for it.
    const usable = [...routes].map(
      ([code, list]) => [code, list.filter(({ supplierCode }) => connections.has(supplierCode))] as const,
    );
    book.load(new Map(usable), rules);
  };

  const connection = (code: string) => required(connections.get(code), `supplier ${code}`).connection;
  await deps.revisions.subscribe('suppliers', reload);
  invariant(connections.has('sandbox'), 'the sandbox is always there');

  return {
    kinds: () => [...kinds.values()],
    kind: (name) => kinds.get(name) ?? null,
    codes: () => [...connections.keys()],
    connection,
    routes: ({ mode, serviceCode, price }) => (mode === 'live' ? book.forOrder(serviceCode, price) : null) ?? SANDBOX_ROUTES,
    routeForNew({ mode, serviceCode, price }) {
      const route = mode === 'live' ? book.forNewOrder(serviceCode, price) : null;
      return route === 'none' ? null : (route ?? SANDBOX_ROUTE);
    },
    unsavedHolds: () =>
      [...connections.values()].flatMap(({ record, connection: { hold } }) =>
        hold !== null && record.hold === null ? [{ code: record.code, hold }] : [],
      ),
    close() {
      for (const { wire } of connections.values()) wire.close();
    },
    lookups(mode, serviceCodes) {
      const own = mode === 'live' ? serviceCodes.flatMap((serviceCode) => book.all(serviceCode) ?? []) : [];
      const codes = new Set((own.length > 0 ? own : SANDBOX_ROUTES).map((route) => route.supplierCode));
      return [...codes].map(connection).filter((candidate) => candidate.kind.capabilities.nickname);
    },
  };
}

/** Opens the way to a supplier as it is configured now. */
function openSupplier(deps: RegistryDeps, record: SupplierRecord, kind: SupplierKind): OpenSupplier {
  const secrets = record.secretsSealed
    ? (JSON.parse(deps.secretBox.open(record.secretsSealed, `supplier:${record.code}`)) as Record<string, string>)
    : {};
  const config = { ...record.config, ...secrets };
  const settings = readSettings(kind, config);
  const wire = deps.openWire(settings.proxyUrl);
  const connection = connect({
    code: record.code,
    kind,
    settings,
    supplier: kind.create({ code: record.code, config: fillConfig(kind, config), clock: deps.clock }),
    status: record.status,
    hold: record.hold,
    callbackKey: record.callbackKey,
    wire,
    redact: createRedactor(Object.values(secrets)),
    observe: deps.observe,
    clock: deps.clock,
    log: deps.log,
  });
  return { record, connection, wire };
}

/** Whether a connection opened from `before` serves `after` as well: its balance may have changed meanwhile, for instance. */
function isSame(before: SupplierRecord, after: SupplierRecord): boolean {
  const essence = ({ kind, status, config, secretsSealed }: SupplierRecord) => ({ kind, status, config, secretsSealed });
  return isDeepStrictEqual(essence(before), essence(after));
}

function holdOf({ hold, heldSince }: SupplierRecord) {
  return { hold, heldSince };
}
