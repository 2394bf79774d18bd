import type { onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { Problem } from '../http/problems.ts';
import type { Clock } from '../lib/clock.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { fromResellerId } from './contract.ts';

export interface ResellerAdminDeps {
  database: Database;
  clock: Clock;
  secretBox: SecretBox;
  revisions: RevisionWatch;
  adminGate: onRequestAsyncHookHandler;
  view: { currency: string; timeZone: string };
}

export const ADMIN_TAGS = ['Resellers'];

/** An id that is none becomes the empty text, and then "not found". */
export const resellerParams = z.strictObject({
  reseller_id: z
    .string()
    .transform((id) => fromResellerId(id) ?? '')
    .meta({ description: 'The reseller, `rs_…`.', examples: ['rs_01KHCZQK20E1VAGMT3XH8FMY56'] }),
});
export function requireReseller(id: string): string {
  if (id === '') throw unknownReseller();
  return id;
}

export function unknownReseller(): Problem {
  return new Problem('not_found', 'There is no reseller with this id.');
}
