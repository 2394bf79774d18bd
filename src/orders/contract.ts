import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { amount, instant, refId, text } from '../http/fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { ORDER_STATES, type Order, toOrderId } from './order.ts';

/** What views need to know about the installation. */
export interface ViewSettings {
  currency: string;
  timeZone: string;
}

/** A request to buy one service for one player. Unknown fields are refused: the signature would not cover them. */
export const orderRequestSchema = z
  .strictObject({
    service_code: text(1, 64).describe('The service to buy, e.g. `MLBB-85`.'),
    ref_id: refId,
    account_identifier: z.strictObject({
      user_id: text(1, 64).describe("The player's id in the game."),
      zone: text(0, 32).describe('The player\'s zone or server; `""` for a game without zones.'),
    }),
    signature: text(0, 256).describe('Lower-case hex of HMAC-SHA256 over the string to sign.'),
    max_price: amount.optional().describe('Refuse the order when the price is above this, in minor units.'),
  })
  .meta({
    id: 'OrderRequest',
    example: {
      service_code: 'MLBB-85',
      ref_id: 'INV-1001',
      account_identifier: { user_id: '12345678', zone: '2001' },
      signature: '9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97',
    },
  });

export type OrderRequest = z.infer<typeof orderRequestSchema>;

export const orderViewSchema = z
  .object({
    ref_id: z.string().describe('Your reference.'),
    order_id: z.string().describe('Our identifier: `TG` and 26 characters, sortable by time.'),
    service_code: z.string(),
    service_name: z.string(),
    account_identifier: z.object({
      user_id: z.string(),
      zone: z.string(),
      nickname: z.string().describe('The player\'s name in the game; `""` where it could not be looked up.'),
    }),
    price: z.int().describe('What your balance was debited, in minor units.'),
    status: z.enum(ORDER_STATES),
    purchase_time: z.string().describe('ISO 8601 with offset.'),
    product_code: z.string(),
    currency: z.string(),
    mode: z.enum(['live', 'test']),
    serial_number: z.string().nullable().describe('Proof of delivery; null until Success.'),
    failure: z
      .object({ code: z.string(), message: z.string(), fixable_by_player: z.boolean() })
      .nullable()
      .describe('Why the order is Failed or Refunded.'),
    updated_at: z.string().describe('When the status changed last, ISO 8601 with offset.'),
  })
  .meta({ id: 'Order' });

export type OrderView = z.infer<typeof orderViewSchema>;

/** The order as its reseller sees it: in answers, events and webhooks alike. */
export function orderView(order: Order, { currency, timeZone }: ViewSettings): OrderView {
  return {
    ref_id: order.refId,
    order_id: toOrderId(order.id),
    service_code: order.serviceCode,
    service_name: order.serviceName,
    account_identifier: { user_id: order.userId, zone: order.zone, nickname: order.nickname },
    price: toJsonAmount(order.price),
    status: order.state,
    purchase_time: formatTime(order.createdAt, timeZone),
    product_code: order.productCode,
    currency,
    mode: order.mode,
    serial_number: order.serialNumber,
    failure: order.failure && {
      code: order.failure.code,
      message: order.failure.message,
      fixable_by_player: order.failure.fixableByPlayer,
    },
    updated_at: formatTime(order.updatedAt, timeZone),
  };
}

export const orderStatusQuerySchema = z
  .strictObject({ ref_id: refId.optional(), order_id: text(1, 64).optional() })
  .refine((query) => (query.ref_id === undefined) !== (query.order_id === undefined), {
    message: 'Give either ref_id or order_id.',
    path: ['ref_id'],
  });

export const orderListQuerySchema = z.strictObject({
  status: z.enum(ORDER_STATES).optional(),
  product_code: text(1, 16).optional(),
  from: instant.optional().describe('Orders from this time on.'),
  to: instant.optional().describe('Orders before this time.'),
  ...pageQuery('id'),
});
