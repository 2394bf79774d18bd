import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_VECTORS } from '../resellers/index.ts';
import { examine, firstDifference, hmacHex } from './browser/signature-check.js';

const SECRET = 'tgs_example_4f1c2a9b7d';
const ORDER = { service_code: 'MLBB-85', ref_id: 'INV-1', user_id: '12345678', zone: '2001' };

function requestOf(order: { service_code: string; ref_id: string; user_id: string; zone: string; max_price?: number }) {
  const { user_id, zone, ...fields } = order;
  return { ...fields, account_identifier: { user_id, zone } };
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');
const codesOf = async (input: Parameters<typeof examine>[0]) => (await examine(input)).findings.map(({ code }) => code);
/** What the tester says of a signature over `string` with `key`, for an order without a zone and with a max_price, or as given. */
const said = (string: string, { key = SECRET as string | Buffer, order = ORDER as Parameters<typeof requestOf>[0] } = {}) =>
  codesOf({ request: JSON.stringify({ ...requestOf(order), signature: hmac(key, string) }), secret: SECRET });

describe('a right signature', () => {
  test.each(SIGNATURE_VECTORS)('$order.ref_id is what the server signs', async ({ order, secret, signature, string_to_sign }) => {
    const request = JSON.stringify({ ...requestOf(order), signature });
    const result = await examine({ request, secret });
    expect(result).toMatchObject({ verdict: 'matches', stringToSign: string_to_sign, expected: signature, findings: [] });
    expect(await hmacHex(secret, string_to_sign)).toBe(signature);
  });

  test('is found in a whole command, with quotes escaped for a shell, and in upper case', async () => {
    const [{ order, secret, signature }] = SIGNATURE_VECTORS;
    const body = JSON.stringify({ ...requestOf(order), signature });
    for (const request of [`curl -s http://localhost/api/order -d '${body}'`, `curl -d "${body.replaceAll('"', '\\"')}"`])
      expect((await examine({ request, secret })).verdict).toBe('matches');
    const upper = await examine({ request: body, secret, ownSignature: signature.toUpperCase() });
    expect([upper.verdict, upper.findings]).toEqual(['matches', [{ code: 'signature_upper_case' }]]);
  });
});

describe('the usual mistakes', () => {
  const noZone = { ...ORDER, zone: '' };
  const capped = { ...ORDER, max_price: 25_000 };
  const right = 'MLBB-85\nINV-1\n12345678\n2001';

  test('in the string are named', async () => {
    expect(await said(`${right}\n`)).toEqual(['trailing_newline']);
    expect(await said(right.replaceAll('\n', '\r\n'))).toEqual(['windows_newlines']);
    expect(await said(right.replaceAll('\n', '\\n'))).toEqual(['literal_newlines']);
    expect(await said(right.replaceAll('\n', ''))).toEqual(['no_separators']);
    expect(await said('MLBB-85\nINV-1\n12345678', { order: noZone })).toEqual(['zone_line_missing']);
    expect(await said(right, { order: capped })).toEqual(['max_price_left_out']);
    expect(await said(`${right}\n25000.00`, { order: capped })).toEqual(['max_price_decimals']);
    expect(await said('INV-1\nMLBB-85\n12345678\n2001')).toEqual(['other_order']);
  });

  test('in the key are named', async () => {
    expect(await said(right, { key: `${SECRET}\n` })).toEqual(['key_with_newline']);
    expect(await said(right, { key: SECRET.slice(4) })).toEqual(['key_without_prefix']);
    expect(await said(SECRET, { key: right })).toEqual(['key_and_message_swapped']);
    const secret = `tgs_${Buffer.from('sixteen bytes ok').toString('base64').replaceAll('=', '')}`;
    const signature = hmac(Buffer.from('sixteen bytes ok'), right);
    expect(await codesOf({ request: JSON.stringify({ ...requestOf(ORDER), signature }), secret })).toEqual(['key_decoded']);
    expect(await said(right, { key: 'tgs_another' })).toEqual(['no_known_mistake']);
  });

  test('in the form of the signature are named', async () => {
    const request = JSON.stringify(requestOf(ORDER));
    const base64 = Buffer.from(hmac(SECRET, right), 'hex').toString('base64');
    expect(await codesOf({ request, secret: SECRET, ownSignature: base64 })).toEqual(['signature_base64']);
    expect(await codesOf({ request, secret: SECRET, ownSignature: '9bdd2e' })).toEqual(['signature_not_hex']);
    expect((await examine({ request, secret: SECRET })).verdict).toBe('no_signature');
  });

  test('in the secret field are named, and spaces around it do no harm here', async () => {
    const request = JSON.stringify({ ...requestOf(ORDER), signature: hmac(SECRET, right) });
    const spaced = await examine({ request, secret: ` ${SECRET}\n` });
    expect([spaced.verdict, spaced.findings]).toEqual(['matches', [{ code: 'secret_spaces' }]]);
    expect(await codesOf({ request, secret: 'tg_test_abc' })).toContain('secret_is_token');
    expect(await codesOf({ request, secret: 'whsec_abc' })).toContain('secret_is_webhook');
    expect(await codesOf({ request, secret: 'abc' })).toContain('secret_without_prefix');
  });

  test('in the request are named with their field', async () => {
    const findings = async (change: object) =>
      (await examine({ request: JSON.stringify({ ...requestOf(ORDER), ...change }), secret: SECRET })).findings;
    const account = (user_id: unknown, zone?: unknown) => ({ account_identifier: { user_id, zone } });
    expect(await findings(account('12345678'))).toEqual([{ code: 'zone_missing', field: 'account_identifier.zone' }]);
    expect(await findings(account(12345678, ''))).toEqual([{ code: 'not_text', field: 'account_identifier.user_id' }]);
    expect(await findings(account('1 ', ''))).toEqual([{ code: 'spaces_around', field: 'account_identifier.user_id' }]);
    expect(await findings(account('e\u0301', ''))).toEqual([{ code: 'not_composed', field: 'account_identifier.user_id' }]);
    expect(await findings(account('1\n2', ''))).toEqual([{ code: 'control_character', field: 'account_identifier.user_id' }]);
    expect(await findings({ ref_id: undefined })).toEqual([{ code: 'field_missing', field: 'ref_id' }]);
    expect(await findings({ zone: '' })).toEqual([{ code: 'unknown_field', field: 'zone' }]);
    expect(await findings({ max_price: '25000' })).toEqual([{ code: 'max_price_not_number', field: 'max_price' }]);
    expect(await findings({ max_price: 0.5 })).toEqual([{ code: 'max_price_not_whole', field: 'max_price' }]);
    const written = JSON.stringify({ ...requestOf(capped) }).replace('25000', '25000.0');
    const result = await examine({ request: written, secret: SECRET });
    expect(result.findings).toEqual([{ code: 'max_price_written_otherwise', field: 'max_price' }]);
    expect(result.stringToSign).toBe(`${right}\n25000`);
    expect(await codesOf({ request: '{"service_code": ', secret: '' })).toEqual(['not_json']);
    expect(await codesOf({ request: '', secret: '' })).toEqual([]);
  });
});

describe('another string', () => {
  const request = JSON.stringify({ ...requestOf(ORDER), signature: hmac(SECRET, 'MLBB-85\nINV-1\n12345678\n2002') });

  test('is shown with the first place where it differs, and whether the signature is its own', async () => {
    const result = await examine({ request, secret: SECRET, ownString: 'MLBB-85\nINV-1\n12345678\n2002' });
    expect(result.difference).toMatchObject({ line: 4, column: 4, expected: '1', actual: '2', expectedLine: '2001' });
    expect(result.findings).toEqual([{ code: 'signature_of_own_string' }]);
  });

  test('that is right means that the key is not', async () => {
    const codes = await codesOf({ request, secret: SECRET, ownString: 'MLBB-85\nINV-1\n12345678\n2001' });
    expect(codes).toEqual(['wrong_key']);
  });

  test('is compared in whole characters, up to its end', () => {
    expect(firstDifference('a', 'a')).toBeNull();
    expect(firstDifference('a\nb', 'a')).toMatchObject({ line: 1, column: 2, expected: '\n', actual: null });
    expect(firstDifference('a', 'a\n')).toMatchObject({ line: 1, column: 2, expected: null, actual: '\n' });
    expect(firstDifference('🎮x', '🎮y')).toMatchObject({ line: 1, column: 2, expected: 'x', actual: 'y' });
    expect(firstDifference('a\n\nb', 'a\nb')).toMatchObject({ line: 2, column: 1, expected: '\n', actual: 'b' });
  });
});
