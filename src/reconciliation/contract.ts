import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { ATTEMPT_STATES, ORDER_STATES, toOrderId } from '../orders/index.ts';
import { type BalanceReading, DAY_DIFFERENCES, type DayDifference, type DayReport } from './day.ts';

export const supplierField = text(1, 32)
  .describe('The code of the supplier.')
  .meta({ examples: ['main'] });

export const dateField = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'must be a date such as 2026-03-01.')
  .meta({ examples: ['2026-03-01'] });

const day = {
  supplier: supplierField,
  date: dateField.optional().describe("A day of the installation's time zone; today when absent."),
};

export const dayQuerySchema = z.strictObject(day);

export const differenceQuerySchema = z.strictObject({
  ...day,
  kind: z.enum(DAY_DIFFERENCES).optional().describe('Only differences of this kind.'),
  ...pageQuery('attempt'),
});

const KIND_MEANING =
  '`delivered_but_refunded`: delivered and paid for, though the reseller has the money back. `open_but_refunded`: refunded, and may still be delivered. `success_without_delivery`: the reseller paid, and no supplier reports a delivery. `price_differs`: delivered at another price than expected. `open`: no end yet.';

const readingSchema = z.object({ balance: z.int(), time: timeField });

const READING_EXAMPLE = { balance: 12_000_000, time: '2026-02-28T23:58:04+07:00' };

export const dayReportSchema = z
  .object({
    supplier: z.string(),
    date: z.string(),
    from: timeField,
    to: timeField,
    purchases: z.int(),
    states: z.array(
      z.object({
        status: z.enum(ATTEMPT_STATES),
        purchases: z.int(),
        expected: z.int().describe('What the routes said they would cost.'),
        charged: z.int().describe('What the supplier told it charged.'),
        told: z.int().describe('For how many of them it has told that.'),
      }),
    ),
    differences: z.record(z.string(), z.int()).describe(`How many purchases of the day deserve a look. ${KIND_MEANING}`),
    balance: z
      .object({
        opening: readingSchema.nullable().describe('Our balance there as last read before the day.'),
        closing: readingSchema.nullable().describe('As last read before its end.'),
        spent: z.int().describe("What the day's deliveries cost: as told, or else as expected."),
        unexplained: z
          .int()
          .nullable()
          .describe('What the balance changed by beyond that: deposits that we made there, or a difference. Null: not known.'),
      })
      .describe('As far as the supplier tells our balance.'),
  })
  .meta({
    id: 'ReconciliationDay',
    examples: [
      {
        supplier: 'main',
        date: '2026-03-01',
        from: '2026-03-01T00:00:00+07:00',
        to: '2026-03-02T00:00:00+07:00',
        purchases: 214,
        states: [
          { status: 'Delivered', purchases: 210, expected: 4_704_000, charged: 4_705_200, told: 210 },
          { status: 'Rejected', purchases: 4, expected: 89_600, charged: 0, told: 0 },
        ],
        differences: {
          delivered_but_refunded: 0,
          open_but_refunded: 0,
          success_without_delivery: 0,
          price_differs: 3,
          open: 0,
        },
        balance: {
          opening: READING_EXAMPLE,
          closing: { balance: 7_294_800, time: '2026-03-01T23:56:40+07:00' },
          spent: 4_705_200,
          unexplained: 0,
        },
      },
    ],
  });

export function dayReportView(
  report: DayReport,
  { date, span, timeZone }: { date: string; span: { from: Date; to: Date }; timeZone: string },
): z.infer<typeof dayReportSchema> {
  return {
    supplier: report.supplierCode,
    date,
    from: formatTime(span.from, timeZone),
    to: formatTime(span.to, timeZone),
    purchases: report.groups.reduce((total, { purchases }) => total + purchases, 0),
    states: report.groups.map(({ state, purchases, expected, charged, told }) => ({
      status: state,
      purchases,
      expected: toJsonAmount(expected),
      charged: toJsonAmount(charged),
      told,
    })),
    differences: report.differences,
    balance: balanceView(report, timeZone),
  };
}

function balanceView({ balance: { opening, closing }, spent }: DayReport, timeZone: string) {
  const reading = (read: BalanceReading | null) =>
    read && { balance: toJsonAmount(read.balance), time: formatTime(read.at, timeZone) };
  return {
    opening: reading(opening),
    closing: reading(closing),
    spent: toJsonAmount(spent),
    unexplained: opening && closing ? toJsonAmount(closing.balance - opening.balance + spent) : null,
  };
}

export const differenceSchema = z
  .object({
    kind: z.enum(DAY_DIFFERENCES).describe(KIND_MEANING),
    order_id: z.string(),
    attempt: z.int(),
    reference: z.string(),
    supplier_reference: z.string().nullable(),
    sku: z.string(),
    status: z.enum(ATTEMPT_STATES).describe('Of the attempt.'),
    order_status: z.enum(ORDER_STATES),
    expected: z.int(),
    charged: z.int().nullable(),
    time: timeField,
  })
  .meta({
    id: 'ReconciliationDifference',
    examples: [
      {
        kind: 'price_differs',
        order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
        attempt: 1,
        reference: 'TG01KJJW838RE3XBQJVHT10C9PTZ-1',
        supplier_reference: '88214771',
        sku: 'ML85',
        status: 'Delivered',
        order_status: 'Success',
        expected: 22_400,
        charged: 22_800,
        time: '2026-03-01T02:40:15+07:00',
      },
    ],
  });

export function differenceView(difference: DayDifference, timeZone: string): z.infer<typeof differenceSchema> {
  return {
    kind: difference.kind,
    order_id: toOrderId(difference.orderId),
    attempt: difference.number,
    reference: difference.reference,
    supplier_reference: difference.supplierReference,
    sku: difference.sku,
    status: difference.state,
    order_status: difference.orderState,
    expected: toJsonAmount(difference.expected),
    charged: difference.charged === null ? null : toJsonAmount(difference.charged),
    time: formatTime(difference.at, timeZone),
  };
}
