import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { text } from '../http/fields.ts';
import { type CsvIssue, cellIssues, MAX_ISSUES, readRecords } from '../lib/csv-records.ts';
import { type AccountField, AVAILABILITIES, type Product, type Service } from './catalog.ts';
import { accountFieldSchema } from './contract.ts';

/** The columns of a catalogue file, one row per service; the product's columns repeat on each of its rows. */
export const CSV_COLUMNS = [
  'product_code',
  'product_name',
  'category',
  'account_identifier',
  'user_id_label',
  'user_id_pattern',
  'zone_label',
  'zone_pattern',
  'zone_options',
  'nickname_lookup',
  'service_code',
  'service_name',
  'cost',
  'price',
] as const;

export type CatalogItem = Pick<Product, 'code' | 'name' | 'category' | 'accountDescription' | 'fields' | 'nicknameLookup'> & {
  services: Pick<Service, 'code' | 'productCode' | 'name' | 'cost' | 'price' | 'status'>[];
};

export type CsvOutcome = { kind: 'read'; items: CatalogItem[] } | { kind: 'invalid'; issues: CsvIssue[] };

const amountText = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'is not a whole number of minor units')
  .transform(BigInt);

const rowSchema = z.object({
  product_code: z.string().regex(/^[A-Z0-9]{1,16}$/, 'must have 1 to 16 characters of A–Z and 0–9'),
  product_name: text(1, 128),
  category: text(1, 64),
  account_identifier: text(1, 256),
  user_id_label: text(1, 64),
  user_id_pattern: z.string(),
  zone_label: z.string(),
  zone_pattern: z.string(),
  zone_options: z.string(),
  nickname_lookup: z.enum(['true', 'false'], 'is neither true nor false').transform((value) => value === 'true'),
  service_code: z.string().regex(/^[A-Za-z0-9._-]{3,64}$/, 'must have 3 to 64 characters of A–Z a–z 0–9 . _ -'),
  service_name: text(1, 128),
  cost: amountText,
  price: amountText.refine((price) => price > 0n, 'must be above zero'),
  status: z.enum(AVAILABILITIES, `is none of ${AVAILABILITIES.join(', ')}`).default('Available'),
});

type Row = z.infer<typeof rowSchema>;

/** Reads a catalogue file whole, or says everything that is wrong with it. */
export function readCatalogCsv(text: string): CsvOutcome {
  const records = readRecords(text, CSV_COLUMNS);
  if (records.kind === 'invalid') return records;
  const issues: CsvIssue[] = [];
  const items = new Map<string, CatalogItem>();
  const serviceCodes = new Set<string>();

  for (const [index, record] of records.rows.entries()) {
    const line = index + 2;
    const parsed = rowSchema.safeParse(record);
    if (!parsed.success) {
      issues.push(...cellIssues(line, parsed.error.issues));
      continue;
    }
    issues.push(...addRow(items, serviceCodes, parsed.data).map((message) => ({ line, message })));
  }
  return issues.length > 0
    ? { kind: 'invalid', issues: issues.slice(0, MAX_ISSUES) }
    : { kind: 'read', items: [...items.values()] };
}

/** The same file from products and services, with cells that a spreadsheet would take for formulas made harmless. */
export function writeCatalogCsv(products: Product[], services: Service[]): string {
  const byCode = new Map(products.map((product) => [product.code, product]));
  const rows = services.flatMap((service) => {
    const product = byCode.get(service.productCode);
    return product ? [toRow(product, service)] : [];
  });
  return stringify(rows, { header: true, columns: [...CSV_COLUMNS, 'status'], escape_formulas: true });
}

/** Adds a row to its product; answers what is wrong with it beside the others. */
function addRow(items: Map<string, CatalogItem>, serviceCodes: Set<string>, row: Row): string[] {
  if (!row.service_code.startsWith(`${row.product_code}-`)) return [`service_code must begin with ${row.product_code}-.`];
  if (serviceCodes.has(row.service_code)) return [`service_code ${row.service_code} stands in the file twice.`];
  serviceCodes.add(row.service_code);
  const fields = toFields(row);
  const badField = fields.map((field) => accountFieldSchema.safeParse(field)).find((result) => !result.success);
  if (badField?.error) return badField.error.issues.map((issue) => `the account form: ${issue.path.join('.')} ${issue.message}`);

  const item: CatalogItem = items.get(row.product_code) ?? {
    code: row.product_code,
    name: row.product_name,
    category: row.category,
    accountDescription: row.account_identifier,
    fields,
    nicknameLookup: row.nickname_lookup,
    services: [],
  };
  if (item.name !== row.product_name) return [`product_name differs from that of the other rows of ${row.product_code}.`];
  const { service_code: code, service_name: name, cost, price, status } = row;
  item.services.push({ code, productCode: row.product_code, name, cost, price, status });
  items.set(row.product_code, item);
  return [];
}

function toFields(row: Row): AccountField[] {
  const userId: AccountField = {
    key: 'user_id',
    label: row.user_id_label,
    type: 'text',
    required: true,
    ...(row.user_id_pattern && { pattern: row.user_id_pattern }),
  };
  if (row.zone_label === '') return [userId];
  const options = row.zone_options === '' ? [] : row.zone_options.split('|').map(toOption);
  const zone: AccountField = {
    key: 'zone',
    label: row.zone_label,
    type: options.length > 0 ? 'select' : 'text',
    required: true,
    ...(row.zone_pattern && { pattern: row.zone_pattern }),
    ...(options.length > 0 && { options }),
  };
  return [userId, zone];
}

function toOption(pair: string): { value: string; label: string } {
  const [value = '', ...label] = pair.split('=');
  return { value, label: label.join('=') || value };
}

function toRow(product: Product, service: Service): Record<string, string> {
  const userId = product.fields.find(({ key }) => key === 'user_id');
  const zone = product.fields.find(({ key }) => key === 'zone');
  return {
    product_code: product.code,
    product_name: product.name,
    category: product.category,
    account_identifier: product.accountDescription,
    user_id_label: userId?.label ?? '',
    user_id_pattern: userId?.pattern ?? '',
    zone_label: zone?.label ?? '',
    zone_pattern: zone?.pattern ?? '',
    zone_options: (zone?.options ?? []).map(({ value, label }) => `${value}=${label}`).join('|'),
    nickname_lookup: String(product.nicknameLookup),
    service_code: service.code,
    service_name: service.name,
    cost: String(service.cost),
    price: String(service.price),
    status: service.status,
  };
}
