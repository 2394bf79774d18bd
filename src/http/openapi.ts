import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';

/** Collects the schemas of all routes into an OpenAPI 3.1 document. Register before the first route. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Topgate',
        version,
        description:
          'Game top-up ordering: list games and their services, look up a player, place signed, prepaid orders, follow them to their end.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: "A reseller's access token, or the admin token on /admin/api." },
        },
      },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
}

/** `GET /openapi.json`. Register after the last route, as it is rendered once. */
export function serveApiDescription(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify as (body: unknown) => string)
      .send(app.swagger()),
  );
}
