import { z } from 'zod';
import { lenientText } from '../lenient.ts';
import { readCallbackJson } from '../proof.ts';
import type { CallbackMessage, CallbackReading } from '../supplier.ts';

const changeSchema = z.object({ invoiceNumber: lenientText, referenceNumber: lenientText, statusCode: lenientText });

/** The reference that BangJeff keeps for tests. */
const TEST_REFERENCE = 'TESTINGREF-1452';

/**
 * Not signed, so it only says which order to ask about. When the address is saved, BangJeff sends a test in a form that no document
 * has, and refuses an address that does not take it: whatever is no order, but an object or nothing at all, counts as that test.
 */
export function readCallback(message: CallbackMessage): CallbackReading {
  const body = readCallbackJson(message);
  const change = changeSchema.safeParse(body);
  if (change.success) {
    const { referenceNumber: reference, invoiceNumber: supplierReference, statusCode: status } = change.data;
    return reference === TEST_REFERENCE ? { kind: 'ping' } : { kind: 'hint', reference, supplierReference, status };
  }
  const isTest = message.rawBody.length === 0 || z.record(z.string(), z.unknown()).safeParse(body).success;
  return isTest ? { kind: 'ping' } : { kind: 'unreadable', reason: 'not an order' };
}
