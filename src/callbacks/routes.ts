import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import type { CallbackDesk } from './receive-callback.ts';

const MAX_BODY_BYTES = 64 * 1024;

const paramsSchema = z.object({
  supplier: z
    .string()
    .describe('The code of the supplier.')
    .meta({ examples: ['main'] }),
  key: z
    .string()
    .describe('The part of the address that only the supplier knows.')
    .meta({ examples: ['7Jb2kR9xQm4T'] }),
});

const answerSchema = z.looseObject({}).meta({ examples: [{ status: true }] });

const DESCRIPTION =
  'Not for your programs: the address that `callback_url` of a supplier names. Any body is taken as it is, up to 64 KiB. A message that is the supplier’s, as far as that can be verified, is stored, answered as this kind of supplier wants it, and has the supplier asked: nothing is settled by it.';

/** Where suppliers report to, without a token: the address is the secret, and each kind has its own way to prove itself beside. */
export function callbackRoutes({ callbackDesk }: { callbackDesk: CallbackDesk }) {
  return async (fastify: FastifyInstance): Promise<void> => {
    // Signatures cover bytes, and suppliers declare any type or none: here, and only here, a body is what came.
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );

    for (const [method, operationId] of [
      ['POST', 'receiveSupplierCallback'],
      ['GET', 'receiveSupplierCallbackByQuery'],
    ] as const) {
      fastify.route({
        method,
        url: '/callback/:supplier/:key',
        bodyLimit: MAX_BODY_BYTES,
        exposeHeadRoute: false,
        schema: {
          tags: ['Suppliers'],
          security: [],
          operationId,
          summary: 'Where suppliers report to',
          description: DESCRIPTION,
          params: paramsSchema,
          response: { 200: answerSchema },
          problems: ['invalid_request', 'invalid_signature', 'ip_not_allowed', 'rate_limited'],
        },
        handler: (request, reply) => receive(callbackDesk, request, reply),
      });
    }
  };
}

async function receive(desk: CallbackDesk, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { supplier, key } = request.params as z.infer<typeof paramsSchema>;
  const receipt = await desk.receive({
    supplierCode: supplier,
    key,
    method: request.method,
    headers: firstOfEach(request.headers),
    query: firstOfEach(request.query as Record<string, string | string[]>),
    rawQuery: request.url.split('?').slice(1).join('?'),
    rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    remoteAddress: request.ip,
  });
  switch (receipt.kind) {
    case 'taken':
      return reply.type(typeOf(receipt.answer)).serializer(String).send(receipt.answer);
    case 'no_address':
      throw new Problem('route_not_found');
    case 'refused_address':
      throw new Problem('ip_not_allowed', `Messages of this supplier are not taken from ${request.ip}.`);
    case 'flood':
      throw new Problem('rate_limited', undefined, { retryAfterSeconds: 1 });
    case 'forged':
      throw new Problem('invalid_signature', 'The message is not authentic.');
    case 'unreadable':
      throw new Problem('invalid_request', 'The message could not be read.');
    default:
      return unreachable(receipt);
  }
}

function firstOfEach(values: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );
}

function typeOf(answer: string): string {
  return answer.startsWith('{') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
}
