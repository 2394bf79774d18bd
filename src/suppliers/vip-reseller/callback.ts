import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import { isSameProof, readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';
import { type Account, sign } from './wire.ts';

const changeSchema = z.object({ trxid: lenientText, status: lenientText });

/**
 * Names the order as VIP Reseller does, as it knows no name of ours. The proof in `X-Client-Signature` is always the same:
 * whoever has seen it once can send anything.
 */
export function readCallback(message: CallbackMessage, account: Account): CallbackReading {
  const change = changeSchema.safeParse(readBody(message));
  if (!change.success) return { kind: 'unreadable', reason: 'not an order' };
  if (!isSameProof(message.headers['x-client-signature'], sign(account)))
    return { kind: 'forged', reason: 'X-Client-Signature is not that of the account' };
  const { trxid: supplierReference, status } = change.data;
  return { kind: 'hint', reference: null, supplierReference, status };
}

/** Documented as JSON; receivers have seen forms as well. */
function readBody(message: CallbackMessage): unknown {
  const wrapped = z.object({ data: z.unknown() }).safeParse(readCallbackJson(message));
  if (wrapped.success) return wrapped.data.data;
  const form = new URLSearchParams(message.rawBody.toString('utf8'));
  const field = (name: string) => form.get(`data[${name}]`) ?? form.get(name) ?? undefined;
  return { trxid: field('trxid'), status: field('status') };
}
