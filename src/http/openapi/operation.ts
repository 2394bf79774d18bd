import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Components, JsonObject } from './components.ts';
import { exampleOf } from './examples.ts';
import { type HeaderName, headerReferences } from './headers.ts';
import type { DeclaredProblem, ProblemResponses } from './problem-responses.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** The errors this route may answer, beyond those that its gate and its input imply (see `impliedProblems`). */
    problems?: readonly DeclaredProblem[];
    /** Headers of the successful answer, beyond those that all have. */
    answerHeaders?: readonly HeaderName[];
    /** The answer has an `ETag`, and `If-None-Match` with it is answered 304. */
    conditional?: boolean;
  }
}

/** A route as it was registered. */
export interface DescribedRoute {
  method: string;
  url: string;
  schema: FastifySchema;
}

/** Who may call a route: by its path, unless it says `security: []`. */
type Audience = 'reseller' | 'admin' | 'anybody';

const OF_EVERY_ROUTE: DeclaredProblem[] = ['internal_error', 'maintenance'];
const OF_AUDIENCE: Record<Audience, DeclaredProblem[]> = {
  reseller: ['unauthenticated', 'ip_not_allowed', 'insufficient_scope', 'account_suspended', 'not_acceptable', 'rate_limited'],
  admin: ['unauthenticated', 'not_acceptable'],
  anybody: [],
};
/** Methods that may carry a body are refused for a bad one, even where none is expected. */
const OF_A_BODY: DeclaredProblem[] = ['invalid_json', 'invalid_request', 'payload_too_large', 'unsupported_media_type'];
const RATE_HEADERS: HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const JSON_TYPE = 'application/json';

/** One operation of the description. */
export function describeOperation(route: DescribedRoute, components: Components, problems: ProblemResponses): JsonObject {
  const { tags, summary, description, operationId, problems: own = [] } = route.schema;
  if (operationId === undefined) throw new Error(`Invariant broken: ${route.method} ${route.url} has no operationId`);
  const audience = audienceOf(route);
  return {
    tags,
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: audience === 'anybody' ? [] : [{ [audience]: [] }],
    ...parametersOf(route, components),
    ...requestBodyOf(route, components),
    responses: {
      ...successOf(route, audience, components),
      ...problems.of([...impliedProblems(route, audience), ...own]),
    },
  };
}

/** The path in the form of the description: `{order_id}` for `:order_id`. */
export function templateOf(url: string): string {
  return url.replace(/:([a-z_]+)/g, '{$1}');
}

function audienceOf({ url, schema }: DescribedRoute): Audience {
  if (schema.security?.length === 0) return 'anybody';
  if (url.startsWith('/admin/api/')) return 'admin';
  return url.startsWith('/api/') ? 'reseller' : 'anybody';
}

function impliedProblems({ method, schema }: DescribedRoute, audience: Audience): DeclaredProblem[] {
  const takesInput = schema.querystring !== undefined || schema.params !== undefined;
  const ofInput: DeclaredProblem[] = method === 'GET' ? (takesInput ? ['invalid_request'] : []) : OF_A_BODY;
  return [...ofInput, ...OF_AUDIENCE[audience], ...OF_EVERY_ROUTE];
}

function parametersOf({ schema }: DescribedRoute, components: Components): JsonObject {
  const parameters = [
    ...parametersIn('path', schema.params, components),
    ...parametersIn('query', schema.querystring, components),
    ...(schema.conditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

function parametersIn(place: 'path' | 'query', schema: unknown, components: Components): JsonObject[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.schemaOf(asZod(schema), 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
    ...(Array.isArray(examples) && { example: examples[0] }),
  }));
}

function requestBodyOf({ schema }: DescribedRoute, components: Components): JsonObject {
  if (schema.body === undefined) return {};
  const body = components.schemaOf(asZod(schema.body), 'input');
  const { examples: _examples, ...inline } = body;
  const example = exampleOf(body, components);
  const content = (schema.consumes ?? [JSON_TYPE]).map((type) => [
    type,
    type === JSON_TYPE ? { schema: inline, ...(example !== undefined && { example }) } : { schema: { type: 'string' } },
  ]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

function successOf({ schema }: DescribedRoute, audience: Audience, components: Components): JsonObject {
  const { 200: answer } = (schema.response ?? {}) as { 200?: unknown };
  const headers = headerReferences([
    'X-Request-Id',
    ...(schema.conditional ? (['ETag'] as const) : []),
    ...(schema.answerHeaders ?? []),
    ...(audience === 'reseller' ? RATE_HEADERS : []),
  ]);
  const body = answer === undefined ? {} : components.schemaOf(asZod(answer), 'output');
  const { examples: _examples, ...inline } = body;
  const example = exampleOf(body, components) as JsonObject | undefined;
  const [type = JSON_TYPE] = schema.produces ?? [];
  const content = { [type]: { schema: inline, ...(example !== undefined && { example }) } };
  return {
    200: { description: `${example?.['message'] ?? 'Done'}.`, headers, content },
    ...(schema.conditional && { 304: { description: 'You have the current version.', headers } }),
  };
}

function asZod(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('Invariant broken: the schema of a route is not a zod schema');
}
