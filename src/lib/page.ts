/** One page of a list, newest first, and where the next one starts. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Cuts a list that was read with `limit + 1` rows into a page; `keyOf` gives the key the next page continues after. */
export function toPage<T>(rows: T[], limit: number, keyOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? encodeCursor(keyOf(last)) : null };
}

/** Cursors are opaque on purpose: clients that cannot read them cannot come to depend on what is inside. */
export function encodeCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

export function mapPage<T, U>(page: Page<T>, view: (item: T) => U): Page<U> {
  return { items: page.items.map(view), nextCursor: page.nextCursor };
}
