import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret, webhookHeaders } from './secret.ts';

const body = JSON.stringify({ type: 'order.success', data: { nickname: 'Késar #ID1 🎮' } });
const message = () => ({ id: 'evt_01KC0000000000000000000000', sentAt: new Date(), body });

test('the public Standard Webhooks library verifies what we sign, whatever characters are in it', () => {
  const secret = newWebhookSecret();
  expect(new Webhook(secret).verify(body, webhookHeaders(message(), [secret]))).toEqual(JSON.parse(body));
});

test('it refuses a changed body, another id, another secret', () => {
  const secret = newWebhookSecret();
  const headers = webhookHeaders(message(), [secret]);
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow('No matching signature');
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
});

test('while a secret is being rotated, a receiver with either of them verifies', () => {
  const [newer, older] = [newWebhookSecret(), newWebhookSecret()];
  const headers = webhookHeaders(message(), [newer, older]);
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [newer, older]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
});

test('a secret has 32 random bytes', () => {
  expect(Buffer.from(newWebhookSecret().replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(newWebhookSecret()).not.toBe(newWebhookSecret());
});
