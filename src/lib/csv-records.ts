import { CsvError, parse } from 'csv-parse/sync';

export interface CsvIssue {
  /** The line in the file; 1 is the header. */
  line: number;
  message: string;
}

export type CsvRecords =
  | { kind: 'parsed'; rows: Record<string, string>[] }
  /** Something is wrong with the file as a whole. */
  | { kind: 'invalid'; issues: CsvIssue[] };

/** So many issues are told; who mends them all finds the next. */
export const MAX_ISSUES = 50;
const MAX_ROWS = 50_000;

/** The rows of a CSV file by the names in its header, which must have the given columns. */
export function readRecords(text: string, requiredColumns: readonly string[]): CsvRecords {
  const invalid = (line: number, message: string) => ({ kind: 'invalid' as const, issues: [{ line, message }] });
  let header: string[] = [];
  const columns = (names: string[]) => {
    header = names;
    return names;
  };
  try {
    const rows = parse(text, { columns, bom: true, skip_empty_lines: true, to: MAX_ROWS + 1 }) as Record<string, string>[];
    const missing = requiredColumns.filter((column) => !header.includes(column));
    if (missing.length > 0) return invalid(1, `These columns are missing: ${missing.join(', ')}.`);
    if (rows.length === 0) return invalid(1, 'The file has no rows.');
    if (rows.length > MAX_ROWS) return invalid(1, `The file has more than ${MAX_ROWS} rows.`);
    return { kind: 'parsed', rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return invalid(lineOf(error), `Not a CSV file: ${error.message}.`);
  }
}

/** What is wrong with the cells of a row, as a check of it tells. */
export function cellIssues(line: number, issues: readonly { path: PropertyKey[]; message: string }[]): CsvIssue[] {
  return issues.map(({ path, message }) => ({ line, message: `${path.join('.')} ${message.replace(/\.$/, '')}.` }));
}

function lineOf(error: CsvError): number {
  const { lines } = error as CsvError & { lines?: number };
  return lines ?? 1;
}
