import { newId } from '../lib/ids.ts';
import { storableText } from '../lib/storable-text.ts';
import type { CallKind, Exchange, ObservedCall } from '../suppliers/index.ts';

/** One request to a supplier and its answer, as kept for operators. Its secrets were masked where it was traced. */
export interface KeptExchange extends Exchange {
  id: string;
  supplierCode: string;
  /** Our reference of the purchase that it was about; null for calls about none. */
  reference: string | null;
  call: CallKind;
  outcome: string;
  detail: string | null;
  at: Date;
}

const MAX_DETAIL_CHARACTERS = 1_024;
/** What a call that is about no purchase ends with when all went well. */
const WENT_WELL = new Set(['known', 'found', 'not_found']);

/**
 * What is kept of a call: all of a purchase. Of other calls only the last request of a failed one: price lists and lookups that
 * went well tell an operator nothing and would be most of what there is.
 */
export function exchangesToKeep(call: ObservedCall): KeptExchange[] {
  const isPurchase = call.call === 'place' || call.call === 'check';
  if (!isPurchase && WENT_WELL.has(call.outcome)) return [];
  return (isPurchase ? call.exchanges : call.exchanges.slice(-1)).map((exchange) => ({
    method: exchange.method,
    url: storableText(exchange.url),
    requestBody: storableOrNull(exchange.requestBody),
    status: exchange.status,
    responseBody: storableOrNull(exchange.responseBody),
    error: storableOrNull(exchange.error),
    durationMs: exchange.durationMs,
    id: newId(call.at),
    supplierCode: call.supplierCode,
    reference: call.reference,
    call: call.call,
    outcome: call.outcome,
    detail: storableOrNull(call.detail?.slice(0, MAX_DETAIL_CHARACTERS) ?? null),
    at: call.at,
  }));
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storableText(text);
}
