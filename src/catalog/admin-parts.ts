import type { onRequestAsyncHookHandler } from 'fastify';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import type { EditDeps, EditOutcome } from './edit-catalog.ts';

export interface CatalogAdminDeps extends EditDeps {
  adminGate: onRequestAsyncHookHandler;
}

export const ADMIN_TAGS = ['Catalogue administration'];

/** The item that was saved, or the error that says why it was not. `what` names it in the message. */
export function savedItem<Item>(outcome: EditOutcome<Item>, what: string): Item {
  switch (outcome.kind) {
    case 'saved':
      return outcome.item;
    case 'exists':
      throw new Problem('conflict', `There is ${what} already. Change it with PATCH.`);
    case 'not_found':
      throw new Problem('not_found', `There is no such object: ${what}.`);
    case 'unknown_product':
      throw new Problem('product_not_found');
    case 'unknown_service':
      throw new Problem('service_not_found', `There is no service ${outcome.code}.`);
    default:
      return unreachable(outcome);
  }
}

/** Drops the fields that were not given, so that spreading the rest over a stored object changes nothing else. */
export function withoutUndefined<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
