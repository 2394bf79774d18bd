import { z } from 'zod';
import type { KeptExchange } from '../exchanges/index.ts';
import { pageQuery } from '../http/envelope.ts';
import { modeField, text } from '../http/fields.ts';
import { SECOND_MS } from '../lib/clock.ts';
import {
  ADMIN_ORDER_EXAMPLE,
  ATTEMPT_EXAMPLE,
  adminOrderView,
  adminOrderViewSchema,
  attemptView,
  attemptViewSchema,
} from './admin-contract.ts';
import type { ViewSettings } from './contract.ts';
import { EXCHANGE_EXAMPLE, exchangeView, exchangeViewSchema } from './exchange-contract.ts';
import type { Attempt, Order } from './order.ts';
import { OPERATOR_ACTIONS, type PossibleAction } from './resolution.ts';

export const reviewQuerySchema = z.strictObject({
  supplier: text(1, 32).optional().describe('Orders whose next step is with this supplier.'),
  mode: modeField.optional(),
  ...pageQuery('moment'),
});

const actionSchema = z.object({
  action: z
    .enum(OPERATOR_ACTIONS)
    .describe('`success`, `failed` and `refunded` are outcomes of `resolve`; the others have paths of their own.'),
  possible: z.boolean(),
  why_not: z.string().nullable().describe('What stands in the way and what to do first.'),
});

export const reviewItemSchema = z
  .object({
    order: adminOrderViewSchema,
    waiting_seconds: z.int().describe('How long it has been in review.'),
    last_attempt: attemptViewSchema.nullable(),
    last_exchange: exchangeViewSchema.nullable().describe('The last request about that attempt and its answer.'),
    attempts: z.int().describe('How many there were.'),
    actions: z.array(actionSchema),
  })
  .meta({
    id: 'ReviewItem',
    examples: [
      {
        order: {
          ...ADMIN_ORDER_EXAMPLE,
          status: 'Process',
          serial_number: null,
          next_action_at: '2026-03-02T02:50:15+07:00',
          review: { since: '2026-03-02T02:40:15+07:00', reason: 'no final answer from the supplier for 86400 s' },
        },
        waiting_seconds: 420,
        last_attempt: { ...ATTEMPT_EXAMPLE, status: 'Pending', charged: null, serial_number: null },
        last_exchange: EXCHANGE_EXAMPLE,
        attempts: 1,
        actions: [
          { action: 'recheck', possible: true, why_not: null },
          { action: 'refunded', possible: false, why_not: 'An order that is Process cannot become Refunded.' },
        ],
      },
    ],
  });

export function reviewItemView(review: {
  order: Order;
  resellerId: string;
  attempts: Attempt[];
  exchanges: Map<string, KeptExchange[]>;
  actions: PossibleAction[];
  view: ViewSettings;
  now: Date;
}): z.infer<typeof reviewItemSchema> {
  const { order, view } = review;
  const last = review.attempts.at(-1) ?? null;
  const exchange = (last && review.exchanges.get(last.reference)?.at(-1)) ?? null;
  const since = order.review?.since ?? review.now;
  return {
    order: adminOrderView(order, review.resellerId, view),
    waiting_seconds: Math.max(0, Math.floor((review.now.getTime() - since.getTime()) / SECOND_MS)),
    last_attempt: last && attemptView(last, view.timeZone),
    last_exchange: exchange && exchangeView(exchange, view.timeZone),
    attempts: review.attempts.length,
    actions: review.actions.map(({ action, whyNot }) => ({ action, possible: whyNot === null, why_not: whyNot })),
  };
}
