import { summaryOf } from './markdown.ts';
import { EDITIONS, type Edition, markdownPathOf, SECTIONS } from './pages.ts';
import { WORDS } from './words.ts';

/** `/llms.txt` in the form of llmstxt.org: what this is, and where each page is as Markdown. */
export function llmsText(read: (edition: Edition) => string): string {
  const line = (edition: Edition) => `- [${edition.title}](${markdownPathOf(edition)}): ${summaryOf(read(edition))}`;
  const pages = (language: Edition['language']) => EDITIONS.filter((edition) => edition.language === language);
  const sections = SECTIONS.map(
    (section) =>
      `## ${WORDS.en.sections[section]}\n\n${pages('en')
        .filter(({ page }) => page.section === section)
        .map(line)
        .join('\n')}`,
  );
  return `# Topgate

> Topgate takes signed, prepaid game top-up orders over HTTP with JSON, delivers them through suppliers, and tells the end by webhook, event feed and status call. Read the quickstart first; sign as the signing page says; on a timeout send the same \`ref_id\` again.

${sections.join('\n\n')}

## API description

- [OpenAPI 3.1](/openapi.json): every path, field and answer

## Optional

${pages('id').map(line).join('\n')}
`;
}
