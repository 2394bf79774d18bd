import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { amount, instant, refId, text } from '../http/fields.ts';
import { currencyField, idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { ORDER_EXAMPLES } from './examples.ts';
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
    examples: [
      {
        service_code: 'MLBB-85',
        ref_id: 'INV-1001',
        account_identifier: { user_id: '12345678', zone: '2001' },
        signature: '9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97',
      },
    ],
  });

export type OrderRequest = z.infer<typeof orderRequestSchema>;

export const orderViewSchema = z
  .object({
    ref_id: z.string().describe('Your reference.'),
    order_id: idField('TG', '01KJJW838RE3XBQJVHT10C9PTZ').describe('Our identifier: `TG` and 26 characters, sortable by time.'),
    service_code: z.string(),
    service_name: z.string(),
    account_identifier: z.object({
      user_id: z.string(),
      zone: z.string(),
      nickname: z.string().describe('The player\'s name in the game; `""` where it could not be looked up.'),
    }),
    price: z.int().describe('What your balance was debited, in minor units.'),
    status: z
      .enum(ORDER_STATES)
      .describe('`Process`: being delivered. `Success`: delivered. `Failed`, `Refunded`: the money is back.'),
    purchase_time: timeField.describe('When the order was created.'),
    product_code: z.string(),
    currency: currencyField,
    mode: z.enum(['live', 'test']),
    serial_number: z.string().nullable().describe('Proof of delivery; null until Success.'),
    failure: z
      .object({
        code: z.string().describe('Listed with its meaning by `GET /api/reference/status-code`.'),
        message: z.string(),
        fixable_by_player: z.boolean().describe('True when a corrected player account may help.'),
      })
      .nullable()
      .describe('Why the order is Failed or Refunded.'),
    updated_at: timeField.describe('When the status changed last.'),
  })
  .meta({ id: 'Order', examples: [ORDER_EXAMPLES.Success] });

export type OrderView = z.infer<typeof orderViewSchema>;

/** `data` of the event `balance.low`. */
export const balanceLowSchema = z
  .object({
    balance: z.int().describe('Your balance now, in minor units.'),
    threshold: z.int().describe('The threshold it fell below.'),
    currency: currencyField,
  })
  .meta({ id: 'BalanceLow', examples: [{ balance: 88_400, threshold: 100_000, currency: 'IDR' }] });

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
  .strictObject({
    ref_id: refId.optional().describe('Your reference; give this or `order_id`.'),
    order_id: text(1, 64).optional().describe('Our identifier, `TG…`; give this or `ref_id`.'),
  })
  .refine((query) => (query.ref_id === undefined) !== (query.order_id === undefined), {
    message: 'Give either ref_id or order_id.',
    path: ['ref_id'],
  });

export const orderListQuerySchema = z.strictObject({
  status: z.enum(ORDER_STATES).optional().describe('Orders in this state.'),
  product_code: text(1, 16).optional().describe('Orders of this product.'),
  from: instant.optional().describe('Orders from this time on.'),
  to: instant.optional().describe('Orders before this time.'),
  ...pageQuery('id'),
});
