import type { Order, OrderStatus } from '../contract.ts';
import { Paged, type PageParams } from '../core/paged.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';
import { type ErrorCode, type TopgateError, TopgateOutcomeUnknownError } from '../errors.ts';
import { type OrderParams, signOrder, toSignedOrder } from '../signature.ts';

/** An order, by your reference or our id. */
export type OrderReference = { ref_id: string } | { order_id: string };

export interface OrderListParams extends PageParams {
  status?: OrderStatus | undefined;
  product_code?: string | undefined;
  /** Orders from this time on: a `Date`, or ISO 8601 with an offset. */
  from?: string | Date | undefined;
  /** Orders before this time. */
  to?: string | Date | undefined;
}

/**
 * Answers that come after the service has looked for the `ref_id`: they say that no such order exists. Any other refusal was
 * made before that look, and tells nothing about an earlier try.
 */
const ANSWERS_AFTER_LOOK: ReadonlySet<string> = new Set<ErrorCode>([
  'ref_id_conflict',
  'service_not_found',
  'service_unavailable',
  'invalid_account_identifier',
  'player_not_found',
  'price_changed',
  'insufficient_balance',
]);

/** Top-ups of players. */
export class Orders {
  readonly #transport: Transport;
  readonly #signingSecret: string | null;

  constructor(transport: Transport, signingSecret: string | null) {
    this.#transport = transport;
    this.#signingSecret = signingSecret;
  }

  /**
   * Signs and places an order. It is sent again when no answer comes, because one `ref_id` never buys twice; the answer is then
   * the order as it is by that time. When it stays open whether the order exists, a `TopgateOutcomeUnknownError` says so.
   */
  async create(params: OrderParams, options: RequestOptions = {}): Promise<Order> {
    const body = toSignedOrder(params, await this.#sign(params));
    const call = { method: 'POST', path: '/api/order', body, repeatable: true } as const;
    const result = await this.#transport.send<Order>(call, options);
    if (result.ok) return result.answer.data;
    const { error, doubt } = result;
    if (doubt === null || ANSWERS_AFTER_LOOK.has(error.code)) throw error;
    throw outcomeUnknown(params.ref_id, error, doubt);
  }

  /** One order as it is now. An order that was created is found at once. */
  status(reference: OrderReference, options?: RequestOptions): Promise<Order> {
    const call = { method: 'GET', path: '/api/order/status', query: { ...reference }, repeatable: true } as const;
    return this.#transport.request(call, options);
  }

  /** Your orders, newest first. */
  list(params: OrderListParams = {}, options?: RequestOptions): Paged<Order> {
    return new Paged(this.#transport, '/api/order', { ...params }, options);
  }

  #sign(params: OrderParams): Promise<string> {
    if (this.#signingSecret === null) throw new TypeError('Orders are signed: give signingSecret to new Topgate({ … }).');
    return signOrder(params, this.#signingSecret);
  }
}

function outcomeUnknown(refId: string, error: TopgateError, doubt: TopgateError): TopgateOutcomeUnknownError {
  const reasons = error === doubt ? error.message : `${doubt.message} Then: ${error.message}`;
  return new TopgateOutcomeUnknownError({
    code: 'outcome_unknown',
    message:
      `It is not known whether the order ${refId} was created. ${reasons} Ask with orders.status({ ref_id: '${refId}' }), ` +
      'or create the same order again with the same ref_id: it is never bought twice.',
    details: { ref_id: refId },
    status: error.status,
    retryable: true,
    requestId: error.requestId,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}
