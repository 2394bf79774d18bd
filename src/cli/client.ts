import { z } from 'zod';
import { SECOND_MS } from '../lib/clock.ts';
import { CommandError } from './errors.ts';

const answerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.unknown(),
  pagination: z.object({ next_cursor: z.string().nullable() }).optional(),
});

const failureSchema = z.object({
  success: z.literal(false),
  message: z.string(),
  error: z.object({
    code: z.string(),
    retryable: z.boolean(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
    details: z.record(z.string(), z.unknown()).default({}),
  }),
  request_id: z.string(),
});

/** Topgate's answer that it will not. */
export interface Refusal {
  code: string;
  message: string;
  issues: readonly { path: string; message: string }[];
  details: Record<string, unknown>;
  requestId: string | null;
}

/** A successful answer. `nextCursor` continues a list. */
export interface Answer<Data> {
  message: string;
  data: Data;
  nextCursor: string | null;
}

export type Query = Record<string, string | number | boolean | undefined>;

/** The admin interface. The resellers' is spoken through the client library, as they do themselves. */
export interface Client {
  get<Data>(path: string, query?: Query): Promise<Answer<Data>>;
  send<Data>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer<Data>>;
  /** Sends a CSV file as it is. */
  sendCsv<Data>(path: string, csv: string, query?: Query): Promise<Answer<Data>>;
  /** Gets a file instead of an envelope. */
  getText(path: string): Promise<string>;
}

/** No answer came. When the request was `sent`, it may have been carried out all the same. */
export class NoAnswerError extends CommandError {
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** Whole-ledger audits and large imports take a while; nothing takes longer than this. */
export const LIMIT_MS = 120 * SECOND_MS;

/** A client for the service at `baseUrl`. `tokenHint` tells what to do when the token is refused. */
export function createClient(options: { baseUrl: string; token: string; tokenHint: string }): Client {
  const { baseUrl, token, tokenHint } = options;

  const exchange = async (method: string, path: string, query: Query, content?: { type: string; body: string }) => {
    const url = baseUrl + path + queryString(query);
    const headers = { authorization: `Bearer ${token}`, ...(content && { 'content-type': content.type }) };
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(LIMIT_MS),
        ...(content && { body: content.body }),
      });
      return { ok: response.ok, text: await response.text() };
    } catch (error) {
      throw describeNoAnswer(error, baseUrl);
    }
  };

  const refuse = (text: string): never => {
    const failure = failureSchema.safeParse(parseJson(text));
    if (!failure.success) throw describeStranger(baseUrl);
    const { message, error, request_id: requestId } = failure.data;
    throw describeRefusal({ message, requestId, ...error }, tokenHint);
  };

  const ask = async <Data>(method: string, path: string, query: Query, content?: { type: string; body: string }) => {
    const { text } = await exchange(method, path, query, content);
    const answer = answerSchema.safeParse(parseJson(text));
    if (!answer.success) return refuse(text);
    const { message, data, pagination } = answer.data;
    return { message, data: data as Data, nextCursor: pagination?.next_cursor ?? null };
  };

  return {
    get: (path, query = {}) => ask('GET', path, query),
    send: (method, path, body) =>
      ask(method, path, {}, body === undefined ? undefined : { type: 'application/json', body: JSON.stringify(body) }),
    sendCsv: (path, csv, query = {}) => ask('POST', path, query, { type: 'text/csv', body: csv }),
    async getText(path) {
      const { ok, text } = await exchange('GET', path, {});
      return ok ? text : refuse(text);
    },
  };
}

/** What went wrong with a request that got no answer, and what to do about it. */
export function describeNoAnswer(error: unknown, baseUrl: string): NoAnswerError {
  const code = systemCodeOf(error);
  if (code === 'ECONNREFUSED')
    return new NoAnswerError(`Topgate does not answer at ${baseUrl}: is it running? (npm start)`, false, error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new NoAnswerError(`The host of ${baseUrl} was not found. Check --url and TOPGATE_URL.`, false, error);
  if (error instanceof Error && error.name === 'TimeoutError') return describeTimeout(error, baseUrl);
  const reason = code ?? (error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no reason given');
  return new NoAnswerError(`The connection to ${baseUrl} broke (${reason}).`, true, error);
}

export function describeTimeout(error: unknown, baseUrl: string): NoAnswerError {
  return new NoAnswerError(`Topgate did not answer within ${LIMIT_MS / SECOND_MS} seconds at ${baseUrl}.`, true, error);
}

export function describeStranger(baseUrl: string): CommandError {
  return new CommandError(`What answers at ${baseUrl} is not Topgate. Check --url and TOPGATE_URL.`);
}

/** What a refusal says, with all it names. `tokenHint` tells what to do when it was about the token. */
export function describeRefusal({ message, code, issues, details, requestId }: Refusal, tokenHint: string): CommandError {
  const lines = [`${message} (${code})`];
  // A message already tells an issue that stands alone.
  const untold = issues.length === 1 ? issues.filter((issue) => !message.includes(issue.message)) : issues;
  for (const { path, message: why } of untold) lines.push(`  - ${path === '' ? '' : `${path}: `}${why}`);
  for (const [name, value] of Object.entries(details))
    lines.push(`  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  if (code === 'internal_error') lines.push(`  Request ${requestId}: the service's log tells more.`);
  if (code === 'unauthenticated') lines.push(`  ${tokenHint}`);
  return new CommandError(lines.join('\n'));
}

/** `fetch` wraps the system's error, and wraps several when a name has several addresses. */
function systemCodeOf(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : null;
}

function queryString(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
