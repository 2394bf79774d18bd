import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CatalogCache } from '../catalog/index.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { orderRequestSchema, toPlaceOrderRequest } from '../orders/index.ts';
import { SIGNATURE_VECTORS, sign, stringToSign, verifySignature } from '../resellers/index.ts';
import { statusCodes } from './lists.ts';

const TAGS = ['Reference'];

const signatureGuide = {
  algorithm: 'HMAC-SHA256',
  encoding: 'lower-case hex (upper case is accepted)',
  key: 'the signing secret of the token, as UTF-8 bytes',
  message: 'these values joined by one line feed (\\n), without a line feed at the end',
  values: [
    'service_code',
    'ref_id',
    'account_identifier.user_id',
    'account_identifier.zone',
    'max_price (only if the request has it, in decimal)',
  ],
  vectors: SIGNATURE_VECTORS,
};

/** The public reference lists, and the signature check for test tokens. */
export function referenceRoutes(deps: { catalog: CatalogCache; gates: Gates }) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    const open = { tags: TAGS, security: [] };

    app.get(
      '/api/reference/game',
      {
        schema: {
          ...open,
          summary: 'The games on the platform',
          response: {
            200: successSchema(
              z.array(
                z.object({
                  product_code: z.string(),
                  product_name: z.string(),
                  category: z.string(),
                  account_identifier: z.string(),
                }),
              ),
            ),
          },
        },
      },
      async () => {
        const products = [...deps.catalog.current().products.values()];
        return success(
          'Games retrieved successfully',
          products.map(({ code, name, category, accountDescription }) => ({
            product_code: code,
            product_name: name,
            category,
            account_identifier: accountDescription,
          })),
        );
      },
    );

    app.get('/api/reference/status-code', { schema: { ...open, summary: 'Every state, error code and event type' } }, async () =>
      success('Status codes retrieved successfully', statusCodes()),
    );

    app.get('/api/reference/signature', { schema: { ...open, summary: 'How to sign, with test vectors' } }, async () =>
      success('Signature guide retrieved successfully', signatureGuide),
    );

    app.post(
      '/api/reference/signature',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: TAGS,
          summary: 'Check a signature (test tokens only)',
          description: 'Takes the body of an order, creates nothing, and shows what the server would have signed.',
          body: orderRequestSchema,
          response: {
            200: successSchema(
              z.object({ string_to_sign: z.string(), expected: z.string(), received: z.string(), matches: z.boolean() }),
            ),
          },
        },
      },
      async (request) => {
        const { mode, signingSecret } = callerOf(request);
        if (mode !== 'test')
          throw new Problem(
            'insufficient_scope',
            'Signatures can be checked with test tokens only: a live one must not be able to have anything signed.',
          );
        const order = toPlaceOrderRequest(request.body);
        const received = request.body.signature;
        return success('Signature checked', {
          string_to_sign: stringToSign(order),
          expected: sign(order, signingSecret),
          received,
          matches: verifySignature(order, signingSecret, received),
        });
      },
    );
  };
}
