import { z } from 'zod';
import type { Components, JsonObject } from './components.ts';
import { exampleOf } from './examples.ts';

/** A type of event, as its webhook carries it. */
export interface DescribedEvent {
  type: string;
  meaning: string;
  data: z.ZodType;
  /** Its `data`, where that is not the example of the schema. */
  example?: JsonObject;
}

const WEBHOOK_TAG = 'Webhooks';
const HOW_TO_TAKE =
  'Verify the signature over the body as it arrived, answer within 15 seconds, and remember `webhook-id`: a delivery may come twice.';

/** The `webhooks` of the description: what the service sends to endpoints, one for each type of event. */
export function describeWebhooks(events: readonly DescribedEvent[], components: Components): JsonObject {
  return Object.fromEntries(events.map((event) => [event.type, { post: describeWebhook(event, components) }]));
}

function describeWebhook({ type, meaning, data, example }: DescribedEvent, components: Components): JsonObject {
  const body = z.object({
    type: z.literal(type),
    timestamp: z
      .string()
      .meta({ format: 'date-time', description: 'When it happened.', examples: ['2026-03-01T02:40:17+07:00'] }),
    sequence: z.int().meta({
      description: 'Rises by exactly one per reseller and mode, as on `GET /api/events`; a gap means you missed something.',
      examples: [128],
    }),
    data,
  });
  const schema = components.schemaOf(body, 'output');
  return {
    tags: [WEBHOOK_TAG],
    operationId: `receive${type.replace(/(?:^|\.)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`,
    summary: type,
    description: `${meaning} ${HOW_TO_TAKE}`,
    security: [],
    parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          example: { ...(exampleOf(schema, components) as JsonObject), ...(example && { data: example }) },
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken. Nothing in the answer is read.' },
      '410': { description: 'The endpoint is gone for good: it is disabled, and nothing more is sent to it.' },
      default: {
        description:
          'Not taken, like a redirect or no answer: sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, or when your `Retry-After` says.',
      },
    },
  };
}

/** The headers of Standard Webhooks. */
export const WEBHOOK_PARAMETERS = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The identifier of the event, the same in every attempt.',
    schema: { type: 'string' },
    example: 'evt_01KJJW8578E50T0CDY8X9GRWAC',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.',
    schema: { type: 'integer' },
    example: 1772307617,
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is the base64-decoded part of the secret after `whsec_`. Several, separated by spaces, while a secret is being rotated: one that fits is enough.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
} as const satisfies Record<string, JsonObject>;
