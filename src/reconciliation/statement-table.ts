import { CsvError, parse } from 'csv-parse/sync';

export type StatementTable = { kind: 'table'; rows: string[][] } | { kind: 'invalid'; line: number; message: string };

/** Commas first: they win where nothing speaks for another. */
const DELIMITERS = [',', ';', '\t'] as const;
/** Enough to tell what stands between the cells. */
const ROWS_TO_JUDGE = 20;

/** The cells of a statement file, whatever stands between them. */
export function readTable(text: string, maxRows: number): StatementTable {
  if (text.includes('\u0000'))
    return invalid(1, 'The file is not text in UTF-8, perhaps it is in UTF-16. Save it as "CSV UTF-8" and send it again.');
  try {
    return { kind: 'table', rows: parseRows(text, findDelimiter(text), maxRows) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as CsvError & { lines?: number };
    return invalid(lines ?? 1, `Not a CSV file: ${error.message}.`);
  }
}

/** The one that divides every one of the first rows into the most cells: others stand within single cells only. */
function findDelimiter(text: string): string {
  const leastCells = (delimiter: string) => {
    try {
      return Math.min(...parseRows(text, delimiter, ROWS_TO_JUDGE).map(({ length }) => length));
    } catch (error) {
      // Quotes that do not fit are a sign that it is another one.
      if (error instanceof CsvError) return 0;
      throw error;
    }
  };
  const judged = DELIMITERS.map((delimiter) => ({ delimiter, cells: leastCells(delimiter) }));
  return judged.reduce((best, one) => (one.cells > best.cells ? one : best)).delimiter;
}

function parseRows(text: string, delimiter: string, to: number): string[][] {
  return parse(text, { bom: true, delimiter, skip_empty_lines: true, relax_column_count: true, to }) as string[][];
}

function invalid(line: number, message: string): StatementTable {
  return { kind: 'invalid', line, message };
}
