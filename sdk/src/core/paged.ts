import type { Call, Query, RequestOptions, Transport } from './transport.ts';

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  /** Pass as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  has_more: boolean;
}

export interface PageParams {
  /** Items per page, at most 200. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/**
 * A list that is fetched page by page, as far as it is read: `for await` goes over all items, `pages()` over all pages,
 * `page()` gets one. Nothing is sent before one of them is used.
 */
export class Paged<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<Item>>;
  readonly #cursor: string | undefined;

  constructor(transport: Transport, path: string, params: Query & PageParams, options: RequestOptions | undefined) {
    this.#cursor = params.cursor;
    this.#fetch = async (cursor) => {
      const call: Call = { method: 'GET', path, query: { ...params, cursor }, repeatable: true };
      const { data, pagination } = await transport.requestPage<Item[]>(call, options);
      return { data, next_cursor: pagination?.next_cursor ?? null, has_more: pagination?.has_more ?? false };
    };
  }

  /** The page at `cursor`, or the first one. */
  page(): Promise<Page<Item>> {
    return this.#fetch(this.#cursor);
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.page();
    yield page;
    while (page.next_cursor !== null) {
      page = await this.#fetch(page.next_cursor);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}
