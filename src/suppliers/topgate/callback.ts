import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { lenientText } from '../lenient.ts';
import { isSameProof, readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';

/** How far their clock may be away from ours; what is older could be somebody's recording. */
const TOLERANCE_MS = 5 * MINUTE_MS;
/** Two at most are ever sent; the limit bounds what a stranger can make us compute. */
const MAX_SIGNATURES = 10;

const eventSchema = z.object({ type: z.string(), data: z.unknown() });
const orderSchema = z.object({ ref_id: lenientText, order_id: lenientText, status: lenientText });

/**
 * A webhook after Standard Webhooks 1.0. Without the endpoint's secret only the secret part of our address tells theirs from
 * others; they are hints either way.
 */
export function readCallback(message: CallbackMessage, secret: string | undefined, clock: Clock): CallbackReading {
  const fault = secret === undefined ? null : findFault(message, secret, clock);
  if (fault !== null) return { kind: 'forged', reason: fault };
  const event = eventSchema.safeParse(readCallbackJson(message));
  if (!event.success) return { kind: 'unreadable', reason: 'not an event' };
  // Tests of the address, and news about balance and prices, are about no purchase.
  if (!event.data.type.startsWith('order.')) return { kind: 'ping' };
  const order = orderSchema.safeParse(event.data.data);
  if (!order.success) return { kind: 'unreadable', reason: 'an event of an order without the order' };
  const { ref_id: reference, order_id: supplierReference, status } = order.data;
  return { kind: 'hint', reference, supplierReference, status };
}

/** Why a message is not proved to be theirs; null when it is. */
function findFault({ headers, rawBody }: CallbackMessage, secret: string, clock: Clock): string | null {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  const ageMs = clock.now().getTime() - Number(timestamp) * SECOND_MS;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageMs) >= TOLERANCE_MS + SECOND_MS) return 'webhook-timestamp is not of now';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
  const signatures = (headers['webhook-signature'] ?? '').split(' ').slice(0, MAX_SIGNATURES);
  const isSigned = signatures.some((entry) => isSameProof(entry, `v1,${expected}`));
  return isSigned ? null : 'webhook-signature does not fit the body';
}
