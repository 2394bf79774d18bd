import type { onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import type { Log } from '../lib/log.ts';
import type { HealthBook } from '../supplier-health/index.ts';
import { type Alert, type AlertsBeside, listAlerts } from './alerts.ts';
import { type ConfigureDeps, type ConfigureOutcome, openSecrets } from './configure-supplier.ts';
import { supplierView } from './contract.ts';
import { findSupplier, type SupplierRecord } from './store.ts';

export interface SupplierAdminDeps extends ConfigureDeps {
  log: Log;
  health: HealthBook;
  alertsBeside: AlertsBeside;
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string; currency: string };
  /** The installation's address as suppliers reach it. */
  baseUrl: string;
}

export const ADMIN_TAGS = ['Suppliers'];

export const supplierParams = z.strictObject({ code: text(1, 64).meta({ description: 'The supplier.', examples: ['main'] }) });

/** Suppliers as operators see them: what is stored, and what this process knows of them at the moment. */
export async function viewSuppliers(deps: SupplierAdminDeps, suppliers: SupplierRecord[]) {
  const beside = await deps.alertsBeside();
  return suppliers.map((supplier) => view(deps, supplier, beside.get(supplier.code) ?? []));
}

export async function viewSupplier(deps: SupplierAdminDeps, supplier: SupplierRecord) {
  return view(deps, supplier, (await deps.alertsBeside()).get(supplier.code) ?? []);
}

function view(deps: SupplierAdminDeps, supplier: SupplierRecord, further: Alert[]) {
  const { registry, clock } = deps;
  const kind = registry.kind(supplier.kind);
  const connection = kind && registry.connection(supplier.code);
  const health = deps.health.of(supplier.code);
  return supplierView(supplier, {
    kind,
    secretKeys: Object.entries(openSecrets(deps.secretBox, supplier) ?? {}).flatMap(([key, value]) =>
      value === '' ? [] : [key],
    ),
    circuit: connection?.health ?? 'Working',
    hold: connection ? connection.hold : supplier.hold,
    health,
    alerts: [...listAlerts(supplier, { connection, health, clock }), ...further],
    baseUrl: deps.baseUrl,
    timeZone: deps.view.timeZone,
  });
}

export async function requireSupplier(deps: SupplierAdminDeps, code: string): Promise<SupplierRecord> {
  const supplier = await findSupplier(deps.db, code);
  if (!supplier) throw unknownSupplier();
  return supplier;
}

/** The supplier that was saved, or the error that says why it was not. */
export function savedSupplier(outcome: ConfigureOutcome): SupplierRecord {
  switch (outcome.kind) {
    case 'saved':
      return outcome.supplier;
    case 'exists':
      throw new Problem('conflict', 'There is a supplier with this code already.');
    case 'not_found':
      throw unknownSupplier();
    case 'unknown_kind':
      throw new Problem('invalid_request', 'There is no adapter for this kind. GET /admin/api/supplier-kind lists all.', {
        issues: [{ path: 'kind', message: 'is not a known kind.' }],
      });
    case 'other_account':
      throw new Problem(
        'conflict',
        `${outcome.labels.join(' and ')}: this says whose account it is, and orders were sent to the one before, which would be asked about elsewhere or bought again. Add the other account as a supplier of its own and pause this one. If it is the same account, send same_account.`,
      );
    case 'invalid_config':
      throw new Problem('invalid_request', 'The configuration does not fit the kind.', { issues: outcome.issues });
    default:
      return unreachable(outcome);
  }
}

function unknownSupplier(): Problem {
  return new Problem('not_found', 'There is no supplier with this code.');
}
