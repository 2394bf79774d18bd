/** The comforts of the documentation site. Every page reads well without them. */

const words = document.body.dataset;

/** Examples are written for the address of a first start; here they name the installation that is being read. */
const WRITTEN_ORIGIN = 'http://127.0.0.1:3000';

function nameThisInstallation() {
  if (location.origin === WRITTEN_ORIGIN) return;
  for (const code of document.querySelectorAll('main code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { nodeValue } = walker.currentNode;
      if (nodeValue.includes(WRITTEN_ORIGIN))
        walker.currentNode.nodeValue = nodeValue.replaceAll(WRITTEN_ORIGIN, location.origin);
    }
  }
}

function offerCopies() {
  for (const block of document.querySelectorAll('main pre')) {
    const frame = document.createElement('div');
    frame.className = 'code';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = words.copy;
    button.addEventListener('click', async () => {
      await copy(block);
      button.textContent = words.copied;
      setTimeout(() => {
        button.textContent = words.copy;
      }, 1_500);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** The clipboard is offered to secure contexts only; elsewhere the selection does. */
async function copy(block) {
  if (navigator.clipboard) return navigator.clipboard.writeText(block.textContent);
  getSelection().selectAllChildren(block);
  document.execCommand('copy');
}

function switchThemes() {
  const root = document.documentElement;
  const button = document.querySelector('[data-theme-switch]');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
  const tell = () => button.setAttribute('aria-pressed', String(isDark()));
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('topgate-theme', root.dataset.theme);
    } catch {
      // The choice then lasts for this page.
    }
    tell();
    document.dispatchEvent(new Event('themechange'));
  });
  tell();
}

function foldMenu() {
  const button = document.querySelector('[data-menu]');
  const pages = document.getElementById('site-pages');
  if (!button || !pages) return;
  button.addEventListener('click', () => {
    const open = pages.classList.toggle('open');
    button.setAttribute('aria-expanded', String(open));
  });
}

function unfoldContents() {
  const contents = document.querySelector('details.contents');
  const wide = matchMedia('(min-width: 75rem)');
  if (!contents) return;
  const follow = () => {
    contents.open = wide.matches;
  };
  wide.addEventListener('change', follow);
  follow();
}

const MAX_RESULTS = 12;

/** Searches the titles and headings of all pages, which are loaded at the first use. */
function searchHeadings() {
  const input = document.querySelector('[data-search]');
  const results = document.getElementById('site-results');
  if (!input || !results) return;
  let entries = null;
  const load = () => {
    entries ??= fetch(input.dataset.search).then((answer) => answer.json());
    return entries;
  };
  const close = () => {
    results.hidden = true;
  };
  const search = async () => {
    const wanted = input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return close();
    const found = (await load())
      .filter(({ title, page }) => wanted.every((word) => `${title} ${page}`.toLowerCase().includes(word)))
      .slice(0, MAX_RESULTS);
    results.replaceChildren(...(found.length === 0 ? [noResult()] : found.map(toResult)));
    results.hidden = false;
  };
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') results.querySelector('a')?.click();
    if (event.key === 'ArrowDown') results.querySelector('a')?.focus();
  });
  results.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      close();
      input.focus();
    }
    if (!step) return;
    event.preventDefault();
    const links = [...results.querySelectorAll('a')];
    (links[links.indexOf(document.activeElement) + step] ?? input).focus();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, [contenteditable]')) return;
    event.preventDefault();
    input.focus();
  });
}

function toResult({ title, page, url }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  if (page !== title) {
    const small = document.createElement('small');
    small.textContent = page;
    link.append(small);
  }
  item.append(link);
  return item;
}

function noResult() {
  const item = document.createElement('li');
  item.textContent = words.nothingFound;
  return item;
}

nameThisInstallation();
offerCopies();
switchThemes();
foldMenu();
unfoldContents();
searchHeadings();
