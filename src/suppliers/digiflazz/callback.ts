import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';

const changeSchema = z.object({ data: z.object({ ref_id: lenientText, status: lenientText }) });
const pingSchema = z.object({ hook_id: z.unknown(), sed: z.unknown() });

/**
 * Digiflazz signs the raw body with HMAC-SHA1 in `X-Hub-Signature: sha1=…`, if a secret is set there. Without one, only the
 * secret part of our address tells its messages from others; they are hints either way.
 */
export function readCallback(message: CallbackMessage, webhookSecret: string | undefined): CallbackReading {
  if (webhookSecret !== undefined && !isSigned(message, webhookSecret))
    return { kind: 'forged', reason: 'X-Hub-Signature does not fit the body' };
  const body = parse(message.rawBody);
  const change = changeSchema.safeParse(body);
  if (change.success) {
    const { ref_id: reference, status } = change.data.data;
    return { kind: 'hint', reference, supplierReference: null, status };
  }
  return pingSchema.safeParse(body).success ? { kind: 'ping' } : { kind: 'unreadable', reason: 'not a transaction' };
}

function isSigned({ headers, rawBody }: CallbackMessage, secret: string): boolean {
  const expected = Buffer.from(`sha1=${createHmac('sha1', secret).update(rawBody).digest('hex')}`);
  const given = Buffer.from(headers['x-hub-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parse(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return null;
  }
}
