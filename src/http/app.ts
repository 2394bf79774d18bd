import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
} from 'fastify';
import { hasZodFastifySchemaValidationErrors, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { SECOND_MS } from '../lib/clock.ts';
import { newRandomId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { prepareCallers } from './caller.ts';
import { failure } from './envelope.ts';
import { type Issue, Problem } from './problems.ts';
import { setProblem } from './request.ts';

export type TypedApp = ReturnType<typeof typed>;

/** The instance with zod for its schemas, so that handlers are typed by them. */
export function typed(app: FastifyInstance) {
  return app.withTypeProvider<ZodTypeProvider>();
}

export interface AppOptions {
  log: Log;
  /** Bodies above this size are refused before they are read whole. */
  bodyLimitBytes?: number;
  /** Reverse proxies whose `X-Forwarded-For` tells the client's address. */
  trustedProxies?: string[];
  /** True from the moment the process was told to stop: what is under way is finished, nothing new begins. */
  isStopping?: () => boolean;
}

const BODY_LIMIT_BYTES = 64 * 1024;
const REQUEST_LIMIT_MS = 30 * SECOND_MS;
const IDLE_LIMIT_MS = 65 * SECOND_MS;
/** A request id of the client is kept when it is of this form; it then appears in our logs. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The HTTP server without any routes: envelope, errors, request ids, limits. */
export function createApp({
  log,
  bodyLimitBytes = BODY_LIMIT_BYTES,
  trustedProxies = [],
  isStopping = () => false,
}: AppOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionTimeout: IDLE_LIMIT_MS,
    keepAliveTimeout: IDLE_LIMIT_MS,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    requestIdHeader: false,
    genReqId: requestIdOf,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply, log),
    clientErrorHandler: answerUnreadable,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    // While stopping, `isStopping` refuses new requests in the form of every other error.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  app.setValidatorCompiler(validatorCompiler);
  // Views build every body field by field, so nothing needs to be filtered on the way out.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  acceptStrictJson(app);
  prepareCallers(app);
  // Hooks that wait for nothing are not async: each promise costs every request a turn of the queue.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (!isStopping()) return done();
    done(new Problem('maintenance', 'The service is restarting. Try again in a moment.', { retryAfterSeconds: 1 }));
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
  app.setNotFoundHandler((request, reply) =>
    sendError(new Problem('route_not_found', `There is no path ${request.url.split('?', 1)[0]}.`), request, reply, log),
  );
  answerWrongMethods(app);
  return app;
}

/** JSON in UTF-8 and nothing else: no other charset, no compression, no repaired bytes. */
function acceptStrictJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && charset.toLowerCase() !== 'utf-8') return done(new Problem('unsupported_media_type'));
    // An action without a body may still declare its type, as many clients always do.
    if (body.length === 0 && !request.routeOptions.schema?.body) return done(null, undefined);
    if (!isUtf8(body) || body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      return done(new Problem('invalid_json'));
    void parseJson(request, body.toString('utf8'), (error, value) =>
      done(error && new Problem('invalid_json', describeJsonError(error)), value),
    );
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // Of a request without a body it says nothing.
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const isEncoded = hasBody && request.headers['content-encoding'] !== undefined;
    done(isEncoded ? new Problem('unsupported_media_type') : null, payload);
  });
}

/** Remembers every path as it is registered, and answers the methods it does not have with 405 instead of 404. */
function answerWrongMethods(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if ((config as { wrongMethod?: boolean } | undefined)?.wrongMethod) return;
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one as HTTPMethods);
    methodsOf.set(url, methods);
  });
  app.decorate('closeMethodGaps', () => {
    for (const [url, methods] of methodsOf) {
      const missing = METHODS.filter((method) => !methods.has(method));
      if (missing.length === 0 || url === '*') continue;
      const allow = [...methods].join(', ');
      app.route({
        url,
        method: missing,
        config: { wrongMethod: true },
        schema: { hide: true },
        // Before the body is read: whatever it is, this path does not take it.
        onRequest: async () => {
          throw new Problem('method_not_allowed', `This path answers ${allow}.`, { headers: { allow } });
        },
        handler: async () => undefined,
      });
    }
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Call once, after the last route: paths then answer 405 to the methods they do not have. */
    closeMethodGaps(): void;
  }
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const problem = toProblem(error, request);
  setProblem(request, problem);
  if (problem.status >= 500 && !(error instanceof Problem)) {
    log.error(
      { err: error, request_id: request.id, method: request.method, path: request.url.split('?', 1)[0] },
      'A request failed.',
    );
  }
  const { retryAfterSeconds, headers } = problem.more;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply
    .headers(headers ?? {})
    .header('x-request-id', request.id)
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify as (payload: unknown) => string)
    .send(failure(problem, request.id));
}

function toProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.flatMap((entry) =>
      toIssues(entry.instancePath, entry.message ?? 'is not valid', entry.params),
    );
    return new Problem('invalid_request', describeIssues(issues), { issues });
  }
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('payload_too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type');
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new Problem('invalid_json');
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new Problem('route_not_found', `There is no path ${request.url.slice(0, 200)}.`);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Problem('invalid_request', 'The request could not be read.');
  return new Problem('internal_error');
}

/** A path like `/account_identifier/zone` becomes `account_identifier.zone`; an unknown field is named itself. */
function toIssues(instancePath: string, message: string, params: unknown): Issue[] {
  const path = instancePath
    .split('/')
    .filter((part) => part !== '')
    .join('.');
  const keys = (params as { keys?: unknown } | undefined)?.keys;
  if (!Array.isArray(keys)) return [{ path, message }];
  return keys.map((key) => ({
    path: path === '' ? String(key) : `${path}.${String(key)}`,
    message: 'This field is not known here.',
  }));
}

function describeIssues(issues: Issue[]): string {
  const [first] = issues;
  if (!first) return 'The request is not valid.';
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path === '' ? 'The request' : first.path}: ${first.message}${others}`;
}

function describeJsonError(error: Error): string {
  if ((error as Partial<FastifyError>).code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return 'The body is empty. Send one JSON object.';
  return 'The body is not valid JSON. Send one JSON object in UTF-8.';
}

function requestIdOf(request: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newRandomId();
}

/** Answers bytes that are not HTTP at all, for which no request object exists. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('payload_too_large', 'The headers are too large.')
      : new Problem('invalid_request', 'The request is not valid HTTP.');
  const requestId = newRandomId();
  const body = JSON.stringify(failure(problem, requestId));
  const statusLine = problem.status === 413 ? '413 Payload Too Large' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${statusLine}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
