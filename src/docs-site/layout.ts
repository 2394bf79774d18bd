import { escapeHtml } from './html.ts';
import type { Heading, Rendered } from './markdown.ts';
import {
  EDITIONS,
  type Edition,
  editionOf,
  LANGUAGES,
  type Language,
  markdownPathOf,
  PAGES,
  pathOf,
  REFERENCE_PATH,
  SECTIONS,
} from './pages.ts';
import { WORDS } from './words.ts';

interface Frame {
  language: Language;
  title: string;
  /** More lines of the head. */
  head?: string;
  /** Where the language switch leads; the start pages, where this page has no other language. */
  languages: Record<Language, string>;
  /** The page's own part of the body, below the header. */
  body: string;
  bodyClass?: string;
  withMenu: boolean;
}

const START_PAGES: Record<Language, string> = { en: '/docs', id: '/docs/id' };

/** One page of the site, whole. */
export function pageHtml(edition: Edition, { html, headings, summary }: Rendered, version: string): string {
  const words = WORDS[edition.language];
  const editions = EDITIONS.filter(({ page }) => page === edition.page);
  const languages = { ...START_PAGES, ...Object.fromEntries(editions.map((one) => [one.language, pathOf(one)])) };
  const alternates = editions.map((one) => `<link rel="alternate" hreflang="${one.language}" href="${pathOf(one)}">`);
  return frameHtml({
    language: edition.language,
    title: edition.page.slug === '' ? 'Topgate' : `${edition.title} · Topgate`,
    head: [
      `<meta name="description" content="${escapeHtml(summary)}">`,
      ...(alternates.length > 1 ? alternates : []),
      `<link rel="alternate" type="text/markdown" href="${markdownPathOf(edition)}">`,
    ].join('\n'),
    languages,
    withMenu: true,
    body: `<div class="frame">
${navigation(edition.language, pathOf(edition))}
<main id="site-content" tabindex="-1">
${contents(headings, edition.language)}
<article>
${html}</article>
${neighbours(edition)}
<footer><a href="${markdownPathOf(edition)}">${words.markdown}</a> · Topgate ${escapeHtml(version)}</footer>
</main>
</div>`,
  });
}

export function notFoundHtml(language: Language): string {
  const { notFound } = WORDS[language];
  return frameHtml({
    language,
    title: `${notFound.title} · Topgate`,
    languages: START_PAGES,
    withMenu: true,
    body: `<div class="frame">
${navigation(language, '')}
<main id="site-content" tabindex="-1"><article><p class="status-number">404</p><h1>${notFound.title}</h1><p>${notFound.text}</p>
<p><a href="${START_PAGES[language]}">${notFound.back}</a></p></article></main>
</div>`,
  });
}

/** The head, the header and the language of any page of the site. */
export function frameHtml({ language, title, head = '', languages, body, bodyClass = '', withMenu }: Frame): string {
  const words = WORDS[language];
  const switches = LANGUAGES.map((other) =>
    other === language
      ? `<span aria-current="true" lang="${other}" title="${WORDS[other].languageName}">${other.toUpperCase()}</span>`
      : `<a href="${languages[other]}" lang="${other}" hreflang="${other}" title="${WORDS[other].languageName}">${other.toUpperCase()}</a>`,
  );
  const menu = withMenu
    ? `<button type="button" class="menu" data-menu aria-expanded="false" aria-controls="site-pages">${words.menu}</button>`
    : '';
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/style.css">
<link rel="stylesheet" href="/docs/assets/layout.css">
<script src="/docs/assets/theme.js"></script>
<script type="module" src="/docs/assets/site.js"></script>
</head>
<body class="${bodyClass}" data-copy="${words.copy}" data-copied="${words.copied}" data-nothing-found="${words.nothingFound}">
<a class="skip" href="#site-content">${words.skip}</a>
<header class="top">
${menu}
<a class="brand" href="${START_PAGES[language]}"><img src="/docs/assets/icon.svg" alt="" width="22" height="22">Topgate</a>
<div class="search" role="search"><input type="search" placeholder="${words.search}" aria-label="${words.search}" data-search="/docs/assets/search-${language}.json" autocomplete="off"><ul id="site-results" hidden></ul></div>
<a class="reference-link" href="${REFERENCE_PATH}">${words.reference}</a>
<nav class="languages" aria-label="${words.language}">${switches.join('')}</nav>
<button type="button" class="theme" data-theme-switch aria-pressed="false" aria-label="${words.theme}" title="${words.theme}"><svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></svg></button>
</header>
${body}
</body>
</html>
`;
}

function navigation(language: Language, current: string): string {
  const words = WORDS[language];
  const link = (path: string, title: string, note = '') =>
    `<li><a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}${note}</a></li>`;
  const sections = SECTIONS.map((section) => {
    const links = PAGES.filter((page) => page.section === section).map((page) => {
      const edition = editionOf(page, language);
      const foreign = edition.language !== language;
      const note = foreign ? ` <small lang="${edition.language}" title="${words.inEnglish}">EN</small>` : '';
      return link(pathOf(edition), edition.title, note);
    });
    if (section === 'start') links.push(link(REFERENCE_PATH, words.reference));
    return `<h2>${words.sections[section]}</h2><ul>${links.join('')}</ul>`;
  });
  return `<nav class="pages" id="site-pages" aria-label="${words.pages}">${sections.join('\n')}</nav>`;
}

function contents(headings: Heading[], language: Language): string {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 2) return '';
  const items = listed.map(({ level, text, id }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<details class="contents"><summary>${WORDS[language].onThisPage}</summary><ul>${items.join('')}</ul></details>`;
}

/** The pages before and after, in the order of the navigation. */
function neighbours(edition: Edition): string {
  const words = WORDS[edition.language];
  const at = PAGES.indexOf(edition.page);
  const link = (index: number, label: string, rel: string) => {
    const page = PAGES[index];
    if (!page) return '<span></span>';
    const other = editionOf(page, edition.language);
    return `<a rel="${rel}" href="${pathOf(other)}"><small>${label}</small>${escapeHtml(other.title)}</a>`;
  };
  return `<nav class="neighbours" aria-label="${words.previous}, ${words.next}">${link(at - 1, words.previous, 'prev')}${link(at + 1, words.next, 'next')}</nav>`;
}
