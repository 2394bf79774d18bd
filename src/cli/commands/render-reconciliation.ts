import type { DayDifference, ReconciliationDay, StatementFinding, SupplierStatement } from '../answers.ts';
import { count, money, moneyChange, shortTime, statusCell } from '../format.ts';
import { joinBlocks, section } from '../output.ts';
import { type Cell, type Paint, renderDetails, renderTable } from '../table.ts';

const right = 'right' as const;
const COLUMNS = ['reference', 'supplier_reference', 'status', 'amount'];

/** A day's purchases by state, and those that deserve a look. */
export function renderDay(day: ReconciliationDay, differences: DayDifference[], currency: string, paint: Paint): string {
  if (day.purchases === 0) return `No purchase at ${day.supplier} began on ${day.date}.`;
  const states = renderTable(
    [
      { title: 'Status' },
      { title: 'Purchases', align: right },
      { title: 'Expected', align: right },
      { title: 'Charged', align: right },
      { title: 'Told for', align: right },
    ],
    day.states.map(({ status, purchases, expected, charged, told }) => [
      statusCell(status),
      String(purchases),
      money(expected, currency),
      told === 0 ? 'not told' : money(charged, currency),
      String(told),
    ]),
    paint,
  );
  const listed = renderTable(
    [
      { title: 'What' },
      { title: 'Order' },
      { title: 'Attempt' },
      { title: 'Status' },
      { title: 'Order is' },
      { title: 'Expected', align: right },
      { title: 'Charged', align: right },
    ],
    differences.map((difference) => [
      words(difference.kind),
      difference.order_id,
      String(difference.attempt),
      statusCell(difference.status),
      statusCell(difference.order_status),
      money(difference.expected, currency),
      difference.charged === null ? '' : money(difference.charged, currency),
    ]),
    paint,
  );
  return joinBlocks(
    `${count(day.purchases, 'purchase')} at ${day.supplier} on ${day.date}.`,
    states,
    renderBalance(day, currency, paint),
    differences.length === 0 ? 'Nothing deserves a look.' : section('To look at', listed, paint),
  );
}

function renderBalance({ balance }: ReconciliationDay, currency: string, paint: Paint): string {
  const { opening, closing, unexplained } = balance;
  const reading = (read: typeof opening) => read && `${money(read.balance, currency)}, read ${shortTime(read.time)}`;
  const isExplained = unexplained === null || unexplained === 0;
  return renderDetails(
    [
      ['Balance before', reading(opening)],
      ['Balance after', reading(closing)],
      ['Spent', money(balance.spent, currency)],
      ['Unexplained', isExplained ? null : { text: moneyChange(unexplained, currency), tone: 'warning' }],
    ],
    paint,
  );
}

/** What came of comparing a statement. */
export function renderStatement(
  statement: SupplierStatement,
  findings: StatementFinding[],
  currency: string,
  paint: Paint,
): string {
  const difference = statement.total_theirs === null ? null : statement.total_theirs - statement.total_ours;
  const counts = Object.entries(statement.findings).filter(([, number]) => number > 0);
  const listed = renderTable(
    [
      { title: 'What' },
      { title: 'Line', align: right },
      { title: 'Reference' },
      { title: 'They say' },
      { title: 'Their amount', align: right },
      { title: 'We say' },
      { title: 'Order is' },
      { title: 'Our amount', align: right },
    ],
    findings.map((finding) => [
      words(finding.finding),
      finding.line === null ? '' : String(finding.line),
      finding.reference ?? finding.supplier_reference ?? '',
      finding.their_status ?? '',
      finding.their_amount === null ? (finding.their_amount_text ?? '') : money(finding.their_amount, currency),
      finding.status === null ? '' : statusCell(finding.status),
      finding.order_status === null ? '' : statusCell(finding.order_status),
      finding.our_amount === null ? '' : money(finding.our_amount, currency),
    ]),
    paint,
  );
  return joinBlocks(
    renderDetails(
      [
        ['Statement', statement.statement_id],
        ['Rows', String(statement.rows)],
        ['Columns', columnsText(statement.columns)],
        ['Their total', statement.total_theirs === null ? 'not known' : money(statement.total_theirs, currency)],
        ['Our total', money(statement.total_ours, currency)],
        ['Difference', difference === null ? 'not known' : differenceCell(difference, currency)],
        ...counts.map(([finding, number]): [string, string] => [words(finding), String(number)]),
      ],
      paint,
    ),
    NOT_COMPARED[statement.amounts ?? 'compared'],
    findings.length === 0 ? agreement(statement) : section('What does not agree', listed, paint),
  );
}

const NOT_COMPARED = {
  compared: null,
  no_column: 'Amounts were not compared: no column was recognised as the amount. Name it with --column amount=HEADER.',
  no_exchange_rate: 'Amounts were not compared: they are in another currency, and the supplier has no exchange rate set.',
};

function agreement({ amounts }: SupplierStatement): string {
  return amounts === null || amounts === 'compared' ? 'Everything agrees.' : 'The states agree.';
}

function differenceCell(difference: number, currency: string): Cell {
  return difference === 0 ? 'none' : { text: moneyChange(difference, currency), tone: 'warning' };
}

/** What each column was taken for, those that were not recognised included. */
function columnsText(columns: SupplierStatement['columns']): string {
  return COLUMNS.map((column) => `${words(column)}: ${columns[column] ?? 'none'}`).join(', ');
}

/** `delivered_there_refunded_here` for a person: `delivered there refunded here`. */
function words(code: string): string {
  return code.replaceAll('_', ' ');
}
