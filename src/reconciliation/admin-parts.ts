import type { onRequestAsyncHookHandler } from 'fastify';
import type { Db } from '../db/database.ts';
import type { Reads } from '../db/replica.ts';
import { Problem } from '../http/problems.ts';
import type { Clock } from '../lib/clock.ts';
import type { ForeignCurrency } from './statement-amount.ts';

export interface ReconciliationDeps {
  db: Db;
  reads: Reads;
  clock: Clock;
  view: { timeZone: string };
  /** What a supplier counts in, when it is not our currency. */
  foreignCurrencyOf: (supplierCode: string) => ForeignCurrency | null;
  adminGate: onRequestAsyncHookHandler;
}

export const ADMIN_TAGS = ['Suppliers'];

export function badDate(path: string, date: string): Problem {
  const message = `There is no date ${date}.`;
  return new Problem('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
}

export function noSupplier(code: string): Problem {
  return new Problem('not_found', `There is no supplier ${code}.`);
}
