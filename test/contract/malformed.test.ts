import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, signedOrder } from '../support/service.ts';
import { expectRefused, INJECTIONS, UNCLEAN, underAttack } from './hostile-input.ts';

const JSON_TYPE = 'application/json';
const NESTED = 10_000;

const WRONG_TEXTS = [null, 7, true, {}, [], ['text'], '', 'x'.repeat(257)];

type Json = Record<string, unknown>;

const { topgate, reseller } = underAttack();

/** A good order with its `path` set to a value, or without it; signed over what it then says, as a client would. */
function orderWith(path: string[], value: unknown): Json {
  const order = signedOrder(reseller().secret) as Json;
  const parent = path.slice(0, -1).reduce((object, key) => object[key] as Json, order);
  const key = path.at(-1) as string;
  if (value === undefined) delete parent[key];
  else parent[key] = value;
  return order;
}

async function postText(payload: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return topgate().raw({
    method: 'POST',
    url: '/api/order',
    headers: { authorization: `Bearer ${reseller().token}`, 'content-type': JSON_TYPE, ...headers },
    payload,
  });
}

describe('a malformed order is refused as a whole', () => {
  const TEXT_FIELDS = ['service_code', 'ref_id', 'signature', 'account_identifier.user_id', 'account_identifier.zone'].map(
    (name) => ({ name, path: name.split('.') }),
  );

  test.each(TEXT_FIELDS)('$name: missing, null, of another type, empty, too long, unclean', async ({ path }) => {
    for (const value of [undefined, ...WRONG_TEXTS, ...UNCLEAN, ...INJECTIONS])
      expectRefused(await reseller().post('/api/order', orderWith(path, value)), { path, value });
  });

  test('a properly signed value with a control character is refused: it would make the signed message ambiguous', async () => {
    for (const unclean of UNCLEAN)
      for (const field of ['service_code', 'ref_id', 'user_id', 'zone']) {
        const answer = await reseller().order({ [field]: unclean });
        expectRefused(answer, { field, unclean });
        expect(answer.body.error, JSON.stringify({ field, unclean })).toMatchObject({
          code: 'invalid_request',
          issues: [{ path: expect.stringContaining(field) }],
        });
      }
  });

  test('the limits of each length are where the contract puts them', async () => {
    const issuesOf = async (fields: Json) => {
      const { body } = await reseller().order(fields);
      return (body.error.issues ?? []).map(({ path }: { path: string }) => path);
    };
    const signature = '0'.repeat(64);
    for (const [field, path, longest] of [
      ['ref_id', 'ref_id', 64],
      ['user_id', 'account_identifier.user_id', 64],
      ['zone', 'account_identifier.zone', 32],
    ] as const) {
      expect(await issuesOf({ [field]: 'x'.repeat(longest), signature })).toEqual([]);
      expect(await issuesOf({ [field]: 'x'.repeat(longest + 1), signature })).toEqual([path]);
    }
  });

  test('account_identifier that is not an object of its two fields', async () => {
    for (const value of [undefined, ...WRONG_TEXTS, 'text', [{ user_id: '1', zone: '' }]])
      expectRefused(await reseller().post('/api/order', orderWith(['account_identifier'], value)), value);
  });

  test('unknown fields at both levels, and those that reach for the prototype', async () => {
    for (const key of ['quantity', 'Ref_id', 'ref_id ', '', 'constructor', 'toString', 'price'])
      for (const path of [[key], ['account_identifier', key]])
        expectRefused(await reseller().post('/api/order', orderWith(path, 'x')), path);
    for (const inside of ['"__proto__":{"isAdmin":true}', '"constructor":{"prototype":{"isAdmin":true}}', '"__proto__":null']) {
      const order = JSON.stringify(signedOrder(reseller().secret));
      expectRefused(await postText(order.replace('{', `{${inside},`)), inside);
      expectRefused(await postText(order.replace('"user_id"', `${inside},"user_id"`)), inside);
    }
    expect('isAdmin' in {}).toBe(false);
  });

  test('a max_price that is no whole amount of money', async () => {
    const order = JSON.stringify(signedOrder(reseller().secret));
    for (const number of [
      '1e400',
      '-1e400',
      '9007199254740993',
      '1000000000000000',
      '-1',
      '1.5',
      '1e-3',
      '"25000"',
      'null',
      '[1]',
      'true',
    ])
      expectRefused(await postText(order.replace('{', `{"max_price":${number},`)), number);
  });

  test('a body that is no JSON object', async () => {
    const order = JSON.stringify(signedOrder(reseller().secret));
    const nested = '['.repeat(NESTED) + ']'.repeat(NESTED);
    const objects = `${'{"a":'.repeat(NESTED)}1${'}'.repeat(NESTED)}`;
    const bodies = [
      '',
      ' ',
      'null',
      'true',
      '7',
      '"text"',
      '[]',
      `[${order}]`,
      '{',
      '{}',
      '{]',
      "{'a':1}",
      '{"a":1,}',
      'NaN',
      '\u0000',
    ];
    bodies.push('undefined', `${order}${order}`, `${order}x`, '<order/>', 'ref_id=1', nested, objects, '['.repeat(60_000));
    bodies.push(order.replace('{', `{"surprise":${nested},`), order.replace('"zone":"2001"', `"zone":${nested}`));
    bodies.push(order.replace('2001', '20\n01'), order.replace('2001', '20\u000001'), `/* */${order}`);
    for (const body of bodies) expectRefused(await postText(body), body);
  });

  test('bytes that are not UTF-8, or not plain', async () => {
    const order = JSON.stringify(signedOrder(reseller().secret));
    const invalid = [[0xff], [0xc3, 0x28], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]];
    for (const bytes of invalid) {
      const [before, after] = order.split('2001', 2) as [string, string];
      expectRefused(await postText(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])), bytes);
    }
    expectRefused(await postText(Buffer.from(order, 'utf16le')), 'UTF-16');
    expectRefused(await postText(Buffer.from(`\ufeff${order}`, 'utf16le')), 'UTF-16 with a mark');
    expectRefused(await postText(Buffer.from(order), { 'content-type': 'application/json; charset=utf-16' }), 'charset');
    for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip', 'nonsense'])
      expectRefused(await postText(gzipSync(order), { 'content-encoding': encoding }), encoding);
    expectRefused(await postText(`{"a":"${'x'.repeat(64 * 1024)}"}`), 'too large');
    expectRefused(await postText(Buffer.alloc(1024 * 1024, 0x20)), 'a megabyte of blanks');
  });

  test('a byte order mark before the JSON', async () => {
    expectRefused(await postText(Buffer.from(`\ufeff${JSON.stringify(signedOrder(reseller().secret))}`)), 'BOM');
  });

  test('a body of another type, or of none', async () => {
    const order = JSON.stringify(signedOrder(reseller().secret));
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'json',
      '*/*',
      ';',
      '',
    ])
      expectRefused(await postText(order, { 'content-type': type }), type);
    const headers = { authorization: `Bearer ${reseller().token}` };
    expectRefused(await topgate().raw({ method: 'POST', url: '/api/order', headers, payload: Buffer.from(order) }), 'no type');
    expectRefused(await topgate().raw({ method: 'POST', url: '/api/order', headers }), 'no body');
  });

  test('any JSON at all, unless it is a signed order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (body) =>
        expectRefused(await reseller().post('/api/order', body), body),
      ),
      { numRuns: 300 },
    );
  });

  test('a well-signed order of any texts for a service that is not there', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 70 });
    await fc.assert(
      fc.asyncProperty(text, text, text, fc.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/), async (service, user_id, zone, ref_id) =>
        expectRefused(await reseller().order({ service_code: `NONE-${service}`, user_id, zone, ref_id }), {
          service,
          user_id,
          zone,
        }),
      ),
      { numRuns: 200 },
    );
  });

  test('any single field replaced by any JSON', async () => {
    const strange = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary', maxLength: 80 }));
    const path = fc.constantFrom(...TEXT_FIELDS.map(({ path }) => path), ['max_price'], ['account_identifier'], ['extra']);
    await fc.assert(
      fc.asyncProperty(path, strange, async (where, value) => {
        // The values are not signed, so even those of a good form are refused.
        expectRefused(await reseller().post('/api/order', orderWith(where, value)), { where, value });
      }),
      { numRuns: 300 },
    );
  });
});
