const MAX_KEPT = 100;

/** Remembers answers that had an `ETag`, so that "nothing has changed" needs no second copy over the network. */
export class EtagCache {
  readonly #kept = new Map<string, { etag: string; text: string }>();

  tagOf(url: string): string | null {
    return this.#kept.get(url)?.etag ?? null;
  }

  /** The answer in full: a 304 becomes the answer it stands for. */
  resolve(url: string, response: Response, text: string): { status: number; text: string } {
    const known = this.#kept.get(url);
    if (response.status === 304 && known) return { status: 200, text: known.text };
    const etag = response.headers.get('etag');
    if (response.status === 200 && etag !== null) this.#keep(url, { etag, text });
    return { status: response.status, text };
  }

  /** The one that was stored first makes room. */
  #keep(url: string, answer: { etag: string; text: string }): void {
    this.#kept.delete(url);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(url, answer);
  }
}
