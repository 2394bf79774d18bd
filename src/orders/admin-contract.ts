import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { instant, modeField, refId, text } from '../http/fields.ts';
import { transferViewSchema } from '../ledger/index.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { deliveryViewSchema } from '../webhooks/index.ts';
import { orderView, orderViewSchema, type ViewSettings } from './contract.ts';
import { ATTEMPT_STATES, type Attempt, fromOrderId, ORDER_STATES, type Order } from './order.ts';

export const orderParamsSchema = z.strictObject({
  order_id: z
    .string()
    .transform((id) => fromOrderId(id) ?? '')
    .describe('`TG…`'),
});

export const adminOrderListQuerySchema = z.strictObject({
  status: z.enum(ORDER_STATES).optional(),
  mode: modeField.optional(),
  reseller_id: z
    .string()
    .refine((id) => fromPublicId('rs_', id) !== null, 'is not the id of a reseller.')
    .transform((id) => fromPublicId('rs_', id) ?? undefined)
    .optional(),
  product_code: text(1, 16).optional(),
  supplier: text(1, 32).optional().describe('Orders whose next step is with this supplier.'),
  ref_id: refId.optional(),
  review: z.stringbool().optional().describe('Only orders that wait for an operator.'),
  from: instant.optional(),
  to: instant.optional(),
  ...pageQuery('id'),
});

export const adminOrderViewSchema = orderViewSchema
  .extend({
    reseller_id: z.string(),
    supplier: z.string().describe('The supplier who acts on it next, or acted last.'),
    next_action_at: z.string().nullable(),
    review: z.object({ since: z.string(), reason: z.string() }).nullable().describe('Set when an operator has to decide.'),
    resolved_by: z.string().nullable(),
  })
  .meta({ id: 'AdminOrder' });

export function adminOrderView(order: Order, resellerId: string, view: ViewSettings): z.infer<typeof adminOrderViewSchema> {
  return {
    ...orderView(order, view),
    reseller_id: toPublicId('rs_', resellerId),
    supplier: order.supplierCode,
    next_action_at: order.nextActionAt && formatTime(order.nextActionAt, view.timeZone),
    review: order.review && { since: formatTime(order.review.since, view.timeZone), reason: order.review.reason },
    resolved_by: order.resolvedBy,
  };
}

export const attemptViewSchema = z
  .object({
    number: z.int(),
    supplier: z.string(),
    sku: z.string(),
    cost: z.int(),
    reference: z.string().describe('Our name for the purchase at the supplier.'),
    status: z.enum(ATTEMPT_STATES),
    sends: z.int().describe('How many times it was sent.'),
    checks: z.int().describe('How many times the supplier was asked about it.'),
    code: z.string().nullable(),
    message: z.string().nullable(),
    serial_number: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Attempt' });

export function attemptView(attempt: Attempt, timeZone: string): z.infer<typeof attemptViewSchema> {
  return {
    number: attempt.number,
    supplier: attempt.supplierCode,
    sku: attempt.sku,
    cost: toJsonAmount(attempt.cost),
    reference: attempt.reference,
    status: attempt.state,
    sends: attempt.sends,
    checks: attempt.checks,
    code: attempt.code,
    message: attempt.message,
    serial_number: attempt.serialNumber,
    created_at: formatTime(attempt.createdAt, timeZone),
    updated_at: formatTime(attempt.updatedAt, timeZone),
  };
}

export const orderDetailSchema = adminOrderViewSchema.extend({
  attempts: z.array(attemptViewSchema),
  transfers: z.array(transferViewSchema),
  events: z.array(
    z.object({
      event_id: z.string(),
      type: z.string(),
      timestamp: z.string(),
      sequence: z.int(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  deliveries: z.array(deliveryViewSchema).describe('How the events were delivered to webhook endpoints.'),
});

export const resolveSchema = z.strictObject({
  outcome: z.enum(['Success', 'Failed', 'Refunded']),
  reason: text(1, 512).describe('Kept in the audit log.'),
  serial_number: text(1, 256).optional().describe('Proof of delivery, with Success.'),
});
