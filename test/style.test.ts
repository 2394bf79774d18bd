import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The rules of the house that the linter cannot express. */
const ROOT = path.join(import.meta.dirname, '..');

function sources(): { file: string; text: string }[] {
  return fs
    .readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => ({ file: file.replaceAll(path.sep, '/'), text: fs.readFileSync(path.join(ROOT, 'src', file), 'utf8') }));
}

function filesWith(pattern: RegExp, allowed: RegExp): string[] {
  return sources()
    .filter(({ file, text }) => pattern.test(text) && !allowed.test(file))
    .map(({ file }) => file);
}

test.each([
  ['the environment is read in main alone', /process\.env\b/, /^main\//],
  ['time comes from the clock', /Date\.now\(|new Date\(\)|performance\.now/, /^lib\/clock\.ts$/],
  [
    'randomness comes from ids, and nonces from the secret box',
    /Math\.random|randomBytes|randomUUID/,
    /^lib\/(ids|secret-box)\.ts$/,
  ],
  [
    'SQL stands in stores, reports and the database room',
    /\bsql`|\bsql</,
    /(store|book)\.ts$|^(db|reports)\/|^main\/service\.ts$/,
  ],
  ['only simulations repeat ids', /repeatIds/, /^lib\/ids\.ts$/],
  ['only the ledger writes its tables', /(into|update|Into\('|Table\(') ?(transfers|accounts)\b/, /^ledger\//],
  ['only the console of the process writes to it', /console\./, /^(main|cli)\//],
])('%s', (_rule, pattern, allowed) => {
  expect(filesWith(pattern, allowed)).toEqual([]);
});

test('every file is a whole thought of at most 400 lines', () => {
  expect(
    sources()
      .filter(({ text }) => text.split('\n').length > 400)
      .map(({ file }) => file),
  ).toEqual([]);
});
