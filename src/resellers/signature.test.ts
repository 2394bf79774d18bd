import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_VECTORS, type SignedOrder, sign, stringToSign, verifySignature } from './signature.ts';

/** The contract's table, written out once more: an integrator's copy of it must stay right for ever. */
const SECRET = 'tgs_example_4f1c2a9b7d';
const VECTORS = [
  ['MLBB-85', 'INV-1001', '12345678', '2001', null, '9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97'],
  ['FF-70', 'INV-1002', '900000001', '', null, 'e7edfb62d68575714027eea80b09dacd6efd8711dd42ecb65a79d04985d46f1e'],
  ['MLBB-85', 'INV-1003', '12345678', '2001', 25_000n, '879f7306f45f34e5affc4d2e098f038284faa8846674a226a5ca97b15707faa5'],
  ['VAL-475', 'INV-1004', 'Késar#ID1', '', null, '8ddbe6fb3c2586345d1ac448c4ba1edbd9b03a20272556f06ccdd441cbee2bf4'],
] as const;

const text = fc.string({ unit: 'binary', maxLength: 64 }).filter((value) => !/\p{Cc}/u.test(value));
const orders: fc.Arbitrary<SignedOrder> = fc.record({
  serviceCode: text,
  refId: text,
  userId: text,
  zone: text,
  maxPrice: fc.option(fc.bigInt({ min: 0n, max: 999_999_999_999_999n })),
});
const secrets = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });

describe('the signature of an order', () => {
  test.each(VECTORS)('%s %s %s "%s" %s is signed as published', (serviceCode, refId, userId, zone, maxPrice, signature) => {
    const order = { serviceCode, refId, userId, zone, maxPrice };
    expect(sign(order, SECRET)).toBe(signature);
    expect(verifySignature(order, SECRET, signature)).toBe(true);
    expect(verifySignature(order, SECRET, signature.toUpperCase())).toBe(true);
  });

  test('the vectors that the service publishes are those of the contract', () => {
    expect(SIGNATURE_VECTORS.map(({ signature }) => signature)).toEqual(VECTORS.map((vector) => vector[5]));
    for (const { secret, order, string_to_sign, signature } of SIGNATURE_VECTORS) {
      const maxPrice = 'max_price' in order ? BigInt(order.max_price) : null;
      const signed = { serviceCode: order.service_code, refId: order.ref_id, userId: order.user_id, zone: order.zone, maxPrice };
      expect(stringToSign(signed)).toBe(string_to_sign);
      expect(sign(signed, secret)).toBe(signature);
    }
  });

  test('a max_price of zero is signed, an absent one is not', () => {
    const order = { serviceCode: 'A-1', refId: 'R', userId: 'U', zone: '' };
    expect(stringToSign({ ...order, maxPrice: 0n })).toBe('A-1\nR\nU\n\n0');
    expect(stringToSign({ ...order, maxPrice: null })).toBe('A-1\nR\nU\n');
  });

  test('what was signed is accepted, in either case of hex', () => {
    fc.assert(
      fc.property(orders, secrets, (order, secret) => {
        const signature = sign(order, secret);
        expect(signature).toMatch(/^[0-9a-f]{64}$/);
        expect(verifySignature(order, secret, signature)).toBe(true);
        expect(verifySignature(order, secret, signature.toUpperCase())).toBe(true);
      }),
    );
  });

  test('a signature with any digit changed is refused', () => {
    fc.assert(
      fc.property(orders, secrets, fc.nat(63), fc.integer({ min: 1, max: 15 }), (order, secret, at, by) => {
        const signature = sign(order, secret);
        const digit = ((Number.parseInt(signature.charAt(at), 16) + by) % 16).toString(16);
        expect(verifySignature(order, secret, signature.slice(0, at) + digit + signature.slice(at + 1))).toBe(false);
      }),
    );
  });

  test('a signature is refused for an order with any field changed, and under any other secret', () => {
    const fields = fc.constantFrom('serviceCode', 'refId', 'userId', 'zone', 'maxPrice');
    fc.assert(
      fc.property(orders, orders, fields, secrets, secrets, (order, other, field, secret, otherSecret) => {
        fc.pre(order[field] !== other[field] && secret !== otherSecret);
        const signature = sign(order, secret);
        expect(verifySignature({ ...order, [field]: other[field] }, secret, signature)).toBe(false);
        expect(verifySignature(order, otherSecret, signature)).toBe(false);
      }),
    );
  });

  test('two different orders never have the same string to sign', () => {
    fc.assert(
      fc.property(orders, orders, (one, other) => {
        const same = (Object.keys(one) as (keyof SignedOrder)[]).every((field) => one[field] === other[field]);
        expect(stringToSign(one) === stringToSign(other)).toBe(same);
      }),
    );
    const shifted = { serviceCode: 'A', refId: 'B', userId: 'C', zone: '', maxPrice: 1n };
    expect(stringToSign(shifted)).not.toBe(stringToSign({ ...shifted, zone: '1', maxPrice: null }));
  });

  test('text that is not 64 hex digits is refused and not an error', () => {
    const order = { serviceCode: 'A-1', refId: 'R', userId: 'U', zone: '', maxPrice: null };
    const signature = sign(order, SECRET);
    for (const wrong of [
      '',
      signature.slice(1),
      `${signature}0`,
      `${signature}\n`,
      ` ${signature}`,
      'g'.repeat(64),
      'é'.repeat(64),
    ])
      expect(verifySignature(order, SECRET, wrong)).toBe(false);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (wrong) => !verifySignature(order, SECRET, wrong)));
  });
});
