import { MAX_AMOUNT } from '../lib/money.ts';
import { storableText } from '../lib/storable-text.ts';

/** Far more than any serial number or sentence has; an answer is bounded by the network alone. */
const MAX_CHARACTERS = 8_192;

/**
 * What a call brought, as it can be kept: no NUL and no half characters in its texts, and no charge that is no amount. Otherwise
 * an order whose supplier answers such a thing could never be settled, nor even be put before an operator.
 */
export function toStorable<Outcome>(outcome: Outcome): Outcome {
  return clean(outcome) as Outcome;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value, MAX_CHARACTERS);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([name, part]) => name !== 'charged' || isCharge(part));
  return Object.fromEntries(entries.map(([name, part]) => [name, clean(part)]));
}

function isCharge(value: unknown): boolean {
  return typeof value === 'bigint' && value >= 0n && value <= MAX_AMOUNT;
}
