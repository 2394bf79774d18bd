import { z } from 'zod';
import { MAX_AMOUNT } from '../lib/money.ts';

/** Control characters (Unicode category Cc) never make sense in a value and would make a signed message ambiguous. */
const HAS_CONTROL_CHARACTER = /\p{Cc}/u;

/** Text of a bounded length without control characters, in whole characters. */
export function text(minLength: number, maxLength: number) {
  return (
    z
      .string()
      .min(minLength, minLength === 1 ? 'must not be empty.' : `must have at least ${minLength} characters.`)
      // A character outside the basic plane counts once, as it does in the database.
      .refine(
        (value) => value.length <= maxLength || [...value].length <= maxLength,
        `must have at most ${maxLength} characters.`,
      )
      .refine((value) => !HAS_CONTROL_CHARACTER.test(value), 'must not contain control characters.')
      .refine((value) => value.isWellFormed(), 'must be well-formed Unicode.')
      .meta({ maxLength })
  );
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

const EARLIEST = new Date('1970-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T00:00:00Z');

/** A point in time: ISO 8601 with an offset, in the years that every part of the service can hold. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601 with an offset, e.g. 2026-03-01T00:00:00+07:00.' })
  .transform((value) => new Date(value))
  .refine((time) => time >= EARLIEST && time < LATEST, 'must be between the years 1970 and 9999.');
