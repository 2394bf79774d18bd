import type { Nickname, Product, Service } from '../contract.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';

/** The games. */
export class Products {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them. Asked again, they travel only if something has changed. */
  list(options?: RequestOptions): Promise<Product[]> {
    return this.#transport.request({ method: 'GET', path: '/api/product', repeatable: true, cached: true }, options);
  }
}

/** What can be ordered, with your prices. */
export class Services {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All, or those of one product. Asked again, they travel only if something has changed. */
  list(params: { product_code?: string | undefined } = {}, options?: RequestOptions): Promise<Service[]> {
    const call = { method: 'GET', path: '/api/service', query: { ...params }, repeatable: true, cached: true } as const;
    return this.#transport.request(call, options);
  }
}

export interface PlayerParams {
  product_code: string;
  user_id: string;
  /** Left out for a game without zones. */
  zone?: string | undefined;
}

/** The players' names. */
export class Nicknames {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The name of a player in the game. An order looks it up by itself. */
  lookup({ product_code, ...query }: PlayerParams, options?: RequestOptions): Promise<Nickname> {
    const path = `/api/nickname/${encodeURIComponent(product_code)}`;
    return this.#transport.request({ method: 'GET', path, query, repeatable: true }, options);
  }
}
