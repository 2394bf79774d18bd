import type { JsonObject } from './components.ts';

/** Every header of the interface beyond plain HTTP, by its name. */
const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in logs. A well-formed one that you send (1 to 128 of `A–Z a–z 0–9 . _ : -`) is kept.',
    schema: { type: 'string' },
    example: '0b8f4c1e-6d0a-4f5e-9a51-2f1f4f3f6b7d',
  },
  'Retry-After': {
    description: 'Seconds to wait before you try again.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  RateLimit: {
    description: 'What is left of the limit: `r` requests, for `t` seconds. Sent to resellers when the installation has a limit.',
    schema: { type: 'string' },
    example: '"default";r=49;t=1',
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests in `w` seconds. Sent to resellers when the installation has a limit.',
    schema: { type: 'string' },
    example: '"default";q=50;w=1',
  },
  'WWW-Authenticate': {
    description: 'Sent with `unauthenticated`: how to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Allow: { description: 'The methods this path has.', schema: { type: 'string' }, example: 'GET, HEAD' },
  ETag: {
    description: 'Names this version of the list. Send it back as `If-None-Match`.',
    schema: { type: 'string' },
    example: '"m1Xh0wDq6c0VJrVqfYb0b3YpL2s"',
  },
  'Idempotent-Replayed': {
    description: '`true` when the `ref_id` was used before for the same order, which is what you get. Absent on a new order.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Content-Disposition': {
    description: 'A name for the file.',
    schema: { type: 'string' },
    example: 'attachment; filename="catalogue.csv"',
  },
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;

/** The `headers` of a response, as references. */
export function headerReferences(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function headerComponents(): JsonObject {
  return HEADERS;
}
