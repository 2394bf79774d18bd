import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { instant, text } from '../http/fields.ts';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import type { AuditEntry } from './audit-store.ts';

/** How things without a code are called outside, by the first word of what is done to them. */
const PREFIXES: Readonly<Record<string, string>> = {
  order: 'TG',
  reseller: 'rs_',
  credential: 'rs_',
  balance: 'rs_',
  callback: 'cb_',
  reconciliation: 'st_',
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_SUBJECT_LENGTH = 128;

export const auditQuerySchema = z.strictObject({
  subject: text(1, MAX_SUBJECT_LENGTH)
    .transform(toStoredSubject)
    .optional()
    .describe('What was done to this: a code, or an id such as `TG…` or `rs_…`.'),
  actor: text(1, 64).optional().describe('What this operator did; `service`: what the service did by itself.'),
  action: text(1, 64).optional().describe('This action, such as `order.resolve`, or all that is done to such things: `order`.'),
  from: instant.optional().describe('Entries from this time on.'),
  to: instant.optional().describe('Entries before this time.'),
  ...pageQuery('id'),
});

export const AUDIT_EXAMPLE = {
  entry_id: 'al_01KJJW8578E50T0CDY8X9GRWAC',
  time: '2026-03-01T02:40:15+07:00',
  actor: 'admin',
  action: 'order.resolve',
  subject: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
  details: { from: 'Process', to: 'Failed', reason: 'The supplier wrote: never arrived.', serial_number: null },
  request_id: '0b8f4f3e-8a51-4f0c-9d3c-1f0d5f1f8a10',
};

export const auditEntryViewSchema = z
  .object({
    entry_id: idField('al_', '01KJJW8578E50T0CDY8X9GRWAC'),
    time: timeField,
    actor: z.string().describe('Who did it; `service`: the service by itself.'),
    action: z.string(),
    subject: z.string().describe('To what: a code or an id.'),
    details: z.record(z.string(), z.unknown()).describe('What it was. Never a secret.'),
    request_id: z.string().nullable().describe('The request it came with.'),
  })
  .meta({ id: 'AuditEntry', examples: [AUDIT_EXAMPLE] });

export function auditEntryView(entry: AuditEntry, timeZone: string): z.infer<typeof auditEntryViewSchema> {
  return {
    entry_id: toPublicId('al_', entry.id),
    time: formatTime(entry.createdAt, timeZone),
    actor: entry.actor,
    action: entry.action,
    subject: toShownSubject(entry),
    details: z.record(z.string(), z.unknown()).parse(entry.details),
    request_id: entry.requestId,
  };
}

function toShownSubject({ action, subject }: AuditEntry): string {
  const prefix = PREFIXES[action.split('.', 1)[0] ?? ''];
  return prefix !== undefined && UUID.test(subject) ? toPublicId(prefix, subject) : subject;
}

function toStoredSubject(shown: string): string {
  const ids = [...new Set(Object.values(PREFIXES))].map((prefix) => fromPublicId(prefix, shown));
  return ids.find((id) => id !== null) ?? shown;
}
