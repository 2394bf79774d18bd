import { z } from 'zod';
import { serviceViewSchema } from '../catalog/index.ts';
import type { DescribedEvent } from '../http/openapi/webhooks.ts';
import { balanceLowSchema, ORDER_EXAMPLES, orderViewSchema } from '../orders/index.ts';
import { balanceCreditedSchema } from '../resellers/index.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/index.ts';

const webhookTestSchema = z.object({ webhook_id: z.string(), message: z.string() }).meta({
  id: 'WebhookTest',
  examples: [{ webhook_id: 'wh_01KHWFTTW0E1T8MVQTEK68420P', message: 'This is a test. Nothing happened to any order.' }],
});

type EventKind = Omit<DescribedEvent, 'type'>;

/** Every type of event: when it is told, and what its `data` is. */
export const EVENT_KINDS: Record<EventType, EventKind> = {
  'order.success': {
    meaning: 'An order was delivered. data is the order.',
    data: orderViewSchema,
    example: ORDER_EXAMPLES.Success,
  },
  'order.failed': {
    meaning: 'An order failed and was refunded. data is the order.',
    data: orderViewSchema,
    example: ORDER_EXAMPLES.Failed,
  },
  'order.refunded': {
    meaning: 'A delivered order was taken back and refunded. data is the order.',
    data: orderViewSchema,
    example: ORDER_EXAMPLES.Refunded,
  },
  'balance.credited': {
    meaning: 'Money was added to your balance. data is the line of your statement.',
    data: balanceCreditedSchema,
  },
  'balance.low': { meaning: 'Your balance fell below your threshold. data has balance and threshold.', data: balanceLowSchema },
  'service.updated': {
    meaning: 'A service became another for you: its price, state or name changed, or it is new. data is the service.',
    data: serviceViewSchema,
  },
  'webhook.test': { meaning: 'You asked for it. data has webhook_id and message.', data: webhookTestSchema },
};

/** The same for the API description. */
export const DESCRIBED_EVENTS: readonly DescribedEvent[] = EVENT_TYPES.map((type) => ({ type, ...EVENT_KINDS[type] }));
