import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, decodeCursor, MAX_PAGE_SIZE, type Page } from '../lib/page.ts';
import { PROBLEMS, type Problem } from './problems.ts';

/** Every successful answer has this form; its `status` is the HTTP status. */
export interface Success<Data> {
  status: 200;
  success: true;
  message: string;
  data: Data;
}

export function success<Data>(message: string, data: Data): Success<Data> {
  return { status: 200, success: true, message, data };
}

export interface PagedSuccess<Item> extends Success<Item[]> {
  pagination: { next_cursor: string | null; has_more: boolean };
}

export function pagedSuccess<Item>(message: string, page: Page<Item>): PagedSuccess<Item> {
  return { ...success(message, page.items), pagination: { next_cursor: page.nextCursor, has_more: page.nextCursor !== null } };
}

/** The body of every error. */
export function failure(problem: Problem, requestId: string) {
  const { issues, details } = problem.more;
  return {
    status: problem.status,
    success: false as const,
    message: problem.message,
    data: null,
    error: {
      code: problem.code,
      retryable: PROBLEMS[problem.code].retryable,
      ...(issues && { issues }),
      ...(details && { details }),
    },
    request_id: requestId,
  };
}

/** The schema of a successful answer, for the API description. `message` is the one in its example. */
export function successSchema<Data extends z.ZodType>(data: Data, message = 'Done') {
  return z.object({
    status: z.literal(200),
    success: z.literal(true),
    message: z.string().meta({ description: 'What was done, for a person.', examples: [message] }),
    data,
  });
}

const paginationSchema = z
  .object({
    next_cursor: z.string().nullable().describe('Pass as `cursor` to get the next page; null on the last one.'),
    has_more: z.boolean(),
  })
  .meta({ id: 'Pagination', examples: [{ next_cursor: null, has_more: false }] });

export function pagedSchema<Item extends z.ZodType>(item: Item, message?: string) {
  return successSchema(z.array(item), message).extend({ pagination: paginationSchema });
}

export const failureSchema = z
  .object({
    status: z.int(),
    success: z.literal(false),
    message: z.string().describe('What happened and what to do, for a person.'),
    data: z.null(),
    error: z.object({
      code: z.string().describe('Stable; made for programs. Listed with its meaning by `GET /api/reference/status-code`.'),
      retryable: z.boolean().describe('May the same request succeed later without being changed?'),
      issues: z
        .array(
          z.object({ path: z.string().describe('Where in the request, e.g. `account_identifier.zone`.'), message: z.string() }),
        )
        .optional()
        .describe('What is wrong with the request, field by field.'),
      details: z.record(z.string(), z.unknown()).optional().describe('More for programs; each code has its own.'),
    }),
    request_id: z.string().describe('The same as `X-Request-Id`.'),
  })
  .meta({ id: 'Error' });

/** A text of 256 characters that take two bytes each still fits. */
const MAX_CURSOR_CHARACTERS = 700;

/** What a list continues after: an id, a number, a text, a moment with the id of what happened then, or an attempt of an order. A cursor that decodes to anything else is not one of ours. */
const CURSOR_KEYS = {
  id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  number: /^[0-9]{1,18}$/,
  text: /^\P{Cc}{1,256}$/u,
  attempt: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9]{1,3}$/,
  moment:
    /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}\.[0-9]{3}Z [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
} as const;

/** The query parameters of every paged list. */
export function pageQuery(key: keyof typeof CURSOR_KEYS) {
  return {
    limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE).describe('Items per page, at most 200.'),
    cursor: z
      .string()
      .max(MAX_CURSOR_CHARACTERS)
      .refine(
        (cursor) => CURSOR_KEYS[key].test(decodeCursor(cursor)),
        'is not a cursor of this list; pass `next_cursor` as it was given.',
      )
      .transform(decodeCursor)
      .optional()
      .describe('`next_cursor` of the page before.'),
  };
}
