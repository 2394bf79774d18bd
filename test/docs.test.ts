import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { EDITIONS } from '../src/docs-site/pages.ts';
import { PROBLEMS } from '../src/http/problems.ts';
import { after, MINUTE_MS, systemClock } from '../src/lib/clock.ts';
import { ENVIRONMENT_VARIABLES } from '../src/main/config.ts';
import { SIGNATURE_VECTORS } from '../src/resellers/index.ts';
import { FAILURES } from '../src/suppliers/index.ts';
import { EVENT_TYPES } from '../src/webhooks/index.ts';

/** What the documents say about the code, held against the code. */
const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

const codeBlocks = (text: string) => text.match(/^```[^\n]*\n.*?^```$/gms) ?? [];
const withoutCode = (text: string) => text.replace(/^```[^\n]*\n.*?^```$/gms, '');

function documents(): string[] {
  const guides = fs
    .readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join('docs', file));
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...guides].filter((file) => file.endsWith('.md'));
}

describe.each(['docs/guides/', 'docs/guides/id/'])('%s', (folder) => {
  test('every error code has its section in the guide with meaning, cause and remedy, and no other has one', () => {
    const [, ...sections] = read(`${folder}errors.md`).split(/^### /m);
    const codes = sections.map((section) => /^`([a-z_]+)`$/m.exec(section)?.[1] ?? '');
    expect(codes.toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
    expect(codes.filter((_code, index) => sections[index]?.match(/^- \*\*\p{L}+\.\*\* /gmu)?.length !== 3)).toEqual([]);
  });

  test('the guide to signing shows the published vectors', () => {
    const guide = read(`${folder}signing.md`);
    expect(SIGNATURE_VECTORS.filter(({ signature }) => !guide.includes(signature))).toEqual([]);
  });

  test('every reason for a failed order is explained', () => {
    const guide = read(`${folder}orders.md`);
    expect(Object.keys(FAILURES).filter((code) => !guide.includes(`| \`${code}\``))).toEqual([]);
  });

  test('every type of event is explained', () => {
    const guide = read(`${folder}webhooks.md`);
    expect(EVENT_TYPES.filter((type) => !guide.includes(`| \`${type}\``))).toEqual([]);
  });
});

describe('the code in the guides', () => {
  /** The first JavaScript block of a guide, as a module. */
  const moduleOf = async (guide: string) => {
    const code = codeBlocks(read(guide)).find((block) => block.startsWith('```js\n')) ?? '';
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-guide-')), 'guide.mjs');
    fs.writeFileSync(file, code.replace(/^```js\n|```$/g, ''));
    const loaded = await import(pathToFileURL(file).href);
    fs.rmSync(path.dirname(file), { recursive: true });
    return loaded;
  };

  test('signs as published', async () => {
    const { sign } = await moduleOf('docs/guides/signing.md');
    for (const { order, secret, signature } of SIGNATURE_VECTORS) {
      const { user_id, zone, ...fields } = order;
      expect(sign(secret, { ...fields, account_identifier: { user_id, zone } })).toBe(signature);
    }
  });

  test('accepts a genuine webhook, also with two signatures, and refuses a forged or an old one', async () => {
    const { verify } = await moduleOf('docs/guides/webhooks.md');
    const [secret, other] = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`);
    const body = JSON.stringify({ type: 'webhook.test', data: { message: 'é' } });
    const headersAt = (time: Date, ...secrets: (string | undefined)[]) => ({
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': secrets.map((one) => new Webhook(one ?? '').sign('evt_1', time, body)).join(' '),
    });
    const now = systemClock.now();
    expect(verify(secret, headersAt(now, secret), body)).toEqual(JSON.parse(body));
    expect(verify(secret, headersAt(now, other, secret), body)).toEqual(JSON.parse(body));
    expect(() => verify(secret, headersAt(now, other), body)).toThrow();
    expect(() => verify(secret, headersAt(now, secret), `${body} `)).toThrow();
    expect(() => verify(secret, headersAt(after(now, -10 * MINUTE_MS), secret), body)).toThrow();
    expect(() => verify(secret, {}, body)).toThrow();
  });
});

describe.each(EDITIONS.filter(({ language }) => language === 'id').map(({ page, file }) => ({ file, slug: page.slug })))(
  '$file',
  ({ file, slug }) => {
    const english = EDITIONS.find(({ page, language }) => page.slug === slug && language === 'en')?.file ?? '';

    test('has the same headings, tables and code as the English page', () => {
      const shape = (text: string) => ({
        code: codeBlocks(text),
        headings: withoutCode(text).match(/^#+ /gm),
        rows: withoutCode(text).match(/^\|/gm)?.length,
        items: withoutCode(text).match(/^ *(-|\d+\.) /gm)?.length,
      });
      expect(shape(read(file))).toEqual(shape(read(english)));
    });
  },
);

test('every guide is a page of the site', () => {
  const guides = documents().filter((file) => file.startsWith('docs/guides/'));
  expect(guides.filter((guide) => !EDITIONS.some(({ file }) => file === guide))).toEqual([]);
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
