import type { onRequestAsyncHookHandler } from 'fastify';
import type { Reads } from '../db/replica.ts';
import { Problem } from '../http/problems.ts';
import type { ReviewDeps } from './resolve-order.ts';

export interface OrderAdminDeps extends ReviewDeps {
  reads: Reads;
  adminGate: onRequestAsyncHookHandler;
  /** Called when orders are due now. */
  wake: () => void;
}

export const ADMIN_TAGS = ['Order administration'];

/** The id that a path names; what has not the form of one names no order. */
export function requireId(id: string): string {
  if (id === '') throw new Problem('order_not_found');
  return id;
}
