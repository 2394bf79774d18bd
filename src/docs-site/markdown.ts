import path from 'node:path';
import { Marked, type Tokens } from 'marked';
import { PROBLEMS } from '../http/problems.ts';
import { required } from '../lib/assert.ts';
import { highlight } from './highlight.ts';
import { escapeHtml } from './html.ts';
import { EDITIONS, type Edition, editionOf, markdownPathOf, PAGES, pathOf, REFERENCE_PATH } from './pages.ts';
import { TESTER_MARK, testerHtml } from './tester.ts';
import { WORDS } from './words.ts';

export interface Heading {
  level: number;
  text: string;
  id: string;
}

export interface Rendered {
  html: string;
  headings: Heading[];
  /** The first paragraph, for search engines and lists of pages. */
  summary: string;
}

/** Renders a page for the site. The same file reads well in a repository's web view, so links are turned into the site's own. */
export function renderMarkdown(source: string, edition: Edition): Rendered {
  const headings: Heading[] = [];
  const slugs = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const plain = toPlainText(text);
        const id = uniqueSlug(plain, slugs);
        headings.push({ level: depth, text: plain, id });
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${content}</h1>\n`;
        return `<h${depth} id="${id}">${content} <a class="anchor" href="#${id}" aria-label="#${id}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = resolveLink(href, edition, pathOf);
        // A file of the repository that is no page of the site: its name is all that can be given.
        if (target === null) return `<span class="repository-file" title="${escapeHtml(href)}">${content}</span>`;
        return `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      code({ text, lang }) {
        const language = lang ?? '';
        return `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${highlight(text, language)}</code></pre>\n`;
      },
      codespan({ text }) {
        const target = targetOfCode(text, edition);
        const code = `<code>${escapeHtml(text)}</code>`;
        return target === null ? code : `<a class="code-link" href="${target}">${code}</a>`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" role="region" tabindex="0" aria-label="${WORDS[edition.language].table}"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      html({ text }) {
        return text.trim() === TESTER_MARK ? testerHtml(edition.language) : '';
      },
    },
  });
  const html = marked.parse(withoutReplacedParts(source), { async: false });
  return { html, headings, summary: summaryOf(source) };
}

/** The page's source with links that work where it is served. */
export function servedMarkdown(source: string, edition: Edition): string {
  return source.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
    const target = resolveLink(href, edition, markdownPathOf);
    return target === null ? whole : `](${target})`;
  });
}

/** The first paragraph below the title, as plain text. */
export function summaryOf(source: string): string {
  const paragraph = source.split(/\n{2,}/).find((part) => /^[\p{L}`*[]/u.test(part.trim())) ?? '';
  return toPlainText(paragraph.replace(/\s+/g, ' ').trim());
}

/** Where a link of a page leads on the site; null for files of the repository that are not on it. */
function resolveLink(href: string, from: Edition, toPath: (edition: Edition) => string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#', 2);
  const wanted = path.posix.join(path.posix.dirname(from.file), file);
  const target =
    wanted === 'README.md'
      ? editionOf(required(PAGES[0], 'the index page'), from.language)
      : (EDITIONS.find((edition) => edition.file === wanted && edition.language === from.language) ??
        EDITIONS.find((edition) => edition.file === wanted));
  if (!target) return null;
  return toPath(target) + (anchor === undefined ? '' : `#${anchor}`);
}

const ADDRESSES: ReadonlySet<string> = new Set([REFERENCE_PATH, '/openapi.json', '/llms.txt', '/docs']);

/** Addresses of this installation, and error codes, are links wherever they stand as code. */
function targetOfCode(code: string, { page, language }: Edition): string | null {
  if (ADDRESSES.has(code)) return code;
  const errors = PAGES.find(({ slug }) => slug === 'errors');
  if (!errors || page === errors || page.slug === 'changelog' || !(code in PROBLEMS)) return null;
  return `${pathOf({ page: errors, language })}#${code}`;
}

/** What stands between the marks is for readers of the file; the site has the tester there. */
function withoutReplacedParts(source: string): string {
  return source.replace(/(<!-- signature-tester -->)[\s\S]*?<!-- \/signature-tester -->/, '$1');
}

/** The same anchors as on GitHub, so that links work in both places. */
function uniqueSlug(text: string, used: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  const times = used.get(slug) ?? 0;
  used.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
}

function toPlainText(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}
