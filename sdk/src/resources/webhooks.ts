import type {
  DeliveryStatus,
  EventType,
  Recovery,
  Webhook,
  WebhookDelivery,
  WebhookStatus,
  WebhookWithSecret,
} from '../contract.ts';
import { Paged, type PageParams } from '../core/paged.ts';
import type { RequestOptions, Transport } from '../core/transport.ts';
import { verifyWebhook } from '../webhook.ts';

export interface WebhookParams {
  /** `https`, at a public address. */
  url: string;
  /** Send only these types. Left out or empty: all. */
  types?: EventType[] | undefined;
}

export interface WebhookChanges {
  url?: string | undefined;
  types?: EventType[] | undefined;
  /** `Disabled` stops deliveries; `Active` goes on with what waits. */
  status?: WebhookStatus | undefined;
}

export interface DeliveryParams extends PageParams {
  status?: DeliveryStatus | undefined;
}

const ROOT = '/api/webhook';

/** Endpoints of yours that are told of events, and what became of each delivery. */
export class Webhooks {
  readonly #transport: Transport;
  /** Checks a delivery and answers its event; the same as the export `verifyWebhook`. */
  readonly verify = verifyWebhook;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<Webhook[]> {
    return this.#transport.request({ method: 'GET', path: ROOT, repeatable: true }, options);
  }

  /** The answer has the secret, this once. */
  create(params: WebhookParams, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#transport.request({ method: 'POST', path: ROOT, body: params, repeatable: false }, options);
  }

  get(webhookId: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.request({ method: 'GET', path: pathOf(webhookId), repeatable: true }, options);
  }

  update(webhookId: string, changes: WebhookChanges, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.request({ method: 'PATCH', path: pathOf(webhookId), body: changes, repeatable: true }, options);
  }

  /** The answer is the endpoint as it was. Sent a second time, it would be `webhook_not_found`. */
  delete(webhookId: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.request({ method: 'DELETE', path: pathOf(webhookId), repeatable: false }, options);
  }

  /** Sends a `webhook.test` event to this endpoint. */
  test(webhookId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#act(`${pathOf(webhookId)}/test`, options);
  }

  /** A new secret. For 24 hours the old one signs as well, so that you can change over without a gap. */
  rotateSecret(webhookId: string, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#act(`${pathOf(webhookId)}/rotate-secret`, options);
  }

  /** What was sent to an endpoint, newest first, with every attempt. */
  deliveries(webhookId: string, params: DeliveryParams = {}, options?: RequestOptions): Paged<WebhookDelivery> {
    return new Paged(this.#transport, `${pathOf(webhookId)}/delivery`, { ...params }, options);
  }

  /** Sends one delivery again. */
  resend(deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#act(`${ROOT}/delivery/${encodeURIComponent(deliveryId)}/resend`, options);
  }

  /** Sends every event from a time on that this endpoint has not taken. Repeat it while `has_more`. */
  recover(webhookId: string, { since }: { since: string | Date }, options?: RequestOptions): Promise<Recovery> {
    const body = { since: since instanceof Date ? since.toISOString() : since };
    return this.#transport.request({ method: 'POST', path: `${pathOf(webhookId)}/recover`, body, repeatable: false }, options);
  }

  #act<Data>(path: string, options: RequestOptions | undefined): Promise<Data> {
    return this.#transport.request({ method: 'POST', path, repeatable: false }, options);
  }
}

function pathOf(webhookId: string): string {
  return `${ROOT}/${encodeURIComponent(webhookId)}`;
}
