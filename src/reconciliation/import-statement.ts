import type { Db } from '../db/database.ts';
import type { Reads } from '../db/replica.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import { parseReference } from '../orders/index.ts';
import type { DaySpan } from './day-store.ts';
import { compareStatement, type Finding, type OurPurchase, type StatementLine } from './statement.ts';
import type { ForeignCurrency } from './statement-amount.ts';
import { type ColumnNames, readStatementCsv } from './statement-csv.ts';
import {
  findByReference,
  findBySupplierReference,
  findDelivered,
  insertStatement,
  type KeptFinding,
  type Statement,
} from './statement-store.ts';

export interface StatementRequest {
  csv: string;
  columns: ColumnNames;
  dateFrom: string;
  dateTo: string;
  /** The same days as points in time, and the supplier. */
  span: DaySpan;
  /** What the supplier counts in, when it is not our currency. */
  foreignCurrency: ForeignCurrency | null;
}

export type StatementOutcome = { kind: 'compared'; statement: Statement } | { kind: 'invalid'; line: number; message: string };

/** What agrees is only counted, and of the rest so many are kept, the gravest first. */
export const MAX_KEPT_FINDINGS = 10_000;

/** Holds a supplier's statement against our book and keeps what differs. Settles nothing. */
export async function importStatement(
  deps: { db: Db; reads: Reads; clock: Clock },
  actor: Actor,
  request: StatementRequest,
): Promise<StatementOutcome> {
  const { span, dateFrom, dateTo } = request;
  const read = readStatementCsv(request.csv, request.columns, request.foreignCurrency);
  if (read.kind === 'invalid') return read;
  const { lines, amounts } = read;
  const comparison = await deps.reads.report(async (db) => {
    const purchaseOf = await openPurchases(db, span.supplierCode, lines);
    return compareStatement(lines, purchaseOf, await findDelivered(db, span), { comparesAmounts: amounts === 'compared' });
  });
  const at = deps.clock.now();
  const statement: Statement = {
    id: newId(at),
    supplierCode: span.supplierCode,
    dateFrom,
    dateTo,
    rows: lines.length,
    columns: read.columns,
    amounts,
    counts: comparison.counts,
    totals: comparison.totals,
    actor: actor.name,
    at,
  };
  const differing = comparison.findings.filter(({ kind }) => kind !== 'matched').slice(0, MAX_KEPT_FINDINGS);
  await inTransaction(deps.db, async (tx) => {
    await insertStatement(tx, statement, differing.map(toKept));
    await recordAction(tx, deps.clock, actor, {
      action: 'reconciliation.statement',
      subject: statement.id,
      details: {
        supplier: span.supplierCode,
        from: dateFrom,
        to: dateTo,
        rows: lines.length,
        amounts,
        counts: comparison.counts,
      },
    });
  });
  return { kind: 'compared', statement };
}

/** Finds the purchases of all lines: by our name where a line has one, by theirs elsewhere. */
async function openPurchases(
  db: Parameters<typeof findByReference>[0],
  supplierCode: string,
  lines: StatementLine[],
): Promise<(line: StatementLine) => OurPurchase | null> {
  const nameOf = (line: StatementLine) => (line.reference === null ? null : parseReference(line.reference));
  const ours = await findByReference(
    db,
    supplierCode,
    lines.flatMap((line) => nameOf(line) ?? []),
  );
  const theirs = await findBySupplierReference(
    db,
    supplierCode,
    lines.flatMap((line) => (nameOf(line) === null && line.supplierReference !== null ? [line.supplierReference] : [])),
  );
  const byName = new Map(ours.map((purchase) => [`${purchase.orderId} ${purchase.number}`, purchase]));
  const byTheirs = new Map(theirs.map((purchase) => [purchase.supplierReference, purchase]));
  return (line) => {
    const name = nameOf(line);
    if (name !== null) return byName.get(`${name.orderId} ${name.number}`) ?? null;
    return line.supplierReference === null ? null : (byTheirs.get(line.supplierReference) ?? null);
  };
}

function toKept({ kind, line, purchase }: Finding, index: number): KeptFinding {
  return {
    number: index + 1,
    finding: kind,
    line: line?.line ?? null,
    reference: purchase?.reference ?? line?.reference ?? null,
    supplierReference: line?.supplierReference ?? purchase?.supplierReference ?? null,
    theirStatus: line?.status ?? null,
    theirAmount: line?.amount ?? null,
    theirAmountText: line?.amountText ?? null,
    orderId: purchase?.orderId ?? null,
    attempt: purchase?.number ?? null,
    attemptState: purchase?.state ?? null,
    orderState: purchase?.orderState ?? null,
    ourAmount: purchase?.amount ?? null,
  };
}
