import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

const PROXY = 'http://topgate:p%40ss-w0rd@proxy.example:3128';
const redact = createRedactor(['s3cr3t-key', 'pass word', 'say "no"\\', 'abc', 's3cr3t-key-2', PROXY]);

test.each([
  ['a secret in a body', '{"note":"s3cr3t-key"}', '{"note":"•••"}'],
  ['a secret in an address, encoded', 'https://x.example/?q=pass%20word', 'https://x.example/?q=•••'],
  ['a secret in a form', 'q=pass+word&x=1', 'q=•••&x=1'],
  ['a secret in JSON, escaped', JSON.stringify({ note: 'say "no"\\' }), '{"note":"•••"}'],
  ['a secret that begins as another one', 's3cr3t-key-2', '•••'],
  ['the address of a proxy', `connect ${PROXY} failed`, 'connect ••• failed'],
  ['the password of a proxy alone, as it was entered', 'refused p%40ss-w0rd', 'refused •••'],
  ['the password of a proxy alone, decoded', 'refused p@ss-w0rd', 'refused •••'],
  ['the password of a proxy, as it is sent', `Basic ${Buffer.from('topgate:p@ss-w0rd').toString('base64')}`, 'Basic •••'],
  ['a signature in JSON with quotes in it', '{"sign":"0a\\"1b","ref_id":"TG1-1"}', '{"sign":"•••","ref_id":"TG1-1"}'],
  ['a signature in JSON, whatever its value', '{"sign":"0a1b","ref_id":"TG1-1"}', '{"sign":"•••","ref_id":"TG1-1"}'],
  ['a signature in a query', 'https://x.example/m?ref=1&signature=0a1b&x=2', 'https://x.example/m?ref=1&signature=•••&x=2'],
  ['a key in a form', 'key=abcdef&sign=00&service=ML', 'key=•••&sign=•••&service=ML'],
  ['nothing else', '{"sku":"ML86","price":19500}', '{"sku":"ML86","price":19500}'],
])('%s is masked', (_what, text, masked) => {
  expect(redact(text)).toBe(masked);
});

test('a secret of a few characters would mask half of every text, so it is left', () => {
  expect(redact('abc abc')).toBe('abc abc');
});
