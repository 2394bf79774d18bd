import type { LoggedRequest } from '../contract.ts';
import { Paged, type PageParams } from '../core/paged.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';

export interface RequestLogParams extends PageParams {
  /** Only answers with this HTTP status. */
  status?: number | undefined;
  /** `'true'`: only requests answered with 400 or above. */
  errors?: 'true' | 'false' | undefined;
  /** Only requests to exactly this path. */
  path?: string | undefined;
  /** Requests from this time on: a `Date`, or ISO 8601 with an offset. */
  from?: string | Date | undefined;
  /** Requests before this time. */
  to?: string | Date | undefined;
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
