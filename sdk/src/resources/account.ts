import type { Account as AccountData, Transfer, TransferKind } from '../contract.ts';
import { Paged, type PageParams } from '../core/paged.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';

export interface TransactionParams extends PageParams {
  kind?: TransferKind | undefined;
  /** Transfers from this time on: a `Date`, or ISO 8601 with an offset. */
  from?: string | Date | undefined;
  /** Transfers before this time. */
  to?: string | Date | undefined;
}

/** You, your balance and your statement. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Who you are, and the balance of the token's mode. */
  get(options?: RequestOptions): Promise<AccountData> {
    return this.#transport.request({ method: 'GET', path: '/api/account', repeatable: true }, options);
  }

  /** The statement, newest first. */
  transactions(params: TransactionParams = {}, options?: RequestOptions): Paged<Transfer> {
    return new Paged(this.#transport, '/api/account/transactions', { ...params }, options);
  }

  /** Adds to the balance of a test token. Not sent again by itself when no answer comes: each request adds once more. */
  refill(options?: RequestOptions): Promise<Transfer> {
    return this.#transport.request({ method: 'POST', path: '/api/account/refill', repeatable: false }, options);
  }
}
