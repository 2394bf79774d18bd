import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CatalogCache } from '../catalog/index.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { checkIdentifier } from './identifier.ts';
import type { NicknameLookup } from './lookup.ts';

const nicknameViewSchema = z
  .object({ product_code: z.string(), user_id: z.string(), zone: z.string(), nickname: z.string() })
  .meta({
    id: 'Nickname',
    examples: [{ product_code: 'MLBB', user_id: '12345678', zone: '2001', nickname: 'Kesatria' }],
  });

const RETRY_SECONDS = 5;

export function playerRoutes(deps: { catalog: CatalogCache; nicknames: NicknameLookup; gates: Gates }) {
  return async (fastify: FastifyInstance): Promise<void> => {
    typed(fastify).get(
      '/api/nickname/:product_code',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: ['Catalogue'],
          operationId: 'getNickname',
          summary: "Look up a player's nickname",
          params: z.strictObject({ product_code: z.string().meta({ description: 'The game.', examples: ['MLBB'] }) }),
          querystring: z.strictObject({
            user_id: text(1, 64).meta({ description: "The player's id in the game.", examples: ['12345678'] }),
            zone: text(0, 32)
              .default('')
              .meta({ description: "The player's zone; empty for a game without zones.", examples: ['2001'] }),
          }),
          response: { 200: successSchema(nicknameViewSchema, 'Nickname retrieved successfully') },
          problems: [
            'product_not_found',
            'player_not_found',
            'invalid_account_identifier',
            'lookup_not_supported',
            'lookup_unavailable',
          ],
        },
      },
      async (request) => {
        const catalog = deps.catalog.current();
        const product = catalog.products.get(request.params.product_code);
        if (!product) throw new Problem('product_not_found');
        const { user_id, zone } = request.query;
        const player = { userId: user_id, zone };
        const issues = checkIdentifier(product, player);
        if (issues.length > 0) throw new Problem('invalid_account_identifier', undefined, { issues });
        const outcome = await deps.nicknames.find(callerOf(request).mode, product, player, catalog);
        switch (outcome.kind) {
          case 'found':
            return success('Nickname retrieved successfully', {
              product_code: product.code,
              user_id,
              zone,
              nickname: outcome.nickname,
            });
          case 'not_found':
            throw new Problem('player_not_found');
          case 'not_supported':
            throw new Problem('lookup_not_supported');
          case 'unavailable':
            throw new Problem('lookup_unavailable', undefined, { retryAfterSeconds: RETRY_SECONDS });
          default:
            return unreachable(outcome);
        }
      },
    );
  };
}
