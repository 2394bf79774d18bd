import type { Details, Figure } from './figures.ts';

/** The tables of one case, one for each unit, as aligned Markdown, so that they can be read where they are printed and kept. */
export function renderFigures(figures: Figure[]): string {
  const units = [...new Set(figures.map(({ unit }) => unit))];
  return units.map((unit) => renderTable(figures.filter((figure) => figure.unit === unit))).join('\n\n');
}

function renderTable(figures: Figure[]): string {
  const details = [...new Set(figures.flatMap((figure) => Object.keys(figure.details)))];
  const used = details.filter((heading) => figures.some((figure) => (figure.details[heading] ?? null) !== null));
  const hasRatio = figures.some(({ ratio }) => ratio !== null);
  const hasSpread = figures.some(({ rounds }) => rounds.length > 1);
  const headings = ['', '', figures[0]?.unit ?? '', ...(hasSpread ? ['spread'] : []), ...(hasRatio ? ['ratio'] : []), ...used];
  const rows = figures.map((figure) => [
    figure.subject,
    figure.setting,
    number(figure.value),
    ...(hasSpread ? [spread(figure.rounds)] : []),
    ...(hasRatio ? [ratio(figure)] : []),
    ...used.map((heading) => cell(figure.details[heading] ?? null)),
  ]);
  return renderRows([headings, ...rows]);
}

export function renderRows(rows: string[][], leftColumns = 2): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column < leftColumns ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const rule = `|${widths.map((width, column) => (column < leftColumns ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [headings, ...body] = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  return [headings, rule, ...body].join('\n');
}

/** As many digits as mean something. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function spread(rounds: number[]): string {
  return rounds.length < 2 ? '–' : `${number(Math.min(...rounds))}–${number(Math.max(...rounds))}`;
}

function ratio({ ratio: compared, isBaseline }: Figure): string {
  if (compared === null) return '–';
  return isBaseline && compared === 1 ? 'baseline' : `${compared.toFixed(2)} ×`;
}

function cell(value: Details[string]): string {
  if (value === null) return '–';
  return typeof value === 'number' ? number(value) : value;
}
