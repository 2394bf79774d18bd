/**
 * What the signature tester on the documentation site finds out, without a page: the string to sign of a request, the expected
 * signature, the first place where another string differs, and which common mistake leads to the signature that was made.
 * It runs in the browser and in tests; nothing leaves the machine.
 */

const SIGNED = ['service_code', 'ref_id', 'account_identifier.user_id', 'account_identifier.zone', 'max_price'];
const KNOWN = new Set(['service_code', 'ref_id', 'account_identifier', 'signature', 'max_price']);
const KNOWN_OF_ACCOUNT = new Set(['user_id', 'zone']);
const HEX_DIGEST = /^[0-9a-f]{64}$/i;
const BASE64_DIGEST = /^[A-Za-z0-9+/_-]{43}=?$/;

/** The whole examination. Findings are codes; the page has a sentence for each. */
export async function examine({ request, secret, ownString = '', ownSignature = '' }) {
  const { values, signature, findings } = readRequest(request);
  const key = secret.trim();
  findings.push(...examineSecret(secret));
  if (values === null) return { ...NOTHING, verdict: 'incomplete', findings };

  const string = stringToSign(values);
  const lines = values.map(([field, value]) => ({ field, value }));
  const difference = ownString === '' ? null : firstDifference(string, ownString);
  if (difference) findings.push(...examineOwnString(values, ownString));
  const received = (ownSignature || signature || '').trim();
  const known = { ...NOTHING, stringToSign: string, lines, received: received || null, difference, findings };
  if (!canSign()) return { ...known, verdict: 'no_crypto' };
  if (key === '') return { ...known, verdict: 'incomplete' };

  const expected = await hmacHex(key, string);
  if (received === '') return { ...known, expected, verdict: 'no_signature' };
  if (received.toLowerCase() === expected) {
    if (received !== expected) findings.push({ code: 'signature_upper_case' });
    return { ...known, expected, verdict: 'matches' };
  }
  findings.push(...(await explain({ values, secret, key, received, ownString, sameString: difference === null })));
  return { ...known, expected, verdict: 'differs' };
}

const NOTHING = { stringToSign: null, lines: [], expected: null, received: null, difference: null };

/** Browsers offer WebCrypto to secure contexts only: https, and http on localhost. */
export function canSign() {
  return globalThis.crypto?.subtle !== undefined;
}

export async function hmacHex(key, text) {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
  const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The signed values of a pasted request, be it the body alone or a whole command around it; null when some are missing. */
export function readRequest(text) {
  const body = parseBody(text);
  if (body === null) return { values: null, signature: null, findings: text.trim() === '' ? [] : [{ code: 'not_json' }] };
  const findings = [];
  const account = isObject(body.account_identifier) ? body.account_identifier : {};
  const given = [body.service_code, body.ref_id, account.user_id, account.zone];
  const values = given.map((value, index) => [SIGNED[index], value]);
  for (const [field, value] of values) findings.push(...examineText(field, value));
  if (body.max_price !== undefined) {
    values.push(['max_price', String(body.max_price)]);
    findings.push(...examineMaxPrice(body.max_price, text));
  }
  findings.push(...unknownFields(body, KNOWN, ''), ...unknownFields(account, KNOWN_OF_ACCOUNT, 'account_identifier.'));
  const complete = values.every(([, value]) => typeof value === 'string');
  const signature = typeof body.signature === 'string' ? body.signature : null;
  return { values: complete ? values : null, signature, findings };
}

export function stringToSign(values) {
  return values.map(([, value]) => value).join('\n');
}

/** Where two strings part: line and column count from 1, in characters; null when they are the same. */
export function firstDifference(expected, actual) {
  if (expected === actual) return null;
  const wanted = [...expected];
  const found = [...actual];
  let at = 0;
  while (at < wanted.length && wanted[at] === found[at]) at += 1;
  const before = wanted.slice(0, at).join('').split('\n');
  return {
    line: before.length,
    column: [...before[before.length - 1]].length + 1,
    expected: wanted[at] ?? null,
    actual: found[at] ?? null,
    expectedLine: expected.split('\n')[before.length - 1] ?? '',
    actualLine: actual.split('\n')[before.length - 1] ?? '',
  };
}

function parseBody(text) {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  // A body inside a quoted shell argument has its quotes escaped.
  for (const candidate of [json, json.replaceAll('\\"', '"')]) {
    try {
      const body = JSON.parse(candidate);
      if (isObject(body)) return body;
    } catch {
      // The next form is tried.
    }
  }
  return null;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function examineText(field, value) {
  if (value === undefined || value === null) return [{ code: field.endsWith('zone') ? 'zone_missing' : 'field_missing', field }];
  if (typeof value !== 'string') return [{ code: 'not_text', field }];
  const findings = [];
  if (/\p{Cc}/u.test(value)) findings.push({ code: 'control_character', field });
  else if (value !== value.trim()) findings.push({ code: 'spaces_around', field });
  if (value !== value.normalize('NFC')) findings.push({ code: 'not_composed', field });
  return findings;
}

function examineMaxPrice(value, text) {
  const field = 'max_price';
  if (typeof value !== 'number') return [{ code: 'max_price_not_number', field }];
  if (!Number.isInteger(value) || value < 0) return [{ code: 'max_price_not_whole', field }];
  const written = /max_price\\?"\s*:\s*([^\s,}]+)/.exec(text)?.[1];
  return written === String(value) ? [] : [{ code: 'max_price_written_otherwise', field }];
}

function unknownFields(object, known, prefix) {
  return Object.keys(object)
    .filter((name) => !known.has(name))
    .map((name) => ({ code: 'unknown_field', field: `${prefix}${name}` }));
}

function examineSecret(secret) {
  const key = secret.trim();
  const findings = secret === key ? [] : [{ code: 'secret_spaces' }];
  if (/^tg_(live|test)_/.test(key)) findings.push({ code: 'secret_is_token' });
  else if (key.startsWith('whsec_')) findings.push({ code: 'secret_is_webhook' });
  else if (key !== '' && !key.startsWith('tgs_')) findings.push({ code: 'secret_without_prefix' });
  return findings;
}

/** The strings that common mistakes make of the same values, each with the code of its mistake. */
function mistakenStrings(values) {
  const right = stringToSign(values);
  const parts = values.map(([, value]) => value);
  const [service, reference, user, zone, maxPrice] = parts;
  const strings = [
    ['trailing_newline', `${right}\n`],
    ['trailing_newline', `${right}\r\n`],
    ['windows_newlines', parts.join('\r\n')],
    ['literal_newlines', parts.join('\\n')],
    ['no_separators', parts.join('')],
  ];
  if (zone === '') strings.push(['zone_line_missing', parts.filter((_, index) => index !== 3).join('\n')]);
  if (maxPrice !== undefined) {
    strings.push(['max_price_left_out', parts.slice(0, 4).join('\n')]);
    for (const decimals of ['.0', '.00']) strings.push(['max_price_decimals', `${right}${decimals}`]);
  }
  for (const order of permutations([service, reference, user, zone]))
    strings.push(['other_order', [...order, ...parts.slice(4)].join('\n')]);
  return strings.filter(([, string]) => string !== right);
}

/** The keys that common mistakes make of the secret, each with the code of its mistake. */
function mistakenKeys(secret, key) {
  const bare = key.replace(/^tgs_/, '');
  const keys = [['key_with_newline', `${key}\n`]];
  if (secret !== key) keys.push(['key_with_spaces', secret]);
  if (bare !== key && bare !== '') keys.push(['key_without_prefix', bare]);
  const decoded = decodeBase64(bare);
  if (decoded) keys.push(['key_decoded', decoded]);
  return keys;
}

async function explain({ values, secret, key, received, ownString, sameString }) {
  const right = stringToSign(values);
  if (!HEX_DIGEST.test(received)) {
    const decoded = BASE64_DIGEST.test(received) && decodeBase64(received.replaceAll('-', '+').replaceAll('_', '/'));
    return [{ code: decoded ? 'signature_base64' : 'signature_not_hex' }];
  }
  const signed = async (withKey, string) => (await hmacHex(withKey, string)) === received.toLowerCase();
  for (const [code, string] of mistakenStrings(values)) if (await signed(key, string)) return [{ code }];
  for (const [code, otherKey] of mistakenKeys(secret, key)) if (await signed(otherKey, right)) return [{ code }];
  if (await signed(right, key)) return [{ code: 'key_and_message_swapped' }];
  if (ownString !== '' && !sameString && (await signed(key, ownString))) return [{ code: 'signature_of_own_string' }];
  if (ownString !== '' && sameString) return [{ code: 'wrong_key' }];
  return [{ code: 'no_known_mistake' }];
}

function examineOwnString(values, ownString) {
  const known = mistakenStrings(values).find(([, string]) => string === ownString);
  return known ? [{ code: known[0] }] : [];
}

function permutations(items) {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

function decodeBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
