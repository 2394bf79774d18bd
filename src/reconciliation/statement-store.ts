import { type Selectable, sql } from 'kysely';
import type { Db, ReadDb, Tx } from '../db/database.ts';
import type { SupplierStatementLinesTable, SupplierStatementsTable } from '../db/supplier-tables.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { AttemptState, OrderState } from '../orders/index.ts';
import type { DaySpan } from './day-store.ts';
import type { FindingKind, OurPurchase } from './statement.ts';
import type { Amounts } from './statement-amount.ts';
import type { RecognisedColumns } from './statement-csv.ts';

/** A supplier's statement as it was compared. */
export interface Statement {
  id: string;
  supplierCode: string;
  dateFrom: string;
  dateTo: string;
  rows: number;
  /** The headers that were recognised. */
  columns: RecognisedColumns;
  /** Null: compared before this was kept. */
  amounts: Amounts | null;
  counts: Record<string, number>;
  totals: { theirs: bigint | null; ours: bigint };
  actor: string;
  at: Date;
}

/** One finding of a statement, as kept. */
export interface KeptFinding {
  number: number;
  finding: FindingKind;
  line: number | null;
  reference: string | null;
  supplierReference: string | null;
  theirStatus: string | null;
  theirAmount: bigint | null;
  theirAmountText: string | null;
  orderId: string | null;
  attempt: number | null;
  attemptState: AttemptState | null;
  orderState: OrderState | null;
  ourAmount: bigint | null;
}

interface PurchaseRow {
  order_id: string;
  number: number;
  reference: string;
  supplier_reference: string | null;
  state: AttemptState;
  order_state: OrderState;
  amount: bigint;
}

const COLUMNS = sql`a.order_id, a.number, a.reference, a.supplier_reference, a.state, o.state as order_state,
  coalesce(a.charged, a.cost) as amount`;
const CHUNK = 5_000;

export async function isSupplier(db: Db, code: string): Promise<boolean> {
  return (await db.selectFrom('suppliers').select('code').where('code', '=', code).executeTakeFirst()) !== undefined;
}

/** The purchases at this supplier that our references name. */
export async function findByReference(
  db: ReadDb,
  supplierCode: string,
  names: { orderId: string; number: number }[],
): Promise<OurPurchase[]> {
  return inChunks(names, async (chunk) => {
    const keys = chunk.map(({ orderId, number }) => ({ order_id: orderId, number }));
    const { rows } = await sql<PurchaseRow>`
      select ${COLUMNS}
      from (select distinct order_id, number
            from json_to_recordset(${JSON.stringify(keys)}::json) as row (order_id uuid, number integer)) as key
      join orders as o on o.id = key.order_id
      join attempts as a on a.account_id = o.account_id and a.order_id = o.id and a.number = key.number
      where a.supplier_code = ${supplierCode}`.execute(db);
    return rows;
  });
}

/** The purchases that this supplier calls so. */
export async function findBySupplierReference(db: ReadDb, supplierCode: string, names: string[]): Promise<OurPurchase[]> {
  return inChunks(names, async (chunk) => {
    const { rows } = await sql<PurchaseRow>`
      select ${COLUMNS}
      from (select distinct name from json_array_elements_text(${JSON.stringify(chunk)}::json) as row (name)) as key
      join attempts as a on a.supplier_code = ${supplierCode} and a.supplier_reference = key.name
      join orders as o on o.account_id = a.account_id and o.id = a.order_id
      order by a.created_at`.execute(db);
    return rows;
  });
}

/** The purchases of these days that were delivered, of which a statement should have every one. */
export async function findDelivered(db: ReadDb, span: DaySpan): Promise<OurPurchase[]> {
  const { rows } = await sql<PurchaseRow>`
    select ${COLUMNS}
    from attempts as a join orders as o on o.account_id = a.account_id and o.id = a.order_id
    where a.supplier_code = ${span.supplierCode} and a.created_at >= ${span.from} and a.created_at < ${span.to}
      and a.state = 'Delivered'`.execute(db);
  return rows.map(toPurchase);
}

async function inChunks<Name>(names: Name[], find: (chunk: Name[]) => Promise<PurchaseRow[]>): Promise<OurPurchase[]> {
  const found: OurPurchase[] = [];
  for (let start = 0; start < names.length; start += CHUNK)
    found.push(...(await find(names.slice(start, start + CHUNK))).map(toPurchase));
  return found;
}

export async function insertStatement(tx: Tx, statement: Statement, findings: KeptFinding[]): Promise<void> {
  await tx
    .insertInto('supplier_statements')
    .values({
      id: statement.id,
      supplier_code: statement.supplierCode,
      date_from: statement.dateFrom,
      date_to: statement.dateTo,
      rows: statement.rows,
      columns: JSON.stringify(statement.columns),
      amounts: statement.amounts,
      counts: JSON.stringify(statement.counts),
      total_theirs: statement.totals.theirs,
      total_ours: statement.totals.ours,
      actor: statement.actor,
      created_at: statement.at,
    })
    .execute();
  const rows = findings.map((finding) => ({
    statement_id: statement.id,
    number: finding.number,
    finding: finding.finding,
    line: finding.line,
    reference: finding.reference,
    supplier_reference: finding.supplierReference,
    their_status: finding.theirStatus,
    their_amount: finding.theirAmount === null ? null : String(finding.theirAmount),
    order_id: finding.orderId,
    attempt: finding.attempt,
    attempt_state: finding.attemptState,
    order_state: finding.orderState,
    our_amount: finding.ourAmount === null ? null : String(finding.ourAmount),
    their_amount_text: finding.theirAmountText,
  }));
  await sql`
    insert into supplier_statement_lines (statement_id, number, finding, line, reference, supplier_reference, their_status,
                                          their_amount, order_id, attempt, attempt_state, order_state, our_amount,
                                          their_amount_text)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      statement_id uuid, number integer, finding text, line integer, reference text, supplier_reference text, their_status text,
      their_amount bigint, order_id uuid, attempt integer, attempt_state text, order_state text, our_amount bigint,
      their_amount_text text)`.execute(tx);
}

/** Statements, newest first. */
export async function listStatements(
  db: Db,
  filter: { supplier?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<Statement>> {
  let query = db
    .selectFrom('supplier_statements')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
  if (filter.supplier) query = query.where('supplier_code', '=', filter.supplier);
  if (filter.cursor) query = query.where('id', '<', filter.cursor);
  const rows = await query.execute();
  return toPage(rows.map(toStatement), filter.limit, ({ id }) => id);
}

export async function findStatement(db: Db, id: string): Promise<Statement | null> {
  const row = await db.selectFrom('supplier_statements').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toStatement(row) : null;
}

/** What of a statement does not agree, the gravest first. */
export async function listFindings(
  db: Db,
  statementId: string,
  filter: { finding?: FindingKind | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<KeptFinding>> {
  let query = db
    .selectFrom('supplier_statement_lines')
    .selectAll()
    .where('statement_id', '=', statementId)
    .orderBy('number')
    .limit(filter.limit + 1);
  if (filter.finding) query = query.where('finding', '=', filter.finding);
  if (filter.cursor) query = query.where(sql<boolean>`number > ${filter.cursor}::bigint`);
  const rows = await query.execute();
  return toPage(rows.map(toFinding), filter.limit, ({ number }) => String(number));
}

function toPurchase(row: PurchaseRow): OurPurchase {
  return {
    orderId: row.order_id,
    number: row.number,
    reference: row.reference,
    supplierReference: row.supplier_reference,
    state: row.state,
    orderState: row.order_state,
    amount: row.amount,
  };
}

function toStatement(row: Selectable<SupplierStatementsTable>): Statement {
  return {
    id: row.id,
    supplierCode: row.supplier_code,
    dateFrom: row.date_from,
    dateTo: row.date_to,
    rows: row.rows,
    columns: row.columns,
    amounts: row.amounts,
    counts: row.counts,
    totals: { theirs: row.total_theirs, ours: row.total_ours },
    actor: row.actor,
    at: row.created_at,
  };
}

function toFinding(row: Selectable<SupplierStatementLinesTable>): KeptFinding {
  return {
    number: row.number,
    finding: row.finding as FindingKind,
    line: row.line,
    reference: row.reference,
    supplierReference: row.supplier_reference,
    theirStatus: row.their_status,
    theirAmount: row.their_amount,
    theirAmountText: row.their_amount_text,
    orderId: row.order_id,
    attempt: row.attempt,
    attemptState: row.attempt_state,
    orderState: row.order_state,
    ourAmount: row.our_amount,
  };
}
