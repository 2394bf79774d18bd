/** The documentation site's table of contents: what pages there are, in which languages, and which file each comes from. */

export const LANGUAGES = ['en', 'id'] as const;
export type Language = (typeof LANGUAGES)[number];

export const SECTIONS = ['start', 'build', 'operate', 'suppliers'] as const;
export type Section = (typeof SECTIONS)[number];

export interface Page {
  /** The last part of its address; the index has none. */
  slug: string;
  section: Section;
  /** What the navigation calls it. Most pages for operators are in English only. */
  title: { en: string; id?: string };
  /** The Markdown file from the project's root, where it is not one of the guides. */
  file?: string;
}

export const PAGES: readonly Page[] = [
  { slug: '', section: 'start', title: { en: 'Overview', id: 'Ringkasan' } },
  { slug: 'quickstart', section: 'start', title: { en: 'Quickstart', id: 'Mulai cepat' } },
  { slug: 'test-mode', section: 'start', title: { en: 'Test mode', id: 'Mode tes' } },
  { slug: 'libraries', section: 'start', title: { en: 'SDK and examples', id: 'SDK dan contoh' } },
  { slug: 'signing', section: 'build', title: { en: 'Signing', id: 'Tanda tangan' } },
  { slug: 'orders', section: 'build', title: { en: 'Orders and states', id: 'Order dan status' } },
  { slug: 'webhooks', section: 'build', title: { en: 'Webhooks', id: 'Webhook' } },
  { slug: 'errors', section: 'build', title: { en: 'Errors', id: 'Error' } },
  { slug: 'limits', section: 'build', title: { en: 'Limits', id: 'Batas' } },
  { slug: 'going-live', section: 'build', title: { en: 'Going live', id: 'Menuju live' } },
  { slug: 'versioning', section: 'build', title: { en: 'Versioning', id: 'Versi' } },
  { slug: 'changelog', section: 'build', title: { en: 'Changelog' }, file: 'CHANGELOG.md' },
  { slug: 'operations', section: 'operate', title: { en: 'Running' } },
  { slug: 'backup', section: 'operate', title: { en: 'Backup and restore' } },
  { slug: 'upgrade', section: 'operate', title: { en: 'Upgrade' } },
  { slug: 'scaling', section: 'operate', title: { en: 'Scaling', id: 'Penskalaan' } },
  { slug: 'suppliers', section: 'operate', title: { en: 'Suppliers' } },
  { slug: 'supplier-operations', section: 'operate', title: { en: 'Suppliers from day to day' } },
  { slug: 'adding-a-supplier', section: 'operate', title: { en: 'Adding a supplier' } },
  { slug: 'security', section: 'operate', title: { en: 'Security' }, file: 'SECURITY.md' },
  { slug: 'supplier-digiflazz', section: 'suppliers', title: { en: 'Digiflazz' }, file: 'src/suppliers/digiflazz/README.md' },
  {
    slug: 'supplier-vip-reseller',
    section: 'suppliers',
    title: { en: 'VIP Reseller' },
    file: 'src/suppliers/vip-reseller/README.md',
  },
  { slug: 'supplier-apigames', section: 'suppliers', title: { en: 'APIGames' }, file: 'src/suppliers/apigames/README.md' },
  {
    slug: 'supplier-tokovoucher',
    section: 'suppliers',
    title: { en: 'TokoVoucher' },
    file: 'src/suppliers/tokovoucher/README.md',
  },
  { slug: 'supplier-iak', section: 'suppliers', title: { en: 'IAK' }, file: 'src/suppliers/iak/README.md' },
  { slug: 'supplier-bangjeff', section: 'suppliers', title: { en: 'BangJeff' }, file: 'src/suppliers/bangjeff/README.md' },
  { slug: 'supplier-moogold', section: 'suppliers', title: { en: 'MooGold' }, file: 'src/suppliers/moogold/README.md' },
  { slug: 'supplier-unipin', section: 'suppliers', title: { en: 'UniPin' }, file: 'src/suppliers/unipin/README.md' },
  { slug: 'supplier-topgate', section: 'suppliers', title: { en: 'Topgate' }, file: 'src/suppliers/topgate/README.md' },
];

/** One page in one language. */
export interface Edition {
  page: Page;
  language: Language;
  title: string;
  /** From the project's root, with forward slashes. */
  file: string;
}

/** Every page in every language it has, in the order of the table of contents. */
export const EDITIONS: readonly Edition[] = LANGUAGES.flatMap((language) =>
  PAGES.flatMap((page) => {
    const title = page.title[language];
    return title === undefined ? [] : [{ page, language, title, file: page.file ?? guideFile(page.slug, language) }];
  }),
);

/** The index is called README so that a repository's web view shows it for the folder. */
function guideFile(slug: string, language: Language): string {
  return `docs/guides/${language === 'en' ? '' : `${language}/`}${slug || 'README'}.md`;
}

/** The page in the wanted language, or in English where it has no other. */
export function editionOf(page: Page, language: Language): Edition {
  const inLanguage = (wanted: Language) => EDITIONS.find((edition) => edition.page === page && edition.language === wanted);
  const edition = inLanguage(language) ?? inLanguage('en');
  if (!edition) throw new Error(`The page ${page.slug} has no edition.`);
  return edition;
}

export const REFERENCE_PATH = '/docs/reference';

const ROOTS: Record<Language, string> = { en: '/docs', id: '/docs/id' };

export function pathOf({ page, language }: Pick<Edition, 'page' | 'language'>): string {
  return page.slug === '' ? ROOTS[language] : `${ROOTS[language]}/${page.slug}`;
}

/** Where the Markdown of a page is served. */
export function markdownPathOf({ page, language }: Pick<Edition, 'page' | 'language'>): string {
  return `${ROOTS[language]}/${page.slug || 'index'}.md`;
}
