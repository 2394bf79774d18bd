import { z } from 'zod';
import type { KeptExchange } from '../exchanges/index.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';

export const EXCHANGE_EXAMPLE = {
  call: 'check',
  outcome: 'pending',
  detail: null,
  method: 'POST',
  url: 'https://supplier.example/v1/transaction',
  request_body: '{"ref_id":"TG01KJJW838RE3XBQJVHT10C9PTZ-1","sign":"•••"}',
  status: 200,
  response_body: '{"data":{"status":"Pending"}}',
  error: null,
  duration_ms: 412,
  time: '2026-03-01T02:40:16+07:00',
};

/** One request to a supplier and what came back, as operators see it. */
export const exchangeViewSchema = z
  .object({
    call: z.enum(['place', 'check', 'lookup', 'balance', 'list']),
    outcome: z.string().describe('What the call brought, such as `delivered`, `pending`, `unknown`.'),
    detail: z.string().nullable().describe("The supplier's words, or why nothing is known."),
    method: z.string(),
    url: z.string(),
    request_body: z.string().nullable(),
    status: z.int().nullable().describe('HTTP status; null when no answer came.'),
    response_body: z.string().nullable(),
    error: z.string().nullable().describe('Why no answer came.'),
    duration_ms: z.int(),
    time: timeField,
  })
  .meta({ id: 'SupplierExchange', examples: [EXCHANGE_EXAMPLE] });

export function exchangeView(exchange: KeptExchange, timeZone: string): z.infer<typeof exchangeViewSchema> {
  return {
    call: exchange.call,
    outcome: exchange.outcome,
    detail: exchange.detail,
    method: exchange.method,
    url: exchange.url,
    request_body: exchange.requestBody,
    status: exchange.status,
    response_body: exchange.responseBody,
    error: exchange.error,
    duration_ms: exchange.durationMs,
    time: formatTime(exchange.at, timeZone),
  };
}
