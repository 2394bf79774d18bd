import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { text } from '../http/fields.ts';
import { type CsvIssue, cellIssues, MAX_ISSUES, readRecords } from '../lib/csv-records.ts';
import { MAX_ROUTES } from './contract.ts';
import type { Route } from './route.ts';

/** The columns of a file of routes: a row for each route, those of a service in order of preference. */
export const ROUTE_COLUMNS = ['service_code', 'supplier', 'sku', 'cost', 'account_template', 'once_per_day', 'cut_off'] as const;
const REQUIRED_COLUMNS = ['service_code', 'supplier', 'sku', 'cost'];

/** A route with the line it stands in. */
export interface FileRoute extends Route {
  line: number;
}

export type RouteFile = { kind: 'read'; services: Map<string, FileRoute[]> } | { kind: 'invalid'; issues: CsvIssue[] };

const CUT_OFF = /^(?:([01]\d|2[0-3]):[0-5]\d)-(?:([01]\d|2[0-3]):[0-5]\d)$/;

const rowSchema = z.object({
  service_code: text(1, 64),
  supplier: text(1, 32),
  sku: text(1, 128),
  cost: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'is not a whole number of minor units')
    .transform(BigInt),
  account_template: text(0, 128).default(''),
  once_per_day: z
    .enum(['true', 'false', ''], 'is neither true nor false')
    .default('')
    .transform((value) => value === 'true'),
  cut_off: z
    .string()
    .refine((value) => value === '' || CUT_OFF.test(value), 'is not written as 23:30-00:30')
    .default(''),
});

/** Reads a file of routes whole, or says everything that is wrong with it. */
export function readRouteCsv(csv: string): RouteFile {
  const records = readRecords(csv, REQUIRED_COLUMNS);
  if (records.kind === 'invalid') return records;
  const issues: CsvIssue[] = [];
  const services = new Map<string, FileRoute[]>();
  for (const [index, record] of records.rows.entries()) {
    const line = index + 2;
    const parsed = rowSchema.safeParse(withoutGuards(record));
    if (!parsed.success) {
      issues.push(...cellIssues(line, parsed.error.issues));
      continue;
    }
    const route = toRoute(parsed.data, line);
    const others = services.get(parsed.data.service_code) ?? [];
    const message = objectionTo(route, others, parsed.data.service_code);
    if (message !== null) issues.push({ line, message });
    services.set(parsed.data.service_code, [...others, route]);
  }
  return issues.length > 0 ? { kind: 'invalid', issues: issues.slice(0, MAX_ISSUES) } : { kind: 'read', services };
}

/** The same file from routes, with cells that a spreadsheet would take for formulas made harmless. */
export function writeRouteCsv(routes: ReadonlyMap<string, Route[]>): string {
  const rows = [...routes].flatMap(([serviceCode, list]) =>
    list.map(({ supplierCode, sku, cost, accountTemplate, oncePerDay, cutOff }) => ({
      service_code: serviceCode,
      supplier: supplierCode,
      sku,
      cost: String(cost),
      account_template: accountTemplate ?? '',
      once_per_day: String(oncePerDay),
      cut_off: cutOff === null ? '' : `${cutOff.start}-${cutOff.end}`,
    })),
  );
  return stringify(rows, { header: true, columns: [...ROUTE_COLUMNS], escape_formulas: true });
}

/** What speaks against a route beside those of its service that stand before it. */
function objectionTo(route: Route, others: Route[], serviceCode: string): string | null {
  if (others.some(({ supplierCode, sku }) => supplierCode === route.supplierCode && sku === route.sku))
    return `${serviceCode} has ${route.supplierCode} with the item ${route.sku} twice.`;
  return others.length === MAX_ROUTES ? `${serviceCode} has more than ${MAX_ROUTES} routes.` : null;
}

/** Without the apostrophe that keeps a spreadsheet from taking a cell for a formula. */
function withoutGuards(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([column, cell]) => [column, cell.replace(/^'(?=[=+\-@\t\r＝＋－＠])/u, '')]),
  );
}

function toRoute(row: z.infer<typeof rowSchema>, line: number): FileRoute {
  const [start, end] = row.cut_off.split('-');
  return {
    line,
    supplierCode: row.supplier,
    sku: row.sku,
    cost: row.cost,
    accountTemplate: row.account_template === '' ? null : row.account_template,
    oncePerDay: row.once_per_day,
    cutOff: start && end ? { start, end } : null,
  };
}
