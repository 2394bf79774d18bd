import { createHmac } from 'node:crypto';
import { newRandomBytes } from '../lib/ids.ts';

/** 32 random bytes; Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export function newWebhookSecret(): string {
  return PREFIX + newRandomBytes(SECRET_BYTES).toString('base64');
}

export interface WebhookMessage {
  /** The event's id: the same over all attempts, so receivers recognise what they have had. */
  id: string;
  sentAt: Date;
  body: string;
}

/**
 * The headers of one attempt, after Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once
 * for each secret in force.
 */
export function webhookHeaders({ id, sentAt, body }: WebhookMessage, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
