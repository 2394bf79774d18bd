import { z } from 'zod';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import type { SupplierService, UnreadItem } from '../suppliers/index.ts';
import { type ListedTerms, type ListPlan, RULES, type Rule } from './price-list.ts';
import type { ListRecord } from './store.ts';

/** Of the longest lists, the first so many are told. */
const MAX_LISTED = 200;

const rule = z
  .enum(RULES)
  .describe(
    '`costs`: routes follow the list. `prices`: and prices are raised to keep the margin floor, never lowered. `catalogue`: and services that nobody can deliver are closed, and opened again.',
  );

export const syncRequestSchema = z
  .strictObject({
    dry_run: z.boolean().default(true).describe('Compare and change nothing.'),
    rule: rule.optional().describe('By default the one of the schedule, or `costs`.'),
    force: z
      .boolean()
      .default(false)
      .describe('Believe a list that has lost most of the items in use, and costs that are far from what they were.'),
  })
  .nullish()
  .meta({ examples: [{ dry_run: false, rule: 'costs' }] });

export const syncRuleSchema = z
  .strictObject({ rule: z.enum([...RULES, 'off']).describe('What the schedule does with the list; `off`: it does not read it.') })
  .meta({ examples: [{ rule: 'costs' }] });

const item = z.object({ sku: z.string(), name: z.string(), cost: z.int(), available: z.boolean() });
const routeOf = { service_code: z.string(), sku: z.string() };

const terms = z.object({
  cut_off: z.object({ start: z.string(), end: z.string() }).nullable(),
  once_per_day: z.boolean(),
});

const reportShape = {
  outcome: z
    .enum(['compared', 'applied', 'refused', 'failed'])
    .describe('`refused`: the list was not believed, nothing was changed. `failed`: the supplier did not answer.'),
  message: z.string(),
  rule,
  read_at: timeField.nullable(),
  new_items: z.array(item).describe(`In the list for the first time; the first ${MAX_LISTED}.`),
  new_items_total: z.int().describe('How many there are, those included that are not told.'),
  cost_changes: z.array(z.object({ ...routeOf, cost_before: z.int(), cost: z.int() })),
  held_back: z
    .array(z.object({ ...routeOf, cost_before: z.int(), cost: z.int() }))
    .describe(
      'Costs of nothing, of more than twice or of less than half of the one before. The routes keep theirs; `force` believes it.',
    ),
  terms_changes: z
    .array(z.object({ ...routeOf, before: terms, after: terms }))
    .describe('Routes with another cut-off, or whose item a player may have only once a day from now on, or more often again.'),
  unavailable: z.array(z.object({ ...routeOf, reason: z.enum(['gone', 'unavailable']) })).describe('Routes taken out of choice.'),
  available_again: z.array(z.object(routeOf)),
  not_listed: z.array(z.object(routeOf)).describe('Routes to items that were never in the list. They stay as they are.'),
  below_floor: z
    .array(z.object({ service_code: z.string(), tier: z.string(), price: z.int(), least_price: z.int() }))
    .describe('Prices below the cheapest route and the margin floor, after all changes: orders at them are refused.'),
  price_changes: z.array(z.object({ service_code: z.string(), price_before: z.int(), price: z.int() })),
  closed_services: z.array(z.string()),
  opened_services: z.array(z.string()),
};

const reportSchema = z.object(reportShape);
export type ReportView = z.infer<typeof reportSchema>;

/** A report as it was stored, by this version or by one that told less. */
const storedReportSchema = reportSchema.extend({
  held_back: reportShape.held_back.default([]),
  terms_changes: reportShape.terms_changes.default([]),
  new_items_total: z.int().nullable().default(null),
});

export function readReport(stored: unknown): ReportView | null {
  if (stored === null) return null;
  const report = storedReportSchema.parse(stored);
  return { ...report, new_items_total: report.new_items_total ?? report.new_items.length };
}

const REPORT_EXAMPLE: ReportView = {
  outcome: 'compared',
  message: 'Compared; nothing was changed.',
  rule: 'costs',
  read_at: '2026-02-14T10:00:00+07:00',
  new_items: [{ sku: 'ML172', name: 'Mobile Legends 172 Diamonds', cost: 44_100, available: true }],
  new_items_total: 1,
  cost_changes: [{ service_code: 'MLBB-85', sku: 'ML85', cost_before: 22_400, cost: 22_650 }],
  held_back: [],
  terms_changes: [],
  unavailable: [],
  available_again: [],
  not_listed: [],
  below_floor: [],
  price_changes: [],
  closed_services: [],
  opened_services: [],
};

export const syncViewSchema = z
  .object({
    services: z.array(item).describe(`The first ${MAX_LISTED} items, when the list was read just now.`),
    services_total: z.int().describe('How many items the list has, when it was read just now.'),
    unread: z
      .array(z.object({ sku: z.string().nullable(), what: z.string() }))
      .describe(
        `Items that could not be read, and are left out; or fields of items, which then count as not told. The first ${MAX_LISTED}.`,
      ),
    unread_total: z.int(),
    ...reportShape,
  })
  .meta({
    id: 'SupplierPriceList',
    examples: [
      {
        services: [{ sku: 'ML85', name: 'Mobile Legends 85 Diamonds', cost: 22_650, available: true }],
        services_total: 1,
        unread: [{ sku: 'ML5', what: 'price cannot be read' }],
        unread_total: 1,
        ...REPORT_EXAMPLE,
      },
    ],
  });

export const listViewSchema = z
  .object({
    rule: z.enum([...RULES, 'off']),
    asked_at: timeField.nullable(),
    read_at: timeField.nullable(),
    applied_at: timeField.nullable(),
    result: z.object(reportShape).nullable().describe('What came of it last.'),
  })
  .meta({
    id: 'SupplierSync',
    examples: [
      {
        rule: 'costs',
        asked_at: '2026-02-14T10:00:00+07:00',
        read_at: '2026-02-14T10:00:00+07:00',
        applied_at: null,
        result: REPORT_EXAMPLE,
      },
    ],
  });

export const priceViewSchema = z
  .object({ at: timeField, cost: z.int() })
  .meta({ id: 'SupplierItemPrice', examples: [{ at: '2026-02-14T10:00:00+07:00', cost: 22_650 }] });

export function reportView(
  report: { outcome: ReportView['outcome']; message: string; rule: Rule; readAt?: Date; plan?: ListPlan },
  { timeZone }: { timeZone: string },
): ReportView {
  const { plan } = report;
  return {
    outcome: report.outcome,
    message: report.message,
    rule: report.rule,
    read_at: report.readAt ? formatTime(report.readAt, timeZone) : null,
    new_items: (plan?.newItems ?? []).slice(0, MAX_LISTED).map(itemView),
    cost_changes: (plan?.costChanges ?? []).map(costChangeView),
    new_items_total: plan?.newItems.length ?? 0,
    held_back: (plan?.heldBack ?? []).map(costChangeView),
    terms_changes: (plan?.termsChanges ?? []).map(({ serviceCode, sku, before, after }) => ({
      service_code: serviceCode,
      sku,
      before: termsView(before),
      after: termsView(after),
    })),
    unavailable: (plan?.unavailable ?? []).map(({ serviceCode, sku, reason }) => ({ service_code: serviceCode, sku, reason })),
    available_again: (plan?.availableAgain ?? []).map(routeOfView),
    not_listed: (plan?.notListed ?? []).map(routeOfView),
    below_floor: (plan?.belowFloor ?? []).map(({ serviceCode, tierCode, price, leastPrice }) => ({
      service_code: serviceCode,
      tier: tierCode,
      price: toJsonAmount(price),
      least_price: toJsonAmount(leastPrice),
    })),
    price_changes: (plan?.priceChanges ?? []).map(({ serviceCode, priceBefore, price }) => ({
      service_code: serviceCode,
      price_before: toJsonAmount(priceBefore),
      price: toJsonAmount(price),
    })),
    closed_services: plan?.closed ?? [],
    opened_services: plan?.opened ?? [],
  };
}

export function syncView(report: ReportView, listed: SupplierService[], unread: UnreadItem[]): z.infer<typeof syncViewSchema> {
  const parts = unread.slice(0, MAX_LISTED).map(({ sku, unread: what }) => ({ sku, what }));
  return {
    services: listed.slice(0, MAX_LISTED).map(itemView),
    services_total: listed.length,
    unread: parts,
    unread_total: unread.length,
    ...report,
  };
}

export function listView(list: ListRecord, timeZone: string): z.infer<typeof listViewSchema> {
  const time = (at: Date | null) => (at === null ? null : formatTime(at, timeZone));
  return {
    rule: list.rule,
    asked_at: time(list.askedAt),
    read_at: time(list.readAt),
    applied_at: time(list.appliedAt),
    result: readReport(list.result),
  };
}

function itemView({ sku, name, cost, available }: Pick<SupplierService, 'sku' | 'name' | 'cost' | 'available'>) {
  return { sku, name, cost: toJsonAmount(cost), available };
}

function costChangeView({ serviceCode, sku, costBefore, cost }: ListPlan['costChanges'][number]) {
  return { service_code: serviceCode, sku, cost_before: toJsonAmount(costBefore), cost: toJsonAmount(cost) };
}

function termsView({ cutOff, oncePerDay }: ListedTerms) {
  return { cut_off: cutOff, once_per_day: oncePerDay };
}

function routeOfView({ serviceCode, sku }: { serviceCode: string; sku: string }) {
  return { service_code: serviceCode, sku };
}
