import { z } from 'zod';

const MAX_FIELDS = 3;

/** What went wrong in a call, as one line for operators. */
export function nameFailure(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  const fields = error.issues.slice(0, MAX_FIELDS).map(({ path, message }) => {
    const where = path.map(String).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  const others = error.issues.length > MAX_FIELDS ? ` (and ${error.issues.length - MAX_FIELDS} more)` : '';
  return `The answer cannot be read: ${fields.join('; ')}${others}`;
}
