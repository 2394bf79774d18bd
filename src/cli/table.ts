import { stripVTControlCharacters } from 'node:util';

/** What a text means to its reader; how it then looks is the terminal's business. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';

export type Cell = string | { text: string; tone: Tone };

export interface Column {
  title: string;
  align?: 'right';
}

/** Colours a text, or leaves it as it is where colours are unwanted. */
export type Paint = (tone: Tone, text: string) => string;

const GAP = '  ';
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u{ff01}-\u{ff60}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns as wide as their widest cell, a quiet line of titles, and no lines drawn: easy to read, easy to copy from. */
export function renderTable(columns: Column[], rows: Cell[][], paint: Paint): string {
  const texts = rows.map((row) => columns.map((_, index) => textOf(row[index] ?? '')));
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...texts.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (cells: Cell[]) =>
    columns
      .map(({ align }, index) => padded(cells[index] ?? '', widths[index] ?? 0, align, paint))
      .join(GAP)
      .trimEnd();
  const titles = columns.map(({ title }): Cell => ({ text: title, tone: 'quiet' }));
  return [titles, ...rows].map(line).join('\n');
}

/** A block of `label  value` lines. Entries without a value are left out: an empty line tells nothing. */
export function renderDetails(entries: [label: string, value: Cell | null][], paint: Paint): string {
  const shown = entries.filter((entry): entry is [string, Cell] => entry[1] !== null && textOf(entry[1]) !== '');
  const width = Math.max(0, ...shown.map(([label]) => displayWidth(label)));
  return shown
    .map(([label, value]) => `  ${padded({ text: label, tone: 'quiet' }, width, undefined, paint)}${GAP}${painted(value, paint)}`)
    .join('\n');
}

/** The columns a text takes on a terminal: letters of East Asian scripts and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Text that came over the network must not steer the terminal, so its control characters are dropped before it is coloured. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, ' ');
}

function textOf(cell: Cell): string {
  return withoutControls(typeof cell === 'string' ? cell : cell.text);
}

function painted(cell: Cell, paint: Paint): string {
  return typeof cell === 'string' ? textOf(cell) : paint(cell.tone, textOf(cell));
}

function padded(cell: Cell, width: number, align: 'right' | undefined, paint: Paint): string {
  const padding = ' '.repeat(Math.max(0, width - displayWidth(textOf(cell))));
  return align === 'right' ? padding + painted(cell, paint) : painted(cell, paint) + padding;
}
