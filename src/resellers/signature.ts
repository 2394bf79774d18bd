import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The signed values of an order. No field may hold a control character, so the joined message is unambiguous. */
export interface SignedOrder {
  serviceCode: string;
  refId: string;
  userId: string;
  zone: string;
  maxPrice: bigint | null;
}

const HEX_DIGEST = /^[0-9a-f]{64}$/i;

/** The signing secret as text, or ready for the HMAC. */
export type SigningKey = string | KeyObject;

/** For a secret that is used often: preparing it costs several times what the HMAC itself does. */
export function toSigningKey(signingSecret: string): KeyObject {
  return createSecretKey(signingSecret, 'utf8');
}

/** What is signed: the values joined by one line feed, without one at the end; `max_price` only if the request has it. */
export function stringToSign(order: SignedOrder): string {
  const values = [order.serviceCode, order.refId, order.userId, order.zone];
  if (order.maxPrice !== null) values.push(String(order.maxPrice));
  return values.join('\n');
}

/** Lower-case hex of HMAC-SHA256 with the signing secret's UTF-8 bytes as the key. */
export function sign(order: SignedOrder, key: SigningKey): string {
  return digest(order, key).toString('hex');
}

/** Compares in constant time. Upper-case hex is accepted. */
export function verifySignature(order: SignedOrder, key: SigningKey, signature: string): boolean {
  if (!HEX_DIGEST.test(signature)) return false;
  return timingSafeEqual(digest(order, key), Buffer.from(signature, 'hex'));
}

function digest(order: SignedOrder, key: SigningKey): Buffer {
  return createHmac('sha256', key).update(stringToSign(order), 'utf8').digest();
}

/** The published examples, so that anybody can check an implementation against ours. */
export const SIGNATURE_VECTORS = [
  {
    secret: 'tgs_example_4f1c2a9b7d',
    order: { service_code: 'MLBB-85', ref_id: 'INV-1001', user_id: '12345678', zone: '2001' },
    string_to_sign: 'MLBB-85\nINV-1001\n12345678\n2001',
    signature: '9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97',
  },
  {
    secret: 'tgs_example_4f1c2a9b7d',
    order: { service_code: 'FF-70', ref_id: 'INV-1002', user_id: '900000001', zone: '' },
    string_to_sign: 'FF-70\nINV-1002\n900000001\n',
    signature: 'e7edfb62d68575714027eea80b09dacd6efd8711dd42ecb65a79d04985d46f1e',
  },
  {
    secret: 'tgs_example_4f1c2a9b7d',
    order: { service_code: 'MLBB-85', ref_id: 'INV-1003', user_id: '12345678', zone: '2001', max_price: 25000 },
    string_to_sign: 'MLBB-85\nINV-1003\n12345678\n2001\n25000',
    signature: '879f7306f45f34e5affc4d2e098f038284faa8846674a226a5ca97b15707faa5',
  },
  {
    secret: 'tgs_example_4f1c2a9b7d',
    order: { service_code: 'VAL-475', ref_id: 'INV-1004', user_id: 'Késar#ID1', zone: '' },
    string_to_sign: 'VAL-475\nINV-1004\nKésar#ID1\n',
    signature: '8ddbe6fb3c2586345d1ac448c4ba1edbd9b03a20272556f06ccdd441cbee2bf4',
  },
] as const;
