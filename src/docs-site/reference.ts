import { escapeHtml } from './html.ts';
import { frameHtml } from './layout.ts';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
}

/** The part of the OpenAPI document that the plain reference shows. */
export interface ApiDescription {
  paths?: Record<string, Record<string, Operation>>;
}

const TITLE = 'API reference · Topgate';
const LANGUAGES = { en: '/docs', id: '/docs/id' };

/** The page with Scalar's reference: every operation, with a form to try it. The script builds it from `/openapi.json`. */
export function scalarHtml(): string {
  return frameHtml({
    language: 'en',
    title: TITLE,
    languages: LANGUAGES,
    bodyClass: 'reference',
    withMenu: false,
    head: '<link rel="stylesheet" href="/docs/assets/reference.css">\n<script src="/docs/assets/scalar.js" defer></script>\n<script src="/docs/assets/reference.js" defer></script>',
    body: '<main id="site-content" tabindex="-1"><div id="reference"></div><noscript><p class="note">The interactive reference needs JavaScript. The same for programs: <a href="/openapi.json">/openapi.json</a>.</p></noscript></main>',
  });
}

/** Every path with what it does, from the description itself: for installations without the interactive reference. */
export function plainReferenceHtml({ paths = {} }: ApiDescription): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(rows, ({ operation }) => operation.tags?.[0] ?? 'Other');
  const sections = [...groups].map(
    ([tag, entries]) => `<h2>${escapeHtml(tag)}</h2><dl class="operations">${entries.map(operationHtml).join('')}</dl>`,
  );
  return frameHtml({
    language: 'en',
    title: TITLE,
    languages: LANGUAGES,
    withMenu: false,
    body: `<div class="frame"><main id="site-content" tabindex="-1"><article><h1>API reference</h1>
<p>The interactive reference is not installed: it comes with the development dependencies, which <code>npm ci --omit=dev</code> leaves out.
This is the plain list. For programs, with every field: <a href="/openapi.json">/openapi.json</a>.</p>
${sections.join('\n')}</article></main></div>`,
  });
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const text = [operation.summary, operation.description].filter(Boolean).join('. ');
  return `<dt><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</dt><dd>${withCode(escapeHtml(text))}</dd>`;
}

/** What stands between backticks is code, as in the descriptions it comes from. */
function withCode(html: string): string {
  return html.replace(/`([^`]+)`/g, '<code>$1</code>');
}
