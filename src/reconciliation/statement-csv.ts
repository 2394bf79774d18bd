import { storableText } from '../lib/storable-text.ts';
import type { StatementLine, Verdict } from './statement.ts';
import { type Amounts, type ForeignCurrency, readAmount } from './statement-amount.ts';
import { readTable } from './statement-table.ts';

/** The columns a statement may have; which is which is known from usual names, or told by the operator. */
export const STATEMENT_COLUMNS = ['reference', 'supplier_reference', 'status', 'amount'] as const;
export type StatementColumn = (typeof STATEMENT_COLUMNS)[number];
export type ColumnNames = Partial<Record<StatementColumn, string | undefined>>;

/** The header of each column that was recognised. */
export type RecognisedColumns = Partial<Record<StatementColumn, string>>;

export type StatementCsv =
  | { kind: 'read'; lines: StatementLine[]; columns: RecognisedColumns; amounts: Amounts }
  | { kind: 'invalid'; line: number; message: string };

export const MAX_STATEMENT_ROWS = 50_000;
const MAX_CELL_CHARACTERS = 128;

/** How suppliers and their dashboards name the columns, the most telling first; written as `plain` leaves them. */
const USUAL_NAMES: Record<StatementColumn, readonly string[]> = {
  reference: [
    'ref_id',
    'refid',
    'reff_id',
    'reference',
    'reference_id',
    'reference_no',
    'reference_number',
    'referencenumber',
    'client_ref',
    'client_reference',
    'customer_ref',
    'merchant_ref',
    'partner_order_id',
    'partnerorderid',
    'partner_reference',
    'ref',
    'our_reference',
  ],
  supplier_reference: [
    'trx_id',
    'trxid',
    'transaction_id',
    'transactionid',
    'id_transaksi',
    'id_trx',
    'tr_id',
    'invoice',
    'invoice_number',
    'invoicenumber',
    'no_invoice',
    'order_id',
    'orderid',
    'id',
  ],
  status: ['status', 'state', 'status_transaksi', 'transaction_status', 'order_status', 'result'],
  amount: ['price', 'harga', 'amount', 'total', 'total_price', 'charged', 'cost', 'debit', 'nominal', 'jumlah'],
};

const VERDICTS: Record<Exclude<Verdict, null>, readonly string[]> = {
  delivered: [
    'success',
    'successful',
    'succeeded',
    'sukses',
    'berhasil',
    'completed',
    'complete',
    'delivered',
    'done',
    'selesai',
    'ok',
  ],
  failed: [
    'failed',
    'fail',
    'failure',
    'gagal',
    'refund',
    'refunded',
    'reversed',
    'reversal',
    'cancel',
    'cancelled',
    'canceled',
    'rejected',
    'error',
    'void',
    'batal',
    'expired',
  ],
  pending: ['pending', 'process', 'processing', 'proses', 'diproses', 'waiting', 'menunggu', 'in_progress', 'sending'],
};
const VERDICT_OF = new Map(
  Object.entries(VERDICTS).flatMap(([verdict, words]) => words.map((word) => [word, verdict as Exclude<Verdict, null>] as const)),
);

/** Reads a statement whole, or says what is wrong with it. */
export function readStatementCsv(text: string, told: ColumnNames, foreign: ForeignCurrency | null = null): StatementCsv {
  const table = readTable(text, MAX_STATEMENT_ROWS + 2);
  if (table.kind === 'invalid') return table;
  const [header = [], ...rows] = table.rows;
  if (rows.length === 0) return invalid(1, 'The file has no rows.');
  if (rows.length > MAX_STATEMENT_ROWS) return invalid(1, `The file has more than ${MAX_STATEMENT_ROWS} rows.`);
  const missing = STATEMENT_COLUMNS.find((column) => told[column] !== undefined && indexOf(header, [told[column]]) < 0);
  if (missing !== undefined) return invalid(1, `There is no column "${told[missing]}". ${namesOf(header)}`);
  const place = Object.fromEntries(
    STATEMENT_COLUMNS.map((column) => [
      column,
      indexOf(header, told[column] === undefined ? USUAL_NAMES[column] : [told[column]]),
    ]),
  ) as Record<StatementColumn, number>;
  if (place.reference < 0 && place.supplier_reference < 0)
    return invalid(
      1,
      `No column names the purchases. Tell which one does: --column reference=HEADER on the command line, "columns": {"reference": "HEADER"} over HTTP. ${namesOf(header)}`,
    );
  const columns = Object.fromEntries(
    STATEMENT_COLUMNS.flatMap((column) =>
      place[column] < 0 ? [] : [[column, storableText((header[place[column]] ?? '').trim(), MAX_CELL_CHARACTERS)]],
    ),
  ) as RecognisedColumns;
  const lines = rows.map((row, index) => readLine(row, index + 2, place, foreign));
  return { kind: 'read', lines, columns, amounts: judgeAmounts(place, foreign) };
}

function judgeAmounts(place: Record<StatementColumn, number>, foreign: ForeignCurrency | null): Amounts {
  if (place.amount < 0) return 'no_column';
  return foreign !== null && foreign.toOurs === null ? 'no_exchange_rate' : 'compared';
}

function readLine(
  row: string[],
  line: number,
  place: Record<StatementColumn, number>,
  foreign: ForeignCurrency | null,
): StatementLine {
  const cell = (column: StatementColumn): string | null => {
    const value = place[column] < 0 ? '' : (row[place[column]] ?? '').trim();
    return value === '' ? null : storableText(value, MAX_CELL_CHARACTERS);
  };
  const status = cell('status');
  const amountText = cell('amount');
  const amount = readAmount(amountText, foreign);
  return {
    line,
    reference: cell('reference'),
    supplierReference: cell('supplier_reference'),
    status,
    // A statement without states is a list of what was charged, and of what came back.
    verdict: place.status < 0 ? (amount?.isNegative ? 'failed' : 'delivered') : verdictOf(status),
    amount: amount?.amount ?? null,
    slack: amount?.slack ?? 0n,
    amountText,
  };
}

function namesOf(header: string[]): string {
  return `The file has: ${header.join(', ')}.`;
}

function verdictOf(status: string | null): Verdict {
  return status === null ? null : (VERDICT_OF.get(plain(status)) ?? null);
}

function indexOf(header: string[], names: readonly (string | undefined)[]): number {
  const plainHeader = header.map(plain);
  for (const name of names) {
    const index = name === undefined ? -1 : plainHeader.indexOf(plain(name));
    if (index >= 0) return index;
  }
  return -1;
}

/** `Trx ID`, `trx-id` and `TRX_ID` are one name. */
function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

function invalid(line: number, message: string): Extract<StatementCsv, { kind: 'invalid' }> {
  return { kind: 'invalid', line, message };
}
