import { z } from 'zod';
import type { Amount } from '../lib/money.ts';

/** Suppliers write numbers as numbers on one day and as text on the next: both are read. */
export const lenientText = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const DECIMAL = /^-?\d{1,15}(\.\d{1,20})?$/;
/** Behind the eighth digit stands what binary fractions add: `980500.30000000005`. */
const NOISE = /(?<=\.\d{8})\d+$/;

/** A decimal number, as its text: `19500`, `"19500.00"`, `0.75`. */
export const lenientDecimal = lenientText
  .refine((text) => DECIMAL.test(text), 'is not a number')
  .transform((text) => text.replace(NOISE, ''));

/** What stands beside the state in an answer: left out where it cannot be read, as a strange note must not cost the answer. */
export const asideText = lenientText.nullish().catch(null);
export const asideDecimal = lenientDecimal.nullish().catch(null);

/** Whole units of a decimal amount; a broken unit counts against us: prices are rounded up, balances down. */
export function toAmount(decimal: string, rounding: 'up' | 'down'): Amount {
  return convertAmount(decimal, '1', rounding);
}

/** An amount in another currency, at `rate` units of ours for one of theirs. Exact until it is rounded. */
export function convertAmount(decimal: string, rate: string, rounding: 'up' | 'down'): Amount {
  const amount = toFraction(decimal);
  const factor = toFraction(rate);
  const value = amount.value * factor.value;
  const scale = amount.scale * factor.scale;
  const floor = value >= 0n || value % scale === 0n ? value / scale : value / scale - 1n;
  return rounding === 'up' && value % scale !== 0n ? floor + 1n : floor;
}

function toFraction(decimal: string): { value: bigint; scale: bigint } {
  const [whole = '0', broken = ''] = decimal.split('.');
  return { value: BigInt(`${whole}${broken}`), scale: 10n ** BigInt(broken.length) };
}
