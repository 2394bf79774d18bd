import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { instant, text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import type { RequestEntry } from './entry.ts';

export const requestLogQuerySchema = z.strictObject({
  status: z.coerce.number().int().min(100).max(599).optional().describe('Only requests answered with this HTTP status.'),
  errors: z.enum(['true', 'false']).optional().describe('`true`: only requests answered with 400 or above.'),
  path: text(1, 200).optional().describe('Only requests to exactly this path, e.g. `/api/order`.'),
  from: instant.optional().describe('Requests from this time on.'),
  to: instant.optional().describe('Requests before this time.'),
  ...pageQuery('id'),
});

export const requestLogEntryViewSchema = z
  .object({
    request_id: z.string().describe('The `X-Request-Id` of the request.'),
    time: timeField.describe('When it was answered.'),
    method: z.string(),
    path: z.string().describe('The path without its query.'),
    status: z.int().describe('The HTTP status of the answer.'),
    code: z.string().nullable().describe('The error code; null when the request succeeded.'),
    message: z.string().nullable().describe("The error's message; null when the request succeeded."),
    duration_ms: z.int().describe('From the request to its answer, in milliseconds.'),
    request: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'The fields of the body, or of the query where there was no body: at most 2 KiB, secrets and unknown fields as `[redacted]`, only the end of a `user_id`. Null when there were none, or when the request was refused before they were read.',
      ),
  })
  .meta({
    id: 'RequestLogEntry',
    examples: [
      {
        request_id: '6f1c0c7e-59ab-4a4e-9f0e-0f3f6f0f8b11',
        time: '2026-03-01T09:40:15+07:00',
        method: 'POST',
        path: '/api/order',
        status: 402,
        code: 'insufficient_balance',
        message:
          'The balance is lower than the price. Nothing was created and the ref_id stays free: deposit, then send the same request again.',
        duration_ms: 4,
        request: {
          service_code: 'MLBB-85',
          ref_id: 'INV-1001',
          account_identifier: { user_id: '••••5678', zone: '2001' },
          signature: '[redacted]',
        },
      },
    ],
  });

export function requestLogEntryView(entry: RequestEntry, timeZone: string): z.infer<typeof requestLogEntryViewSchema> {
  return {
    request_id: entry.requestId,
    time: formatTime(entry.at, timeZone),
    method: entry.method,
    path: entry.path,
    status: entry.status,
    code: entry.problem?.code ?? null,
    message: entry.problem?.message ?? null,
    duration_ms: entry.durationMs,
    request: entry.request,
  };
}
