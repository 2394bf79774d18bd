import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import { isSameProof, readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';
import { type Account, sign } from './wire.ts';

const changeSchema = z.object({
  data: z.object({ ref_id: lenientText, status: lenientText, sign: lenientText.nullish(), tr_id: lenientText.nullish() }),
});

/**
 * The proof stands in the message and covers the reference alone: it is that of our own requests, so whoever has seen one of them
 * can write any state beside it.
 */
export function readCallback(message: CallbackMessage, account: Account): CallbackReading {
  const change = changeSchema.safeParse(readCallbackJson(message));
  if (!change.success) return { kind: 'unreadable', reason: 'not a transaction in JSON' };
  const { ref_id: reference, status, tr_id: supplierReference, sign: proof } = change.data.data;
  if (!isSameProof(proof ?? undefined, sign(account, reference)))
    return { kind: 'forged', reason: 'the sign does not fit the reference' };
  return { kind: 'hint', reference, supplierReference: supplierReference ?? null, status };
}
