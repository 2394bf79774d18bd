import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../src/http/problems.ts';
import { ENVIRONMENT_VARIABLES } from '../src/main/config.ts';
import { SIGNATURE_VECTORS } from '../src/resellers/index.ts';

/** What the documents say about the code, held against the code. */
const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

function documents(): string[] {
  const guides = fs
    .readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join('docs', file));
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...guides].filter((file) => file.endsWith('.md'));
}

test('every error code has its section in the guide, and no other has one', () => {
  const sections = [...read('docs/guides/errors.md').matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(sections.toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
});

test('the guide to signing shows the published vectors', () => {
  const guide = read('docs/guides/signing.md');
  expect(SIGNATURE_VECTORS.filter(({ signature }) => !guide.includes(signature))).toEqual([]);
});

test('every setting is explained to operators', () => {
  const guide = read('docs/guides/operations.md');
  expect(ENVIRONMENT_VARIABLES.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

describe.each(documents())('%s', (file) => {
  test('links only to files that exist', () => {
    const links = [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => link ?? '');
    expect(links.filter((link) => !fs.existsSync(path.join(ROOT, path.dirname(file), link)))).toEqual([]);
  });

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(file).matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
