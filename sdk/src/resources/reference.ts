import type { Game, SignatureCheck, SignatureGuide, StatusCodes } from '../contract.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';
import { type OrderParams, signOrder, toSignedOrder } from '../signature.ts';

/** The public lists, and help with signing. */
export class Reference {
  readonly #transport: Transport;
  readonly #signingSecret: string | null;

  constructor(transport: Transport, signingSecret: string | null) {
    this.#transport = transport;
    this.#signingSecret = signingSecret;
  }

  games(options?: RequestOptions): Promise<Game[]> {
    return this.#list('game', options);
  }

  /** Every state, error code, failure code and event type, with its meaning. */
  statusCodes(options?: RequestOptions): Promise<StatusCodes> {
    return this.#list('status-code', options);
  }

  /** How to sign, with test vectors. */
  signatureGuide(options?: RequestOptions): Promise<SignatureGuide> {
    return this.#list('signature', options);
  }

  /**
   * Test tokens only: what the service would sign for this order, beside a signature of yours. Without one, the order is signed
   * here, which shows whether the signing secret is the right one. Creates nothing.
   */
  async checkSignature(order: OrderParams & { signature?: string }, options?: RequestOptions): Promise<SignatureCheck> {
    const signature = order.signature ?? (await this.#sign(order));
    const body = toSignedOrder(order, signature);
    return this.#transport.request({ method: 'POST', path: '/api/reference/signature', body, repeatable: true }, options);
  }

  #list<Data>(name: string, options: RequestOptions | undefined): Promise<Data> {
    return this.#transport.request({ method: 'GET', path: `/api/reference/${name}`, repeatable: true, open: true }, options);
  }

  #sign(order: OrderParams): Promise<string> {
    if (this.#signingSecret === null) throw new TypeError('Give a signature, or signingSecret to new Topgate({ … }).');
    return signOrder(order, this.#signingSecret);
  }
}
