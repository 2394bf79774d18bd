import { z } from 'zod';
import { MAX_AMOUNT } from '../lib/money.ts';

/** Control characters (Unicode category Cc) never make sense in a value and would make a signed message ambiguous. */
const HAS_CONTROL_CHARACTER = /\p{Cc}/u;

/** Text of a bounded length without control characters, in whole characters. */
export function text(minLength: number, maxLength: number) {
  return z
    .string()
    .min(minLength, minLength === 1 ? 'must not be empty.' : `must have at least ${minLength} characters.`)
    .max(maxLength, `must have at most ${maxLength} characters.`)
    .refine((value) => !HAS_CONTROL_CHARACTER.test(value), 'must not contain control characters.')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode.');
}

/** An amount of money in minor units, from zero up. */
export const amount = z.int().min(0).max(Number(MAX_AMOUNT));

/** `live` or `test`. */
export const modeField = z.enum(['live', 'test']).describe('`test` never touches live money or a real supplier.');

/** The client's reference of an order. */
export const refId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must have 1 to 64 characters of A–Z a–z 0–9 . _ : -')
  .describe('Your reference of the order: unique for ever, per reseller and mode.');

export const username = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{1,63}$/, 'must have 2 to 64 characters of a–z 0–9 . _ - and begin with a letter or digit.');
