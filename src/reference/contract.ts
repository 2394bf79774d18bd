import { z } from 'zod';
import { SIGNATURE_VECTORS } from '../resellers/index.ts';
import { statusCodes } from './lists.ts';

export const gameViewSchema = z
  .object({
    product_code: z.string(),
    product_name: z.string(),
    category: z.string(),
    account_identifier: z.string().describe('What the player has to enter, in words.'),
  })
  .meta({
    id: 'Game',
    examples: [
      {
        product_code: 'MLBB',
        product_name: 'Mobile Legends: Bang Bang (Indonesia)',
        category: 'MOBA',
        account_identifier: 'User ID, digits; shown under avatar in profile',
      },
    ],
  });

const stateSchema = z.object({ status: z.string(), meaning: z.string() });

export const statusCodesSchema = z
  .object({
    order: z.array(stateSchema),
    product: z.array(stateSchema),
    service: z.array(stateSchema),
    error: z.array(
      z.object({
        code: z.string(),
        status: z.int().describe('The HTTP status.'),
        retryable: z.boolean().describe('May the same request succeed later without being changed?'),
        meaning: z.string(),
      }),
    ),
    failure: z
      .array(z.object({ code: z.string(), meaning: z.string(), fixable_by_player: z.boolean() }))
      .describe('Why orders fail: `failure.code` of an order.'),
    event: z.array(z.object({ type: z.string(), meaning: z.string() })),
  })
  .meta({ id: 'StatusCodes', examples: [firstOfEach(statusCodes())] });

export const signatureGuide = {
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
  vectors: [...SIGNATURE_VECTORS],
};

export const signatureGuideSchema = z
  .object({
    algorithm: z.string(),
    encoding: z.string(),
    key: z.string(),
    message: z.string(),
    values: z.array(z.string()),
    vectors: z.array(
      z.object({
        secret: z.string(),
        order: z.object({
          service_code: z.string(),
          ref_id: z.string(),
          user_id: z.string(),
          zone: z.string(),
          max_price: z.int().optional(),
        }),
        string_to_sign: z.string(),
        signature: z.string(),
      }),
    ),
  })
  .meta({ id: 'SignatureGuide', examples: [signatureGuide] });

const [VECTOR] = SIGNATURE_VECTORS;

export const signatureCheckSchema = z
  .object({
    string_to_sign: z.string().describe('What the server signs for this order.'),
    expected: z.string().describe('The signature it expects.'),
    received: z.string().describe('The signature you sent.'),
    matches: z.boolean(),
  })
  .meta({
    id: 'SignatureCheck',
    examples: [{ string_to_sign: VECTOR.string_to_sign, expected: VECTOR.signature, received: VECTOR.signature, matches: true }],
  });

function firstOfEach(lists: Record<string, unknown[]>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(0, 1)]));
}
