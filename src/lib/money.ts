/**
 * Money is a `bigint` count of the currency's minor unit (for IDR, which has none in use, whole rupiah).
 * Floats never hold money; JSON carries integers that a double represents exactly.
 */
export type Amount = bigint;

/** The largest amount the interface accepts or sends: exact in JSON, and far above any real balance. */
export const MAX_AMOUNT: Amount = 999_999_999_999_999n;

/** The JSON number of an amount; throws when it would not be exact. */
export function toJsonAmount(amount: Amount): number {
  const value = Number(amount);
  if (!Number.isSafeInteger(value)) throw new Error(`Invariant broken: amount ${amount} does not fit a JSON number`);
  return value;
}

/** An amount as a person in Indonesia reads it: `Rp1.250.000`, or with the code of any other currency. */
export function formatAmount(amount: Amount, currency: string): string {
  const digits = new Intl.NumberFormat('id-ID', { maximumFractionDigits: 0 }).format(amount);
  return currency === 'IDR' ? `Rp${digits}` : `${currency} ${digits}`;
}
