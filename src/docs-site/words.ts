import type { Language, Section } from './pages.ts';

/** What the site itself says, around the pages. */
export interface Words {
  languageName: string;
  skip: string;
  menu: string;
  pages: string;
  search: string;
  nothingFound: string;
  theme: string;
  language: string;
  onThisPage: string;
  previous: string;
  next: string;
  markdown: string;
  reference: string;
  copy: string;
  copied: string;
  inEnglish: string;
  table: string;
  sections: Record<Section, string>;
  notFound: { title: string; text: string; back: string };
}

export const WORDS: Record<Language, Words> = {
  en: {
    languageName: 'English',
    skip: 'Skip to the content',
    menu: 'Menu',
    pages: 'Pages',
    search: 'Search',
    nothingFound: 'Nothing found',
    theme: 'Light or dark',
    language: 'Language',
    onThisPage: 'On this page',
    previous: 'Previous',
    next: 'Next',
    markdown: 'This page as Markdown',
    reference: 'API reference',
    copy: 'Copy',
    copied: 'Copied',
    inEnglish: 'in English',
    table: 'Table',
    sections: { start: 'Start', build: 'Build', operate: 'Operate', suppliers: 'Suppliers' },
    notFound: {
      title: 'There is no such page',
      text: 'The address may have a typing error, or the page was renamed. The menu has all pages there are.',
      back: 'Back to the overview',
    },
  },
  id: {
    languageName: 'Bahasa Indonesia',
    skip: 'Langsung ke isi',
    menu: 'Menu',
    pages: 'Halaman',
    search: 'Cari',
    nothingFound: 'Tidak ditemukan',
    theme: 'Terang atau gelap',
    language: 'Bahasa',
    onThisPage: 'Di halaman ini',
    previous: 'Sebelumnya',
    next: 'Berikutnya',
    markdown: 'Halaman ini dalam Markdown',
    reference: 'Referensi API',
    copy: 'Salin',
    copied: 'Tersalin',
    inEnglish: 'dalam bahasa Inggris',
    table: 'Tabel',
    sections: { start: 'Mulai', build: 'Integrasi', operate: 'Untuk operator', suppliers: 'Pemasok' },
    notFound: {
      title: 'Halaman ini tidak ada',
      text: 'Mungkin alamatnya salah ketik, atau halamannya sudah berganti nama. Semua halaman yang ada tercantum di menu.',
      back: 'Kembali ke ringkasan',
    },
  },
};
