import type { LoggedRequest } from '../contract.ts';
import { Paged, type PageParams } from '../core/paged.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';

export interface RequestLogParams extends PageParams {
  /** Only answers with this HTTP status. */
  status?: number | undefined;
  path?: string | undefined;
}

/** Your own requests as the service remembers them, for finding out what went wrong. */
export class RequestLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list(params: RequestLogParams = {}, options?: RequestOptions): Paged<LoggedRequest> {
    return new Paged(this.#transport, '/api/request-log', { ...params }, options);
  }
}
