import type { onRequestAsyncHookHandler } from 'fastify';
import type { ConfigureDeps } from './configure-supplier.ts';

export interface SupplierAdminDeps extends ConfigureDeps {
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
  /** The installation's address as suppliers reach it. */
  baseUrl: string;
}

export const ADMIN_TAGS = ['Suppliers'];
