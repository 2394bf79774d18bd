import type { onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { findSupplier } from '../connections/index.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import type { SyncDeps } from './sync-supplier.ts';

export interface PriceListAdminDeps extends SyncDeps {
  adminGate: onRequestAsyncHookHandler;
}

export const ADMIN_TAGS = ['Suppliers'];

export const supplierParams = z.strictObject({ code: text(1, 64).meta({ description: 'The supplier.', examples: ['main'] }) });

export async function requireSupplier(deps: PriceListAdminDeps, code: string): Promise<void> {
  const supplier = await findSupplier(deps.db, code);
  if (!supplier || !deps.registry.codes().includes(code)) throw new Problem('not_found', 'There is no supplier with this code.');
}
