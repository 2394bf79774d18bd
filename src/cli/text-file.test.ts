import { expect, test } from 'vitest';
import { decodeText } from './text-file.ts';

const TEXT = 'ref_id;Händler\n';

test.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-16, little end first', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(TEXT, 'utf16le')])],
  ['UTF-16, big end first', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(TEXT, 'utf16le').swap16()])],
])('a file in %s is read as what it says', (_what, bytes) => {
  expect(decodeText(bytes)).toBe(TEXT);
});
