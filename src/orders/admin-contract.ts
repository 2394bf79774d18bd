import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { instant, modeField, refId, text } from '../http/fields.ts';
import { transferViewSchema } from '../ledger/index.ts';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { AUDIT_EXAMPLE, auditEntryViewSchema } from '../operators/index.ts';
import { deliveryViewSchema, eventViewSchema } from '../webhooks/index.ts';
import { orderView, orderViewSchema, type ViewSettings } from './contract.ts';
import { ORDER_EXAMPLES } from './examples.ts';
import { EXCHANGE_EXAMPLE, exchangeViewSchema } from './exchange-contract.ts';
import { ATTEMPT_STATES, type Attempt, fromOrderId, ORDER_STATES, type Order } from './order.ts';

export const orderParamsSchema = z.strictObject({
  order_id: z
    .string()
    .transform((id) => fromOrderId(id) ?? '')
    .describe('The order, `TG…`.')
    .meta({ examples: ['TG01KJJW838RE3XBQJVHT10C9PTZ'] }),
});

export const adminOrderListQuerySchema = z.strictObject({
  status: z.enum(ORDER_STATES).optional().describe('Orders in this state.'),
  mode: modeField.optional(),
  reseller_id: z
    .string()
    .refine((id) => fromPublicId('rs_', id) !== null, 'is not the id of a reseller.')
    .transform((id) => fromPublicId('rs_', id) ?? undefined)
    .optional()
    .describe('Orders of this reseller, `rs_…`.'),
  product_code: text(1, 16).optional().describe('Orders of this product.'),
  supplier: text(1, 32).optional().describe('Orders whose next step is with this supplier.'),
  ref_id: refId.optional(),
  review: z.stringbool().meta({ type: 'boolean' }).optional().describe('`true`: only orders that wait for an operator.'),
  from: instant.optional().describe('Orders from this time on.'),
  to: instant.optional().describe('Orders before this time.'),
  ...pageQuery('id'),
});

export const ADMIN_ORDER_EXAMPLE = {
  ...ORDER_EXAMPLES.Success,
  reseller_id: 'rs_01KHCZQK20E1VAGMT3XH8FMY56',
  supplier: 'sandbox',
  next_action_at: null,
  review: null,
  resolved_by: null,
};

export const adminOrderViewSchema = orderViewSchema
  .extend({
    reseller_id: idField('rs_', '01KHCZQK20E1VAGMT3XH8FMY56'),
    supplier: z.string().describe('The supplier who acts on it next, or acted last.'),
    next_action_at: timeField.nullable().describe('When it is looked at again; null when it is at its end.'),
    review: z.object({ since: timeField, reason: z.string() }).nullable().describe('Set when an operator has to decide.'),
    resolved_by: z.string().nullable().describe('The operator who decided its outcome, if one did.'),
  })
  .meta({ id: 'AdminOrder', examples: [ADMIN_ORDER_EXAMPLE] });

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

export const ATTEMPT_EXAMPLE = {
  number: 1,
  supplier: 'sandbox',
  sku: 'MLBB-85',
  cost: 22_400,
  reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
  supplier_reference: '88214771',
  charged: 22_400,
  status: 'Delivered',
  sends: 1,
  checks: 0,
  code: null,
  message: null,
  serial_number: 'S2603010240178841',
  created_at: '2026-03-01T02:40:15+07:00',
  updated_at: '2026-03-01T02:40:17+07:00',
};

export const attemptViewSchema = z
  .object({
    number: z.int(),
    supplier: z.string(),
    sku: z.string(),
    cost: z.int(),
    reference: z.string().describe('Our name for the purchase at the supplier.'),
    supplier_reference: z.string().nullable().describe('Their name for it, once they have told it.'),
    charged: z.int().nullable().describe('What they say they charged; null when they have not said.'),
    status: z.enum(ATTEMPT_STATES),
    sends: z.int().describe('How many times it was sent; 0 while it waits to be sent for the first time.'),
    checks: z.int().describe('How many times the supplier was asked about it.'),
    code: z.string().nullable(),
    message: z.string().nullable(),
    serial_number: z.string().nullable(),
    created_at: timeField,
    updated_at: timeField,
  })
  .meta({
    id: 'Attempt',
    examples: [ATTEMPT_EXAMPLE],
  });

export function attemptView(attempt: Attempt, timeZone: string): z.infer<typeof attemptViewSchema> {
  return {
    number: attempt.number,
    supplier: attempt.supplierCode,
    sku: attempt.sku,
    cost: toJsonAmount(attempt.cost),
    reference: attempt.reference,
    supplier_reference: attempt.supplierReference,
    charged: attempt.charged === null ? null : toJsonAmount(attempt.charged),
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

/** How many exchanges are shown of one attempt: the last ones tell what is to be known. */
export const SHOWN_EXCHANGES = 20;

/** How many of the operators' actions on an order are shown; the audit log has all. */
export const SHOWN_ACTIONS = 50;

const attemptWithExchangesSchema = attemptViewSchema
  .extend({
    exchanges: z
      .array(exchangeViewSchema)
      .describe(`What went over the wire, oldest first, at most the last ${SHOWN_EXCHANGES}, for \`EXCHANGE_DAYS\` days.`),
  })
  .meta({ id: 'AttemptWithExchanges' });

export const orderDetailSchema = adminOrderViewSchema
  .extend({
    attempts: z.array(attemptWithExchangesSchema),
    transfers: z.array(transferViewSchema),
    audit_log: z.array(auditEntryViewSchema).describe(`What operators did to it, newest first, at most ${SHOWN_ACTIONS}.`),
    events: z.array(eventViewSchema),
    deliveries: z.array(deliveryViewSchema).describe('How the events were delivered to webhook endpoints.'),
  })
  .meta({
    id: 'OrderDetail',
    examples: [
      {
        ...ADMIN_ORDER_EXAMPLE,
        attempts: [{ ...ATTEMPT_EXAMPLE, exchanges: [EXCHANGE_EXAMPLE] }],
        transfers: [
          {
            transfer_id: 'tr_01KJJW838RE3XSC4QCDQC2E2ZP',
            kind: 'order',
            amount: -23_600,
            balance_after: 976_400,
            order_id: ORDER_EXAMPLES.Success.order_id,
            ref_id: ORDER_EXAMPLES.Success.ref_id,
            reference: null,
            time: ORDER_EXAMPLES.Success.purchase_time,
          },
        ],
        audit_log: [AUDIT_EXAMPLE],
        events: [
          {
            event_id: 'evt_01KJJW8578E50T0CDY8X9GRWAC',
            type: 'order.success',
            timestamp: ORDER_EXAMPLES.Success.updated_at,
            sequence: 128,
            data: ORDER_EXAMPLES.Success,
          },
        ],
        deliveries: [],
      },
    ],
  });

export const resolveSchema = z
  .strictObject({
    outcome: z.enum(['Success', 'Failed', 'Refunded']),
    reason: text(1, 512).describe('Kept in the audit log.'),
    serial_number: text(1, 256).optional().describe('Proof of delivery, with Success.'),
    by_other_means: z
      .boolean()
      .optional()
      .describe(
        'With Success: you delivered it another way. The supplier is asked further; if it delivers as well, you are told.',
      ),
  })
  .meta({
    id: 'OrderResolution',
    examples: [{ outcome: 'Success', reason: 'The supplier confirmed it by e-mail.', serial_number: 'S2603010240178841' }],
  });

const reason = text(1, 512).describe('Kept in the audit log.');

export const notDeliveredSchema = z
  .strictObject({ reason })
  .meta({ examples: [{ reason: 'The supplier wrote: transaction not found, balance not charged.' }] });

export const rerouteSchema = z
  .strictObject({
    reason,
    route: z
      .strictObject({ supplier: text(1, 32), sku: text(1, 128) })
      .optional()
      .describe("One of the service's routes that was not tried; the next one when absent."),
  })
  .meta({ examples: [{ reason: 'The first supplier has no stock until Monday.', route: { supplier: 'main', sku: 'ML85' } }] });
