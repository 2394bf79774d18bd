import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { invariant, required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { Hold, ObserveCall, SupplierKind, Wire } from '../suppliers/index.ts';
import { closedConnection } from './closed-connection.ts';
import { type Connection, connect } from './connection.ts';
import { createRedactor } from './redact.ts';
import { fillConfig, readSettings } from './settings.ts';
import { listSuppliers, type SupplierRecord } from './store.ts';

/** The suppliers as configured now, ready to be called. Reloaded within a second of any change. */
export interface SupplierRegistry {
  kinds(): SupplierKind[];
  kind(name: string): SupplierKind | null;
  codes(): string[];
  /** One that cannot be opened gets no orders. Throws for a code no supplier has: suppliers are never deleted, so that is a bug. */
  connection(code: string): Connection;
  /** Holds that connections of this process began by themselves and that are not written yet. */
  unsavedHolds(): { code: string; hold: Hold }[];
  close(): void;
}

interface OpenSupplier {
  record: SupplierRecord;
  connection: Connection;
  /** Null where it could not be opened. */
  wire: Wire | null;
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
}

export async function openRegistry(deps: RegistryDeps): Promise<SupplierRegistry> {
  const kinds = new Map(deps.kinds.map((kind) => [kind.kind, kind]));
  const connections = new Map<string, OpenSupplier>();
  const reload = async () => {
    const records = await listSuppliers(deps.db);
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
        connections.set(record.code, openOrClose(deps, record, kind));
        before?.wire?.close();
      } else
        deps.log.error(
          { supplier: record.code, kind: record.kind },
          'No adapter for this kind of supplier; its routes are not used.',
        );
    }
  };

  await deps.revisions.subscribe('suppliers', reload);
  invariant(connections.has('sandbox'), 'the sandbox is always there');

  return {
    kinds: () => [...kinds.values()],
    kind: (name) => kinds.get(name) ?? null,
    codes: () => [...connections.keys()],
    connection: (code) => required(connections.get(code), `supplier ${code}`).connection,
    unsavedHolds: () =>
      [...connections.values()].flatMap(({ record, connection: { hold }, wire }) =>
        wire !== null && hold !== null && record.hold === null ? [{ code: record.code, hold }] : [],
      ),
    close() {
      for (const { wire } of connections.values()) wire?.close();
    },
  };
}

/** What is wrong with one supplier's record must not stop the others, the change that was asked for, or the start. */
function openOrClose(deps: RegistryDeps, record: SupplierRecord, kind: SupplierKind): OpenSupplier {
  try {
    return openSupplier(deps, record, kind);
  } catch (error) {
    const { code, callbackKey } = record;
    // Not the error itself, which may hold the address of a proxy and with it a password.
    const reason = error instanceof Error ? error.message : String(error);
    deps.log.error({ supplier: code, reason }, 'A supplier cannot be opened as it is configured; it gets no orders.');
    return { record, connection: closedConnection(code, kind, { callbackKey, reason }), wire: null };
  }
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
