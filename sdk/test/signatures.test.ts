import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_VECTORS } from '../../src/resellers/signature.ts';
import { newWebhookSecret, signOrder, signWebhook, stringToSign, TopgateWebhookError, verifyWebhook } from '../src/index.ts';
import { orderData } from './support/examples.ts';

describe('signatures of orders', () => {
  test.each(SIGNATURE_VECTORS)('are those of the published example $order.ref_id', async (vector) => {
    const { user_id, zone, ...rest } = vector.order;
    const order = { ...rest, account_identifier: { user_id, zone } };
    expect(stringToSign(order)).toBe(vector.string_to_sign);
    expect(await signOrder(order, vector.secret)).toBe(vector.signature);
  });

  test('of a game without zones are the same with an empty zone and without one', async () => {
    const order = { service_code: 'FF-70', ref_id: 'INV-1002', account_identifier: { user_id: '900000001' } };
    expect(await signOrder(order, 'tgs_example_4f1c2a9b7d')).toBe(SIGNATURE_VECTORS[1].signature);
  });
});

describe('webhooks', () => {
  const SECRET = newWebhookSecret();
  const OTHER = newWebhookSecret();
  const SENT = new Date('2026-03-01T02:40:15Z');
  const BODY = JSON.stringify({
    type: 'order.success',
    timestamp: '2026-03-01T09:40:15+07:00',
    sequence: 7,
    data: orderData({ status: 'Success', account_identifier: { user_id: 'Késar#ID1', zone: '', nickname: '影' } }),
  });
  const signed = (secret: string | string[] = SECRET, payload = BODY) =>
    signWebhook({ payload, secret, id: 'evt_1', timestamp: SENT });

  const reasonOf = async (verification: Promise<unknown>) => {
    const error = await verification.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof TopgateWebhookError) return error.details.reason;
    throw new Error(`Not refused as a webhook: ${error}`);
  };

  test('of ours are accepted, as text or bytes, with headers of either kind, and answer the event', async () => {
    const headers = await signed();
    const event = await verifyWebhook(BODY, headers, SECRET, { now: SENT });
    expect(event).toEqual({ event_id: 'evt_1', ...JSON.parse(BODY) });
    if (event.type === 'order.success') expect(event.data.status).toBe('Success');
    const bytes = new TextEncoder().encode(BODY);
    expect(await verifyWebhook(bytes, new Headers(headers), [SECRET], { now: SENT })).toEqual(event);
    const asNode = { 'Webhook-Id': headers['webhook-id'], ...headers, 'x-other': ['a', 'b'] };
    expect(await verifyWebhook(bytes.buffer, asNode, SECRET, { now: SENT })).toEqual(event);
  });

  test('are signed and verified as the reference implementation of Standard Webhooks does', async () => {
    const headers = await signWebhook({ payload: BODY, secret: SECRET });
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    const theirs = { ...(await signed()), 'webhook-signature': new Webhook(SECRET).sign('evt_1', SENT, BODY) };
    expect(await verifyWebhook(BODY, theirs, SECRET, { now: SENT })).toMatchObject({ event_id: 'evt_1' });
  });

  test('during a rotation are accepted with the old secret, the new one, or both known', async () => {
    const headers = await signed([SECRET, OTHER]);
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET]])
      expect(await verifyWebhook(BODY, headers, secrets, { now: SENT })).toMatchObject({ sequence: 7 });
    expect(await verifyWebhook(BODY, await signed(OTHER), [SECRET, OTHER], { now: SENT })).toMatchObject({ sequence: 7 });
  });

  test('that were changed, or signed with another secret, are refused', async () => {
    const headers = await signed();
    const now = { now: SENT };
    expect(await reasonOf(verifyWebhook(`${BODY} `, headers, SECRET, now))).toBe('wrong_signature');
    expect(await reasonOf(verifyWebhook(BODY, { ...headers, 'webhook-id': 'evt_2' }, SECRET, now))).toBe('wrong_signature');
    expect(await reasonOf(verifyWebhook(BODY, headers, OTHER, now))).toBe('wrong_signature');
    for (const signature of ['v1,', 'v1,?', 'v2,AAAA', headers['webhook-signature'].slice(3), 'v1'])
      expect(await reasonOf(verifyWebhook(BODY, { ...headers, 'webhook-signature': signature }, SECRET, now))).toBe(
        'wrong_signature',
      );
  });

  test('that lack a header are refused', async () => {
    const headers = await signed();
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(await reasonOf(verifyWebhook(BODY, { ...headers, [name]: undefined }, SECRET))).toBe('header_missing');
    expect(await reasonOf(verifyWebhook(BODY, { ...headers, 'webhook-timestamp': 'soon' }, SECRET))).toBe('header_missing');
  });

  test.each([
    [300, null],
    [301, 'too_old'],
    [-300, null],
    [-301, 'too_new'],
  ])('received %i seconds after they were sent: %s', async (seconds, reason) => {
    const now = new Date(SENT.getTime() + seconds * 1_000);
    const verification = verifyWebhook(BODY, await signed(), SECRET, { now });
    if (reason === null) expect(await verification).toMatchObject({ event_id: 'evt_1' });
    else expect(await reasonOf(verification)).toBe(reason);
  });

  test('may be older if you say so', async () => {
    const options = { now: new Date(SENT.getTime() + 600_000), toleranceSeconds: 600 };
    expect(await verifyWebhook(BODY, await signed(), SECRET, options)).toMatchObject({ sequence: 7 });
  });

  test.each(['not json', 'null', '[]', '{"type":1}', '{"type":"order.success"}'])(
    'that are signed but hold %s are refused',
    async (payload) => {
      expect(await reasonOf(verifyWebhook(payload, await signed(SECRET, payload), SECRET, { now: SENT }))).toBe('not_an_event');
    },
  );

  test('are not checked with a secret or a body of the wrong form: that is a mistake in the program', async () => {
    const headers = await signed();
    for (const secret of ['', 'whsec_', 'whsec_???', 'tgs_secret', []])
      await expect(verifyWebhook(BODY, headers, secret)).rejects.toThrow(TypeError);
    await expect(verifyWebhook(JSON.parse(BODY), headers, SECRET)).rejects.toThrow(/not parsed/);
  });
});
