import fs from 'node:fs';
import path from 'node:path';
import { pageHtml } from './layout.ts';
import { llmsText } from './llms.ts';
import { renderMarkdown, servedMarkdown } from './markdown.ts';
import { EDITIONS, type Edition, LANGUAGES, type Language, markdownPathOf, pathOf, REFERENCE_PATH } from './pages.ts';
import { type ApiDescription, plainReferenceHtml, scalarHtml } from './reference.ts';

/** Something the site serves at one address. It is rendered at its first request. */
export interface SiteDocument {
  type: string;
  render(): string | Buffer;
  /** The interactive reference styles its parts from its script, which the other pages may not. */
  looseStyle?: boolean;
}

export interface SiteOptions {
  version: string;
  /** The OpenAPI document, as it is once all routes are there. */
  describe: () => ApiDescription;
  /** Scalar's bundled file; null where it is not installed. */
  scalarFile: string | null;
}

const ROOT = path.join(import.meta.dirname, '../..');
const BROWSER_FILES = path.join(import.meta.dirname, 'browser');
const HTML = 'text/html; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const TYPES: Record<string, string> = { '.js': JAVASCRIPT, '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const ASSETS = [
  'style.css',
  'layout.css',
  'tester.css',
  'reference.css',
  'icon.svg',
  'theme.js',
  'site.js',
  'signature-check.js',
  'signature-tester.js',
  'reference.js',
] as const;
const SCALAR_FILE = path.join(ROOT, 'node_modules/@scalar/api-reference/dist/browser/standalone.js');

/** Scalar is a development dependency, so an installation may lack it. */
export function findScalar(): string | null {
  return fs.existsSync(SCALAR_FILE) ? SCALAR_FILE : null;
}

/** Everything below `/docs`, and `/llms.txt`, by address. */
export function siteDocuments({ version, describe, scalarFile }: SiteOptions): Map<string, SiteDocument> {
  const documents = new Map<string, SiteDocument>();
  for (const edition of EDITIONS) {
    documents.set(pathOf(edition), {
      type: HTML,
      render: () => pageHtml(edition, renderMarkdown(read(edition), edition), version),
    });
    documents.set(markdownPathOf(edition), {
      type: 'text/markdown; charset=utf-8',
      render: () => servedMarkdown(read(edition), edition),
    });
  }
  for (const name of ASSETS) {
    const file = path.join(BROWSER_FILES, name);
    documents.set(`/docs/assets/${name}`, { type: TYPES[path.extname(name)] ?? HTML, render: () => fs.readFileSync(file) });
  }
  for (const language of LANGUAGES)
    documents.set(`/docs/assets/search-${language}.json`, {
      type: 'application/json; charset=utf-8',
      render: () => JSON.stringify(searchEntries(language)),
    });
  documents.set('/llms.txt', { type: 'text/plain; charset=utf-8', render: () => llmsText(read) });
  if (scalarFile === null) {
    documents.set(REFERENCE_PATH, { type: HTML, render: () => plainReferenceHtml(describe()) });
  } else {
    documents.set(REFERENCE_PATH, { type: HTML, render: scalarHtml, looseStyle: true });
    documents.set('/docs/assets/scalar.js', { type: JAVASCRIPT, render: () => fs.readFileSync(scalarFile) });
  }
  return documents;
}

function read({ file }: Edition): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

/** Titles and headings of the pages in a language, and of those that are in English only. */
function searchEntries(language: Language): { title: string; page: string; url: string }[] {
  const shown = EDITIONS.filter((edition) => edition.language === language || edition.page.title[language] === undefined);
  return shown.flatMap((edition) => {
    const { headings } = renderMarkdown(read(edition), edition);
    return headings.map(({ level, text, id }) => ({
      title: level === 1 ? edition.title : text,
      page: edition.title,
      url: level === 1 ? pathOf(edition) : `${pathOf(edition)}#${id}`,
    }));
  });
}
