import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { instant, text } from '../http/fields.ts';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { type Attempt, DELIVERY_STATES, type Delivery } from './delivery.ts';
import { DISABLED_REASONS, type Endpoint } from './endpoint.ts';
import { EVENT_TYPES, type FeedEvent } from './event.ts';
import { DELIVERY_EXAMPLE, ENDPOINT_EXAMPLE, EVENT_EXAMPLE } from './examples.ts';

const EVENT_PREFIX = 'evt_';
const ENDPOINT_PREFIX = 'wh_';
const DELIVERY_PREFIX = 'dlv_';

export const toEndpointId = (uuid: string) => toPublicId(ENDPOINT_PREFIX, uuid);

/** Also the `webhook-id` of its deliveries, the same over all attempts. */
export const toEventId = (uuid: string) => toPublicId(EVENT_PREFIX, uuid);

export const eventsQuerySchema = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Events after this sequence number; 0 starts with the oldest that is kept.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Events at once, at most 200.'),
});

export const eventViewSchema = z
  .object({
    event_id: idField('evt_', '01KJJW8578E50T0CDY8X9GRWAC').describe(
      'Identifier of the event; also the `webhook-id` of its deliveries.',
    ),
    type: z.enum(EVENT_TYPES),
    timestamp: timeField.describe('When it happened.'),
    sequence: z.int().describe('Rises by exactly one per reseller and mode; a gap means you missed something.'),
    data: z.record(z.string(), z.unknown()).describe('For `order.*` the order, as its status call shows it at that moment.'),
  })
  .meta({ id: 'Event', examples: [EVENT_EXAMPLE] });

export function eventView(event: FeedEvent, timeZone: string): z.infer<typeof eventViewSchema> {
  return { event_id: toEventId(event.id), ...webhookBody(event, timeZone) };
}

/** What is sent to endpoints: the event as on the feed, whose id stands in the header `webhook-id`. */
export function webhookBody(event: FeedEvent, timeZone: string) {
  return {
    type: event.type,
    timestamp: formatTime(event.at, timeZone),
    sequence: Number(event.sequence),
    data: event.data,
  };
}

const MAX_URL_LENGTH = 2_048;

const typesField = z
  .array(z.enum(EVENT_TYPES))
  .max(EVENT_TYPES.length)
  .refine((types) => new Set(types).size === types.length, 'must not name a type twice.')
  .describe('Send only these types; an empty list means all.');

const urlField = text(1, MAX_URL_LENGTH).describe(
  'Where to send to: `https` (in development also `http`), without user name and password, at a public address.',
);

export const createEndpointSchema = z.strictObject({ url: urlField, types: typesField.default([]) }).meta({
  id: 'WebhookRequest',
  examples: [{ url: 'https://shop.example/topgate', types: ['order.success', 'order.failed'] }],
});

export const changeEndpointSchema = z
  .strictObject({
    url: urlField,
    types: typesField,
    status: z.enum(['Active', 'Disabled']).describe('`Disabled` stops deliveries; `Active` goes on with what waits.'),
  })
  .partial()
  .meta({ examples: [{ status: 'Active' }] });

export const recoverSchema = z
  .strictObject({ since: instant.describe('Send every event from this time on that this endpoint has not taken.') })
  .meta({ examples: [{ since: '2026-03-01T00:00:00+07:00' }] });

const publicId = (prefix: string, what: string, example: string) =>
  z
    .string()
    .transform((id) => fromPublicId(prefix, id))
    .meta({ description: `The ${what}, \`${prefix}…\`.`, examples: [example] });

export const endpointParamsSchema = z.strictObject({
  webhook_id: publicId(ENDPOINT_PREFIX, 'endpoint', ENDPOINT_EXAMPLE.webhook_id),
});
export const deliveryParamsSchema = z.strictObject({
  delivery_id: publicId(DELIVERY_PREFIX, 'delivery', DELIVERY_EXAMPLE.delivery_id),
});

export const endpointViewSchema = z
  .object({
    webhook_id: idField('wh_', '01KHWFTTW0E1T8MVQTEK68420P'),
    url: z.string(),
    types: z.array(z.enum(EVENT_TYPES)).describe('Empty: all types.'),
    status: z.enum(['Active', 'Disabled']),
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe('`by_request`: you disabled it. `gone`: it answered 410. `failing`: nothing got through for five days.'),
    failing_since: timeField.nullable().describe('Since when every attempt has failed; null while the last one succeeded.'),
    created_at: timeField,
    updated_at: timeField,
  })
  .meta({ id: 'Webhook', examples: [ENDPOINT_EXAMPLE] });

export const endpointWithSecretSchema = endpointViewSchema
  .extend({ secret: z.string().describe('`whsec_…`, shown once: the key to verify deliveries with.') })
  .meta({
    id: 'WebhookWithSecret',
    examples: [{ ...ENDPOINT_EXAMPLE, secret: 'whsec_ZXhhbXBsZS1zZWNyZXQtb2YtMjQtYnl0ZXM=' }],
  });

export function endpointView(endpoint: Endpoint, timeZone: string): z.infer<typeof endpointViewSchema> {
  return {
    webhook_id: toEndpointId(endpoint.id),
    url: endpoint.url,
    types: endpoint.types,
    status: endpoint.status === 'Active' ? 'Active' : 'Disabled',
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince && formatTime(endpoint.failingSince, timeZone),
    created_at: formatTime(endpoint.createdAt, timeZone),
    updated_at: formatTime(endpoint.updatedAt, timeZone),
  };
}

export const deliveryListQuerySchema = z.strictObject({
  status: z.enum(DELIVERY_STATES).optional().describe('Deliveries in this state.'),
  ...pageQuery('number'),
});

export const deliveryViewSchema = z
  .object({
    delivery_id: idField('dlv_', '01KJJW8578E51A16ZAVC8BSF75'),
    webhook_id: idField('wh_', '01KHWFTTW0E1T8MVQTEK68420P'),
    event_id: idField('evt_', '01KJJW8578E50T0CDY8X9GRWAC'),
    type: z.enum(EVENT_TYPES),
    sequence: z.int(),
    status: z
      .enum(DELIVERY_STATES)
      .describe('`Pending`: due, or to be tried again. `Failed`: all attempts failed. `Cancelled`: the endpoint was deleted.'),
    next_attempt_at: timeField.nullable().describe('When it is tried next; null when it is at its end.'),
    attempts: z.array(
      z.object({
        number: z.int(),
        time: timeField,
        status: z.int().nullable().describe('The HTTP status of the answer; null when there was none.'),
        error: z.string().nullable().describe('Why there was no good answer, e.g. `timeout`.'),
        duration_ms: z.int(),
        response: z.string().nullable().describe('The first 1,024 bytes of the answer.'),
      }),
    ),
    created_at: timeField,
  })
  .meta({ id: 'WebhookDelivery', examples: [DELIVERY_EXAMPLE] });

export function deliveryView(delivery: Delivery, attempts: Attempt[], timeZone: string): z.infer<typeof deliveryViewSchema> {
  return {
    delivery_id: toPublicId(DELIVERY_PREFIX, delivery.id),
    webhook_id: toEndpointId(delivery.endpointId),
    event_id: toEventId(delivery.event.id),
    type: delivery.event.type,
    sequence: Number(delivery.event.sequence),
    status: delivery.state,
    next_attempt_at: delivery.nextAttemptAt && formatTime(delivery.nextAttemptAt, timeZone),
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      time: formatTime(attempt.at, timeZone),
      status: attempt.status,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      response: attempt.response,
    })),
    created_at: formatTime(delivery.createdAt, timeZone),
  };
}

export const recoveryViewSchema = z
  .object({
    queued: z.int().describe('Deliveries that are due now.'),
    has_more: z.boolean().describe('True when there are more: call again, with the same `since`.'),
  })
  .meta({ id: 'WebhookRecovery', examples: [{ queued: 12, has_more: false }] });
