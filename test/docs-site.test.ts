import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveDocsSite } from '../src/docs-site/index.ts';
import { EDITIONS, markdownPathOf, pathOf } from '../src/docs-site/pages.ts';
import { createApp } from '../src/http/app.ts';
import { describeApi } from '../src/http/openapi.ts';
import { silentLog } from '../src/lib/log.ts';
import { openInMemory, type TestDatabase } from './support/engines.ts';
import { type Answer, openTestService, type TestService } from './support/service.ts';

let opened: TestDatabase;
let topgate: TestService;
beforeAll(async () => {
  opened = await openInMemory();
  topgate = await openTestService(opened);
});
afterAll(async () => {
  await topgate.stop();
  await opened.drop();
});

const get = (url: string, headers: Record<string, string> = {}) => topgate.raw({ method: 'GET', url, headers });

/** Addresses that a browser loads by itself, without anybody following a link. */
function loadedBy(html: string): string[] {
  const scripts = [...html.matchAll(/<(?:script|img|iframe)[^>]*\ssrc="([^"]*)"/g)];
  const styles = [...html.matchAll(/<link rel="(?:stylesheet|icon)"[^>]*href="([^"]*)"/g)];
  return [...scripts, ...styles].map(([, address]) => address ?? '');
}

const linksOf = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href ?? '');

describe.each(EDITIONS.map((edition) => ({ path: pathOf(edition), edition })))('$path', ({ path, edition }) => {
  test('is a page in its language, strict about what it loads', async () => {
    const { status, headers, body } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain(`<html lang="${edition.language}">`);
    expect(body.match(/<h1/g)).toHaveLength(1);
    expect(body).not.toMatch(/>undefined<|="undefined"|\[object |<script>|<style|\sstyle="|\son[a-z]+="/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(loadedBy(body).filter((address) => !address.startsWith('/docs/assets/'))).toEqual([]);
  });

  test('links only to pages and headings that exist', async () => {
    const { body } = await get(path);
    const wrong: string[] = [];
    for (const href of new Set([...linksOf(body), ...loadedBy(body)])) {
      if (/^https?:/.test(href)) continue;
      const [address, anchor] = href.split('#', 2);
      const target = address === '' ? { status: 200, body } : await get(address ?? '');
      const hasAnchor = anchor === undefined || String(target.body).includes(`id="${anchor}"`);
      if (target.status !== 200 || !hasAnchor) wrong.push(href);
    }
    expect(wrong).toEqual([]);
  });

  test('is there as Markdown too, with links that work where it is', async () => {
    const { status, headers, body } = await get(markdownPathOf(edition));
    expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(body).toMatch(/^# \S/);
    const pages = [...body.matchAll(/\]\((\/docs[^)#]*)/g)].map(([, address]) => address ?? '');
    for (const address of pages) expect((await get(address)).status, address).toBe(200);
  });
});

test('pages in two languages name each other', async () => {
  const { body } = await get('/docs/signing');
  expect(body).toContain('<link rel="alternate" hreflang="id" href="/docs/id/signing">');
  expect((await get('/docs/id/signing')).body).toContain('<link rel="alternate" hreflang="en" href="/docs/signing">');
});

test('the signature tester is on the page in both languages, with a sentence for everything it can find', async () => {
  const sentences = async (path: string) =>
    [...(await get(path)).body.matchAll(/data-sentence="(\w+)">([^<]+)</g)].map(([, code]) => code);
  const english = await sentences('/docs/signing');
  expect(english).toEqual(await sentences('/docs/id/signing'));
  expect(english).toContain('no_known_mistake');
});

test('error codes, and addresses of this installation, are links wherever they stand', async () => {
  expect((await get('/docs/limits')).body).toContain('href="/docs/errors#rate_limited"');
  expect((await get('/docs/id/limits')).body).toContain('href="/docs/id/errors#rate_limited"');
  expect((await get('/docs')).body).toContain('<a class="code-link" href="/openapi.json">');
});

test('llms.txt lists every page', async () => {
  const { headers, body } = await get('/llms.txt');
  expect(headers['content-type']).toMatch(/^text\/plain/);
  expect(body).toMatch(/^# Topgate\n\n> /);
  for (const edition of EDITIONS) expect(body).toContain(`](${markdownPathOf(edition)}): `);
});

test('the search index has the headings of all pages', async () => {
  for (const language of ['en', 'id']) {
    const { body } = await get(`/docs/assets/search-${language}.json`);
    expect(body.length).toBeGreaterThan(100);
    for (const { url } of body as { url: string }[]) expect((await get(url.split('#')[0] ?? '')).status, url).toBe(200);
  }
});

test('what a browser has already is not sent again, and what it lacks is sent compressed', async () => {
  const first = await get('/docs/assets/style.css');
  expect(first.headers['cache-control']).toBe('no-cache');
  const again = await get('/docs/assets/style.css', { 'if-none-match': String(first.headers['etag']) });
  expect([again.status, again.body]).toEqual([304, '']);
  const answer = await topgate.service.app.inject({ url: '/docs/assets/style.css', headers: { 'accept-encoding': 'gzip, br' } });
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(answer.rawPayload).toString()).toBe(first.body);
  expect((await get('/docs', { 'accept-encoding': 'br, gzip;q=0' })).headers['content-encoding']).toBeUndefined();
  expect((await topgate.raw({ method: 'HEAD', url: '/docs' })).status).toBe(200);
});

test('an address without a page is a page for people and an error for programs; a slash too many is taken away', async () => {
  const page = await get('/docs/id/nope', { accept: 'text/html' });
  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.body).toContain('<html lang="id">');
  expect((await get('/docs/nope')).body.error.code).toBe('route_not_found');
  for (const url of ['/docs/assets/../routes.ts', '/docs/%2e%2e/package.json', '/docs/assets/%2e%2e/routes.ts'])
    expect((await get(url)).status, url).toBe(404);
  const slash = await get('/docs/signing/');
  expect([slash.status, slash.headers['location']]).toEqual([308, '/docs/signing']);
  expect((await get('/docs//evil.example/')).status).toBe(404);
  expect((await topgate.raw({ method: 'POST', url: '/docs/signing' })).status).toBe(405);
});

describe('the API reference', () => {
  const open = async (scalarFile: string | null | undefined): Promise<Pick<Answer, 'status' | 'headers'> & { body: string }> => {
    const app = createApp({ log: silentLog });
    describeApi(app, { version: '0.0.0-test', events: [] });
    app.get(
      '/api/thing',
      { schema: { tags: ['Orders'], operationId: 'getThing', summary: 'A thing', description: 'Has `code`.' } },
      async () => ({}),
    );
    serveDocsSite(app, { version: '0.0.0-test', ...(scalarFile !== undefined && { scalarFile }) });
    const answer = await app.inject('/docs/reference');
    const asset = await app.inject('/docs/assets/scalar.js');
    await app.close();
    return { status: asset.statusCode, headers: answer.headers, body: answer.body };
  };

  test('is interactive, from files of this installation alone', async () => {
    const { status, headers, body } = await open(undefined);
    expect(status).toBe(200);
    expect(loadedBy(body)).toContain('/docs/assets/scalar.js');
    expect(loadedBy(body).filter((address) => !address.startsWith('/docs/assets/'))).toEqual([]);
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self' 'unsafe-inline'");
    expect(headers['content-security-policy']).not.toMatch(/https?:|unsafe-eval/);
  });

  test('is a plain list, and says why, where the development dependencies are not installed', async () => {
    const { status, headers, body } = await open(null);
    expect(status).toBe(404);
    expect(body).toContain('The interactive reference is not installed');
    expect(body).toContain('<b>GET</b> /api/thing</dt><dd>A thing. Has <code>code</code>.</dd>');
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });
});
