import { z } from 'zod';
import { idField } from '../../lib/answer-fields.ts';
import type { Issue, ProblemCode } from '../problems.ts';

interface ProblemExample {
  /** Where it differs from the meaning of the code. */
  message?: string;
  issues?: Issue[];
  /** The form of `error.details`, with its example. */
  details?: z.ZodType;
}

const minorUnits = z.int().describe('In minor units.');

/** How an error looks beyond its code and meaning: what its message names, its issues and its details. */
export const PROBLEM_EXAMPLES: Partial<Record<ProblemCode, ProblemExample>> = {
  invalid_json: { message: 'The body is not valid JSON. Send one JSON object in UTF-8.' },
  invalid_request: {
    message: 'ref_id: must have 1 to 64 characters of A–Z a–z 0–9 . _ : - (and 1 more)',
    issues: [
      { path: 'ref_id', message: 'must have 1 to 64 characters of A–Z a–z 0–9 . _ : -' },
      { path: 'account_identifier.name', message: 'This field is not known here.' },
    ],
  },
  invalid_signature: {
    details: z
      .object({ string_to_sign: z.string().describe('What the server signed. With test tokens only.') })
      .meta({ id: 'InvalidSignatureDetails', examples: [{ string_to_sign: 'MLBB-85\nINV-1001\n12345678\n2001' }] }),
  },
  insufficient_balance: {
    details: z
      .object({ balance: minorUnits, price: minorUnits.optional() })
      .meta({ id: 'InsufficientBalanceDetails', examples: [{ balance: 12_500, price: 23_600 }] }),
  },
  ip_not_allowed: {
    message: 'This token may not be used from 203.0.113.7. Ask the operator to add the address.',
    details: z
      .object({ address: z.string().describe('The address the request came from.') })
      .meta({ id: 'IpNotAllowedDetails', examples: [{ address: '203.0.113.7' }] }),
  },
  insufficient_scope: { message: 'This request needs a token with the scope "order".' },
  route_not_found: { message: 'There is no path /api/orders.' },
  method_not_allowed: { message: 'This path answers GET, HEAD, POST.' },
  ref_id_conflict: {
    details: z
      .object({
        order_id: idField('TG', '01KJJW838RE3XBQJVHT10C9PTZ').describe('The order that has this `ref_id`.'),
        differs: z.array(z.string()).describe('The fields that are not the same.'),
      })
      .meta({
        id: 'RefIdConflictDetails',
        examples: [{ order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ', differs: ['service_code', 'max_price'] }],
      }),
  },
  events_expired: {
    details: z
      .object({ first_sequence: z.int().describe('The `sequence` of the oldest event that is kept.') })
      .meta({ id: 'EventsExpiredDetails', examples: [{ first_sequence: 8_042 }] }),
  },
  price_changed: {
    details: z
      .object({ price: minorUnits.describe('The price now, in minor units.') })
      .meta({ id: 'PriceChangedDetails', examples: [{ price: 23_600 }] }),
  },
  invalid_account_identifier: {
    issues: [{ path: 'account_identifier.zone', message: 'Zone ID is required.' }],
  },
  service_unavailable: { message: 'This service cannot be ordered at the moment (Maintenance). Nothing was created.' },
  maintenance: { message: 'The service is under maintenance. Try again later.' },
  not_found: { message: 'There is no reseller with this id.' },
  conflict: { message: 'The username "toko-sinar" is taken.' },
};
