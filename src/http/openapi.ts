import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { failureSchema } from './envelope.ts';
import { Components, type JsonObject } from './openapi/components.ts';
import { headerComponents } from './openapi/headers.ts';
import { type DescribedRoute, describeOperation, templateOf } from './openapi/operation.ts';
import { INTRODUCTION, TAGS } from './openapi/overview.ts';
import { ProblemResponses } from './openapi/problem-responses.ts';
import { type DescribedEvent, describeWebhooks, WEBHOOK_PARAMETERS } from './openapi/webhooks.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI 3.1 document of all routes. Call after the last one is registered. */
    apiDescription(): JsonObject;
  }
}

export interface ApiDescriptionOptions {
  version: string;
  /** What webhooks tell, for the part of the description that is not a route. */
  events: readonly DescribedEvent[];
}

const OPENAPI = '3.1.1';

/** Collects the routes with their schemas. Register before the first route. */
export function describeApi(app: FastifyInstance, options: ApiDescriptionOptions): void {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ url, method, schema }) => {
    if (schema === undefined) throw new Error(`Invariant broken: the route ${url} is neither described nor hidden`);
    if (schema.hide || method === 'HEAD') return;
    for (const one of [method].flat()) routes.push({ method: one, url, schema });
  });
  let document: JsonObject | null = null;
  app.decorate('apiDescription', () => {
    document ??= writeDocument(routes, options);
    return document;
  });
}

/** `GET /openapi.json`. */
export function serveApiDescription(app: FastifyInstance): void {
  app.get(
    '/openapi.json',
    {
      schema: {
        tags: ['Operation'],
        operationId: 'getApiDescription',
        summary: 'This description',
        description: 'OpenAPI 3.1, made from the routes of the running service.',
        security: [],
        response: { 200: z.looseObject({ openapi: z.string() }).meta({ examples: [{ openapi: OPENAPI }] }) },
      },
    },
    async (_request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify as (body: unknown) => string)
        .send(app.apiDescription()),
  );
}

function writeDocument(routes: readonly DescribedRoute[], { version, events }: ApiDescriptionOptions): JsonObject {
  const components = new Components();
  const problems = new ProblemResponses(components);
  components.schemaOf(failureSchema, 'output');
  const operations = routes
    .map((route) => ({ route, operation: describeOperation(route, components, problems) }))
    .toSorted((a, b) => placeOf(a.route) - placeOf(b.route));
  const paths: Record<string, JsonObject> = {};
  for (const { route, operation } of operations) {
    const path = templateOf(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const webhooks = describeWebhooks(events, components);
  return {
    openapi: OPENAPI,
    info: { title: 'Topgate', version, description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This installation' }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      securitySchemes: {
        reseller: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The access token of a reseller, `tg_live_…` or `tg_test_…`. Reading needs the scope `read`; ordering, and changing webhooks, the scope `order`.',
        },
        admin: { type: 'http', scheme: 'bearer', description: "The installation's admin token." },
      },
      schemas: components.schemas(),
      responses: problems.responses(),
      examples: problems.examples(),
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'The `ETag` of the version you have; `304` means it is still current.',
          schema: { type: 'string' },
          example: '"m1Xh0wDq6c0VJrVqfYb0b3YpL2s"',
        },
        ...WEBHOOK_PARAMETERS,
      },
      headers: headerComponents(),
    },
  };
}

/** Routes are shown in the order of their tags, within one as they were registered. */
function placeOf({ url, schema }: DescribedRoute): number {
  const [tag] = schema.tags ?? [];
  const place = TAGS.findIndex(({ name }) => name === tag);
  if (place < 0) throw new Error(`Invariant broken: the tag of ${url} is not described`);
  return place;
}
