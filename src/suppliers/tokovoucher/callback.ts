import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import { isSameProof, readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';
import { type Account, signReference } from './wire.ts';

const changeSchema = z.object({ ref_id: lenientText, status: z.string(), trx_id: lenientText.nullish() });

/** The transaction, with a proof in `X-TokoVoucher-Authorization` that covers the reference alone. */
export function readCallback(message: CallbackMessage, account: Account): CallbackReading {
  const change = changeSchema.safeParse(readCallbackJson(message));
  if (!change.success) return { kind: 'unreadable', reason: 'not a transaction' };
  const { ref_id: reference, status, trx_id: supplierReference } = change.data;
  const proof = message.headers['x-tokovoucher-authorization'];
  if (!isSameProof(proof, signReference(account, reference)))
    return { kind: 'forged', reason: 'X-TokoVoucher-Authorization does not fit the reference' };
  return { kind: 'hint', reference, supplierReference: supplierReference ?? null, status };
}
