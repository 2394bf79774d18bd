import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { toOrderId } from '../orders/index.ts';
import { CALLBACK_READINGS, CALLBACK_STATES, type Callback } from './callback.ts';

const PREFIX = 'cb_';
const MAX_SHOWN_CHARACTERS = 8_192;

export const callbackListQuerySchema = z.strictObject({
  supplier: text(1, 32).optional().describe('Messages of this supplier.'),
  state: z.enum(CALLBACK_STATES).optional().describe('Hints in this state.'),
  reading: z.enum(CALLBACK_READINGS).optional().describe('Messages that were taken for this.'),
  ...pageQuery('id'),
});

export const callbackParamsSchema = z.strictObject({
  callback_id: z
    .string()
    .transform((id) => fromPublicId(PREFIX, id) ?? '')
    .describe('The message, `cb_…`.')
    .meta({ examples: ['cb_01KJJW8578E50T0CDY8X9GRWAC'] }),
});

export const callbackViewSchema = z
  .object({
    callback_id: idField(PREFIX, '01KJJW8578E50T0CDY8X9GRWAC'),
    supplier: z.string(),
    reading: z.enum(CALLBACK_READINGS).describe('`hint`: theirs, as far as that can be verified.'),
    reason: z.string().nullable().describe('Why it is forged or cannot be read.'),
    state: z
      .enum(CALLBACK_STATES)
      .nullable()
      .describe(
        '`Received`: to be worked off. `Asked`: the supplier is asked about it. `Settled`: nothing was left to ask. `Late`: it contradicts what was settled; the order is in review. `Unmatched`: no purchase at this supplier has that name. Null: not a hint.',
      ),
    status: z.string().nullable().describe("The supplier's word for the state."),
    reference: z.string().nullable().describe('Our name for the purchase.'),
    supplier_reference: z.string().nullable().describe('Theirs.'),
    order_id: z.string().nullable(),
    method: z.string(),
    query: z.string(),
    headers: z.record(z.string(), z.string()).describe('Those that matter; signatures and the like are masked.'),
    body: z.string().describe('As text, secrets and signatures masked.'),
    remote_address: z.string(),
    seen: z.int().describe('How often the same message came that day.'),
    created_at: timeField,
    last_seen_at: timeField,
    handled_at: timeField.nullable(),
  })
  .meta({
    id: 'SupplierCallback',
    examples: [
      {
        callback_id: 'cb_01KJJW8578E50T0CDY8X9GRWAC',
        supplier: 'main',
        reading: 'hint',
        reason: null,
        state: 'Asked',
        status: 'Sukses',
        reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
        supplier_reference: '88214771',
        order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
        method: 'POST',
        query: '',
        headers: { 'content-type': 'application/json', 'x-hub-signature': '•••' },
        body: '{"data":{"ref_id":"TG01KJJW838RE3XBQJVHT10C9PTZ-1","status":"Sukses"}}',
        remote_address: '203.0.113.7',
        seen: 1,
        created_at: '2026-03-01T02:40:16+07:00',
        last_seen_at: '2026-03-01T02:40:16+07:00',
        handled_at: '2026-03-01T02:40:16+07:00',
      },
    ],
  });

export function callbackView(
  callback: Callback,
  { timeZone, redact }: { timeZone: string; redact: (text: string) => string },
): z.infer<typeof callbackViewSchema> {
  return {
    callback_id: toPublicId(PREFIX, callback.id),
    supplier: callback.supplierCode,
    reading: callback.reading,
    reason: callback.reason,
    state: callback.state,
    status: callback.status,
    reference: callback.reference,
    supplier_reference: callback.supplierReference,
    order_id: callback.orderId === null ? null : toOrderId(callback.orderId),
    method: callback.method,
    query: callback.query,
    headers: callback.headers,
    // Masked whole and then cut, or the beginning of a secret could be left at the end.
    body: redact(Buffer.from(callback.body).toString('utf8')).slice(0, MAX_SHOWN_CHARACTERS).toWellFormed(),
    remote_address: callback.remoteAddress,
    seen: callback.seen,
    created_at: formatTime(callback.createdAt, timeZone),
    last_seen_at: formatTime(callback.lastSeenAt, timeZone),
    handled_at: callback.handledAt && formatTime(callback.handledAt, timeZone),
  };
}
