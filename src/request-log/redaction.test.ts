import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_REQUEST_BYTES, redactRequest, redactText } from './redaction.ts';

const SECRETS = [
  'tgs_example_4f1c2a9b7d',
  'tg_live_3kFq9ZxY0aBcDeFgHiJkLmNoPqRsTuVw',
  'whsec_c2VjcmV0IHNlY3JldA==',
  'tga_0123456789',
];

describe('what is kept of a request', () => {
  test('an order stays recognisable without its signature and its player', () => {
    const order = {
      service_code: 'MLBB-85',
      ref_id: 'INV-1001',
      account_identifier: { user_id: '123450001', zone: '2001', nickname: 'Ayu' },
      max_price: 25_000,
      signature: '9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97',
    };
    expect(redactRequest(order)).toEqual({
      service_code: 'MLBB-85',
      ref_id: 'INV-1001',
      account_identifier: { user_id: '••••0001', zone: '2001' },
      max_price: 25_000,
      signature: '[redacted]',
    });
  });

  test.each(['signature', 'secret', 'authorization', 'Authorization', 'access_token', 'password', 'anything_else'])(
    'of the field %s only the name, whatever is in it',
    (name) => {
      for (const value of ['text', 7, true, { user_id: 'deep' }, ['list']])
        expect(redactRequest({ [name]: value })).toEqual({ [name]: '[redacted]' });
    },
  );

  test.each([
    ['123450001', '••••0001'],
    [123_450_001, '••••0001'],
    ['Késar#ID1', '••••#ID1'],
    ['😀😁😂🤣😃', '••••😁😂🤣😃'],
    ['0001', '••••'],
    ['', '••••'],
    [['123450001'], ['••••0001']],
  ])('of the player %j only %j', (userId, shown) => {
    expect(redactRequest({ user_id: userId })).toEqual({ user_id: shown });
  });

  test('an account identifier that is a text by mistake shows nothing of the player', () => {
    expect(redactRequest({ account_identifier: '123450001' })).toEqual({ account_identifier: '[redacted]' });
  });

  test.each(SECRETS)('nothing of %s, in whatever field or name it was put by mistake', (secret) => {
    const request = {
      ref_id: secret,
      service_code: `x ${secret}`,
      url: `https://example.com/?key=${secret}`,
      zone: `${'z '.repeat(1_020)}${secret}${secret}`,
      types: [secret],
      account_identifier: { user_id: { zone: secret } },
      [secret]: 1,
    };
    expect(JSON.stringify(redactRequest(request))).not.toContain(secret.slice(4, 12));
    expect(redactText(`${secret}: This field is not known here.`)).toBe('[redacted] This field is not known here.');
  });

  test('a long random text is taken for a token, unless it is a reference', () => {
    const random = 'a1'.repeat(32);
    expect(redactRequest({ ref_id: random, order_id: random, cursor: random, url: `https://example.com/${random}` })).toEqual({
      ref_id: random,
      order_id: random,
      cursor: random,
      url: 'https://example.com/[redacted]',
    });
  });

  test('texts are cut to 200 characters, lists, levels and names to what one can read', () => {
    expect(redactRequest({ zone: 'a b '.repeat(100) })).toEqual({ zone: `${'a b '.repeat(50).slice(0, 199)}…` });
    expect(redactRequest({ types: Array(21).fill('x') })).toEqual({ types: [...Array(20).fill('x'), '…'] });
    expect(redactRequest({ status: { status: { status: { status: { status: 1 } } } } })).toEqual({
      status: { status: { status: { status: '…' } } },
    });
    expect(redactRequest({ ['a '.repeat(50)]: 1 })).toEqual({ [`${'a '.repeat(50).slice(0, 63)}…`]: '[redacted]' });
  });

  test.each([undefined, null, {}, [], ['MLBB-85'], 'text', 7, { nickname: 'Ayu' }])('of %j nothing', (request) => {
    expect(redactRequest(request)).toBeNull();
  });

  test('times that a route has made of texts are texts again', () => {
    expect(redactRequest({ since: new Date('2026-03-01T02:40:15.000Z') })).toEqual({ since: '2026-03-01T02:40:15.000Z' });
  });

  test('whatever was sent: at most 2 KiB, which a database can hold', () => {
    const name = fc.oneof(fc.constantFrom('ref_id', 'user_id', 'types', 'account_identifier', '__proto__'), fc.string());
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.double(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 30 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 60 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, tree, { maxKeys: 60 }), (request) => {
        const json = JSON.stringify(redactRequest(request));
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_REQUEST_BYTES);
        expect(json).not.toMatch(/\\u(0000|d[89a-f])/);
      }),
    );
    const wide = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`${index} ${'é'.repeat(60)}`, index]));
    for (const request of [wide, { types: Array(20).fill('"'.repeat(200)) }, { url: '\u0000'.repeat(70_000) }]) {
      const json = JSON.stringify(redactRequest(request));
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_REQUEST_BYTES);
    }
  });
});
