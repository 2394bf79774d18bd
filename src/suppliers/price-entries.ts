import { z } from 'zod';
import { lenientText } from './lenient.ts';
import type { ListedItem, UnreadItem } from './supplier.ts';

/**
 * Reads the entries of a price list one by one, so that an odd one costs nothing but itself. `nameOf` is the field with the item's
 * name there, by which operators find the entry.
 */
export function readEntries<Entry>(
  entries: readonly unknown[],
  schema: z.ZodType<Entry>,
  nameField: string,
  toListed: (entry: Entry) => ListedItem[],
): ListedItem[] {
  return entries.flatMap((raw) => {
    const read = schema.safeParse(raw);
    return read.success ? toListed(read.data) : [unread(nameOf(raw, nameField), whyNot(read.error))];
  });
}

export function unread(sku: string | null, what: string): UnreadItem {
  return { sku, unread: what };
}

/** A field of an entry that counts as not told where it cannot be read. `odd` is then what stood there. */
export function asideField<Value>(schema: z.ZodType<Value>) {
  return z
    .unknown()
    .optional()
    .transform((raw): { value: Value | undefined; odd: string | null } => {
      if (raw === undefined || raw === null || raw === '') return { value: undefined, odd: null };
      const read = schema.safeParse(raw);
      return read.success ? { value: read.data, odd: null } : { value: undefined, odd: JSON.stringify(raw) };
    });
}

/** Suppliers write yes and no as such, as numbers, and as text. */
export const lenientBoolean = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0']), z.literal([0, 1])])
  .transform((value) => value === true || value === 'true' || value === '1' || value === 1);

function nameOf(raw: unknown, field: string): string | null {
  const read = z.object({ [field]: lenientText }).safeParse(raw);
  return read.success ? (read.data[field] ?? null) : null;
}

function whyNot({ issues }: z.ZodError): string {
  const [first] = issues;
  return `${first?.path.join('.') || 'the entry'} cannot be read`;
}
