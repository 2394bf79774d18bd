import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import { readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';

const changeSchema = z.object({ status: lenientText, order_id: lenientText.refine((id) => /^\d+$/.test(id), 'is no order id') });

/** Unsigned and without our reference: it says no more than which of their orders to ask about. */
export function readCallback(message: CallbackMessage): CallbackReading {
  const change = changeSchema.safeParse(readCallbackJson(message));
  if (!change.success) return { kind: 'unreadable', reason: 'not a change of an order' };
  return { kind: 'hint', reference: null, supplierReference: change.data.order_id, status: change.data.status };
}
