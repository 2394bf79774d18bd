import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { invariant, required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { type Connection, connect } from './connection.ts';
import { listRoutes, listSuppliers, type Route, type SupplierRecord } from './store.ts';
import type { SupplierKind } from './supplier.ts';

/** The routes that every test order takes, and live orders of services without a route of their own. */
const SANDBOX_ROUTES: Route[] = ['sandbox', 'sandbox-2'].map((supplierCode) => ({
  supplierCode,
  sku: 'sandbox',
  cost: 0n,
  accountTemplate: null,
}));

/** The suppliers and routes as configured now, ready to be called. Reloaded within a second of any change. */
export interface SupplierRegistry {
  kinds(): SupplierKind[];
  kind(name: string): SupplierKind | null;
  codes(): string[];
  /** Throws for a code that no supplier has: suppliers are never deleted, so that would be a bug. */
  connection(code: string): Connection;
  /** In order of preference; never empty. A test order never leaves the sandbox. */
  routes(mode: Mode, serviceCode: string): Route[];
  /** Who can be asked for nicknames of a product, given its services: the suppliers that deliver it, or else the sandbox. */
  lookups(mode: Mode, serviceCodes: string[]): Connection[];
}

export async function openRegistry(deps: {
  db: Db;
  clock: Clock;
  log: Log;
  secretBox: SecretBox;
  revisions: RevisionWatch;
  kinds: SupplierKind[];
}): Promise<SupplierRegistry> {
  const kinds = new Map(deps.kinds.map((kind) => [kind.kind, kind]));
  const connections = new Map<string, { record: SupplierRecord; connection: Connection }>();
  let routes = new Map<string, Route[]>();

  const reload = async () => {
    const records = await listSuppliers(deps.db);
    const nextRoutes = await listRoutes(deps.db);
    for (const record of records) {
      // A supplier that did not change keeps its connection, and with it what its circuit has learnt.
      if (isDeepStrictEqual(connections.get(record.code)?.record, record)) continue;
      const kind = kinds.get(record.kind);
      if (kind) connections.set(record.code, { record, connection: open(record, kind) });
      else
        deps.log.error(
          { supplier: record.code, kind: record.kind },
          'No adapter for this kind of supplier; its routes are not used.',
        );
    }
    routes = nextRoutes;
  };

  const open = (record: SupplierRecord, kind: SupplierKind): Connection => {
    const secrets = record.secretsSealed
      ? (JSON.parse(deps.secretBox.open(record.secretsSealed, `supplier:${record.code}`)) as Record<string, string>)
      : {};
    const supplier = kind.create({ code: record.code, config: { ...record.config, ...secrets }, clock: deps.clock });
    return connect({ code: record.code, kind, supplier, status: record.status, clock: deps.clock, log: deps.log });
  };

  await deps.revisions.subscribe('suppliers', reload);
  invariant(connections.has('sandbox'), 'the sandbox is always there');

  const connection = (code: string) => required(connections.get(code), `supplier ${code}`).connection;
  const ownRoutes = (mode: Mode, serviceCode: string): Route[] =>
    mode === 'live' ? (routes.get(serviceCode) ?? []).filter(({ supplierCode }) => connections.has(supplierCode)) : [];
  const orSandbox = (own: Route[]): Route[] => (own.length > 0 ? own : SANDBOX_ROUTES);
  return {
    kinds: () => [...kinds.values()],
    kind: (name) => kinds.get(name) ?? null,
    codes: () => [...connections.keys()],
    connection,
    routes: (mode, serviceCode) => orSandbox(ownRoutes(mode, serviceCode)),
    lookups(mode, serviceCodes) {
      const own = serviceCodes.flatMap((serviceCode) => ownRoutes(mode, serviceCode));
      const codes = new Set(orSandbox(own).map((route) => route.supplierCode));
      return [...codes].map(connection).filter((candidate) => candidate.kind.capabilities.nickname);
    },
  };
}
