import { isDeepStrictEqual } from 'node:util';
import { toJsonAmount } from '../lib/money.ts';

type Fields = Record<string, unknown>;

/** What a change made of something, for the audit log: the fields that are others than before, in both forms. */
export function describeChange(before: Fields, after: Fields): { before: Fields; after: Fields } {
  const keys = Object.keys({ ...before, ...after }).filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const pick = (fields: Fields) => describe(Object.fromEntries(keys.map((key) => [key, fields[key] ?? null])));
  return { before: pick(before), after: pick(after) };
}

/** Something new, for the audit log: all of its fields. */
export function describe(fields: Fields): Fields {
  return Object.fromEntries(
    // When it was written is told by the entry itself.
    Object.entries(fields).flatMap(([key, value]) => (value instanceof Date ? [] : [[toSnakeCase(key), toJson(value)] as const])),
  );
}

function toJson(value: unknown): unknown {
  return typeof value === 'bigint' ? toJsonAmount(value) : value;
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
