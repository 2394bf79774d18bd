import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CatalogCache } from '../catalog/index.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { orderRequestSchema, toPlaceOrderRequest } from '../orders/index.ts';
import { sign, stringToSign, verifySignature } from '../resellers/index.ts';
import { gameViewSchema, signatureCheckSchema, signatureGuide, signatureGuideSchema, statusCodesSchema } from './contract.ts';
import { statusCodes } from './lists.ts';

const TAGS = ['Reference'];

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
          operationId: 'listGames',
          summary: 'The games on the platform',
          response: { 200: successSchema(z.array(gameViewSchema), 'Games retrieved successfully') },
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

    app.get(
      '/api/reference/status-code',
      {
        schema: {
          ...open,
          operationId: 'listStatusCodes',
          summary: 'Every state, error code and event type',
          response: { 200: successSchema(statusCodesSchema, 'Status codes retrieved successfully') },
        },
      },
      async () => success('Status codes retrieved successfully', statusCodes()),
    );

    app.get(
      '/api/reference/signature',
      {
        schema: {
          ...open,
          operationId: 'getSignatureGuide',
          summary: 'How to sign, with test vectors',
          response: { 200: successSchema(signatureGuideSchema, 'Signature guide retrieved successfully') },
        },
      },
      async () => success('Signature guide retrieved successfully', signatureGuide),
    );

    app.post(
      '/api/reference/signature',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: TAGS,
          operationId: 'checkSignature',
          summary: 'Check a signature (test tokens only)',
          description: 'Takes the body of an order, creates nothing, and shows what the server would have signed.',
          body: orderRequestSchema,
          response: { 200: successSchema(signatureCheckSchema, 'Signature checked') },
        },
      },
      async (request) => {
        const { mode, signingKey } = callerOf(request);
        if (mode !== 'test')
          throw new Problem(
            'insufficient_scope',
            'Signatures can be checked with test tokens only: a live one must not be able to have anything signed.',
          );
        const order = toPlaceOrderRequest(request.body);
        const received = request.body.signature;
        return success('Signature checked', {
          string_to_sign: stringToSign(order),
          expected: sign(order, signingKey),
          received,
          matches: verifySignature(order, signingKey, received),
        });
      },
    );
  };
}
