import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { ATTEMPT_STATES, ORDER_STATES, toOrderId } from '../orders/index.ts';
import { dateField, supplierField } from './contract.ts';
import { FINDINGS } from './statement.ts';
import { AMOUNTS } from './statement-amount.ts';
import { STATEMENT_COLUMNS } from './statement-csv.ts';
import type { KeptFinding, Statement } from './statement-store.ts';

const PREFIX = 'st_';
const CSV_EXAMPLE = `ref_id,trx_id,status,price
TG01KJJW838RE3XBQJVHT10C9PTZ-1,88214771,Sukses,22800
`;

export const statementRequestSchema = z
  .strictObject({
    supplier: supplierField,
    csv: z.string().min(1, 'must not be empty.').describe('The file, with a header row. Commas, semicolons or tabs between.'),
    date_from: dateField.describe("The first day it covers, in the installation's time zone."),
    date_to: dateField.describe('The last day it covers.'),
    columns: z
      .strictObject(
        Object.fromEntries(STATEMENT_COLUMNS.map((column) => [column, text(1, 128).optional()])) as Record<
          (typeof STATEMENT_COLUMNS)[number],
          z.ZodOptional<ReturnType<typeof text>>
        >,
      )
      .default({})
      .describe('How the file names the columns; usual names such as `ref_id`, `trx_id`, `status`, `price` are known.'),
  })
  .meta({ examples: [{ supplier: 'main', csv: CSV_EXAMPLE, date_from: '2026-03-01', date_to: '2026-03-01', columns: {} }] });

export const statementListQuerySchema = z.strictObject({ supplier: supplierField.optional(), ...pageQuery('id') });

export const statementParamsSchema = z.strictObject({
  statement_id: z
    .string()
    .transform((id) => fromPublicId(PREFIX, id) ?? '')
    .describe('The statement, `st_…`.')
    .meta({ examples: ['st_01KJJW8578E50T0CDY8X9GRWAC'] }),
});

export const findingListQuerySchema = z.strictObject({
  finding: z.enum(FINDINGS).optional().describe('Only these findings.'),
  ...pageQuery('number'),
});

const FINDING_MEANING =
  '`charged_twice`: one purchase, two deliveries. `delivered_there_refunded_here`: they charged, the reseller has the money back. `delivered_there_rejected_here`: they charged for what they had rejected. `failed_there_delivered_here`: they took it back, the reseller paid. `amount_differs`. `missing_there`: delivered by our book, not in the statement. `unknown_here`: no purchase of ours at this supplier. `open_here`, `open_there`: without an end on one side. `unreadable_status`: their word is not known. `unreadable_amount`: delivered on both sides, at an amount that cannot be read.';

export const statementViewSchema = z
  .object({
    statement_id: idField(PREFIX, '01KJJW8578E50T0CDY8X9GRWAC'),
    supplier: z.string(),
    date_from: z.string(),
    date_to: z.string(),
    rows: z.int(),
    columns: z
      .record(z.string(), z.string())
      .describe('The header of each column that was recognised: `reference`, `supplier_reference`, `status`, `amount`.'),
    amounts: z
      .enum(AMOUNTS)
      .nullable()
      .describe(
        '`compared`; or why amounts were not compared, but only states: `no_column`: none was recognised. `no_exchange_rate`: they are in another currency, and the supplier has no rate set. Null: compared by an older version.',
      ),
    findings: z.record(z.string(), z.int()).describe(`How many of each. ${FINDING_MEANING}`),
    total_theirs: z
      .int()
      .nullable()
      .describe(
        'What the statement charges for deliveries that were not taken back, as far as the amounts can be read. Null: they were not compared.',
      ),
    total_ours: z.int().describe('What the deliveries of these days cost by our book.'),
    created_by: z.string(),
    created_at: timeField,
  })
  .meta({
    id: 'SupplierStatement',
    examples: [
      {
        statement_id: 'st_01KJJW8578E50T0CDY8X9GRWAC',
        supplier: 'main',
        date_from: '2026-03-01',
        date_to: '2026-03-01',
        rows: 214,
        columns: { reference: 'ref_id', supplier_reference: 'trx_id', status: 'status', amount: 'price' },
        amounts: 'compared',
        findings: { ...Object.fromEntries(FINDINGS.map((finding) => [finding, 0])), amount_differs: 3, matched: 211 },
        total_theirs: 4_705_200,
        total_ours: 4_704_000,
        created_by: 'admin',
        created_at: '2026-03-02T09:00:00+07:00',
      },
    ],
  });

export function statementView(statement: Statement, timeZone: string): z.infer<typeof statementViewSchema> {
  return {
    statement_id: toPublicId(PREFIX, statement.id),
    supplier: statement.supplierCode,
    date_from: statement.dateFrom,
    date_to: statement.dateTo,
    rows: statement.rows,
    columns: statement.columns,
    amounts: statement.amounts,
    findings: statement.counts,
    total_theirs: statement.totals.theirs === null ? null : toJsonAmount(statement.totals.theirs),
    total_ours: toJsonAmount(statement.totals.ours),
    created_by: statement.actor,
    created_at: formatTime(statement.at, timeZone),
  };
}

export const findingViewSchema = z
  .object({
    finding: z.enum(FINDINGS).describe(FINDING_MEANING),
    line: z.int().nullable().describe('In the file, 1 being the header; null for what the file does not have.'),
    reference: z.string().nullable(),
    supplier_reference: z.string().nullable(),
    their_status: z.string().nullable(),
    their_amount: z.int().nullable(),
    their_amount_text: z.string().nullable().describe('As it stands in the file.'),
    order_id: z.string().nullable(),
    attempt: z.int().nullable(),
    status: z.enum(ATTEMPT_STATES).nullable().describe('Of the attempt, when the two were compared.'),
    order_status: z.enum(ORDER_STATES).nullable(),
    our_amount: z.int().nullable(),
  })
  .meta({
    id: 'StatementFinding',
    examples: [
      {
        finding: 'amount_differs',
        line: 2,
        reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
        supplier_reference: '88214771',
        their_status: 'Sukses',
        their_amount: 22_800,
        their_amount_text: '22.800',
        order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
        attempt: 1,
        status: 'Delivered',
        order_status: 'Success',
        our_amount: 22_400,
      },
    ],
  });

export function findingView(finding: KeptFinding): z.infer<typeof findingViewSchema> {
  const amount = (value: bigint | null) => (value === null ? null : toJsonAmount(value));
  return {
    finding: finding.finding,
    line: finding.line,
    reference: finding.reference,
    supplier_reference: finding.supplierReference,
    their_status: finding.theirStatus,
    their_amount: amount(finding.theirAmount),
    their_amount_text: finding.theirAmountText,
    order_id: finding.orderId === null ? null : toOrderId(finding.orderId),
    attempt: finding.attempt,
    status: finding.attemptState,
    order_status: finding.orderState,
    our_amount: amount(finding.ourAmount),
  };
}
