import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

const redact = createRedactor(['s3cr3t-key', 'pass word', 'abc']);

test.each([
  ['a secret in a body', '{"note":"s3cr3t-key"}', '{"note":"•••"}'],
  ['a secret in an address, encoded', 'https://x.example/?q=pass%20word', 'https://x.example/?q=•••'],
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
