import { z } from 'zod';
import { amount, text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import type { Route, SupplierRecord } from './store.ts';
import type { SupplierKind } from './supplier.ts';

const MAX_ROUTES = 20;

const capabilitiesSchema = z.object({
  nickname: z.boolean(),
  balance: z.boolean(),
  price_list: z.boolean(),
  callback: z.boolean(),
  trustworthy_not_found: z.boolean(),
});

export const supplierKindViewSchema = z
  .object({
    kind: z.string(),
    label: z.string(),
    capabilities: capabilitiesSchema,
    fields: z.array(z.object({ key: z.string(), label: z.string(), secret: z.boolean(), required: z.boolean() })),
  })
  .meta({
    id: 'SupplierKind',
    examples: [
      {
        kind: 'sandbox',
        label: 'Sandbox',
        capabilities: { nickname: true, balance: false, price_list: false, callback: false, trustworthy_not_found: true },
        fields: [{ key: 'base_url', label: 'Base URL', secret: false, required: false }],
      },
    ],
  });

export function supplierKindView(kind: SupplierKind): z.infer<typeof supplierKindViewSchema> {
  const { nickname, balance, priceList, callback, trustworthyNotFound } = kind.capabilities;
  return {
    kind: kind.kind,
    label: kind.label,
    capabilities: { nickname, balance, price_list: priceList, callback, trustworthy_not_found: trustworthyNotFound },
    fields: kind.fields,
  };
}

const configSchema = z.record(z.string().max(64), text(0, 2_048));

export const createSupplierSchema = z
  .strictObject({
    code: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must have 1 to 32 characters of a–z 0–9 -'),
    kind: text(1, 64),
    config: configSchema.default({}).describe('The fields of the kind; `GET /admin/api/supplier-kind` lists them.'),
  })
  .meta({ examples: [{ code: 'main', kind: 'sandbox', config: { base_url: 'https://supplier.example' } }] });

export const changeSupplierSchema = z
  .strictObject({ config: configSchema.describe('Only the fields given are changed.') })
  .meta({ examples: [{ config: { base_url: 'https://supplier.example' } }] });

export const supplierViewSchema = z
  .object({
    code: z.string(),
    kind: z.string(),
    status: z.enum(['Active', 'Paused', 'Resting']).describe('`Resting`: failed too often just now, comes back by itself.'),
    balance: z.int().nullable().describe('Our balance there, in minor units; null: not known.'),
    balance_at: timeField.nullable(),
    callback_url: z.string().nullable().describe('Where the supplier shall report to; null: this kind does not report.'),
    config: z.record(z.string(), z.string()).describe('Secrets are masked.'),
    updated_at: timeField,
  })
  .meta({
    id: 'Supplier',
    examples: [
      {
        code: 'main',
        kind: 'sandbox',
        status: 'Active',
        balance: null,
        balance_at: null,
        callback_url: null,
        config: { base_url: 'https://supplier.example' },
        updated_at: '2026-02-14T10:00:00+07:00',
      },
    ],
  });

export interface SupplierViewContext {
  kind: SupplierKind | null;
  health: 'Working' | 'Resting';
  baseUrl: string;
  timeZone: string;
}

const MASK = '••••••••';

export function supplierView(
  supplier: SupplierRecord,
  { kind, health, baseUrl, timeZone }: SupplierViewContext,
): z.infer<typeof supplierViewSchema> {
  const secretKeys =
    supplier.secretsSealed === null ? [] : (kind?.fields ?? []).filter(({ secret }) => secret).map(({ key }) => key);
  return {
    code: supplier.code,
    kind: supplier.kind,
    status: supplier.status === 'Active' && health === 'Resting' ? 'Resting' : supplier.status,
    balance: supplier.balance === null ? null : toJsonAmount(supplier.balance),
    balance_at: supplier.balanceAt === null ? null : formatTime(supplier.balanceAt, timeZone),
    callback_url: kind?.capabilities.callback ? `${baseUrl}/callback/${supplier.code}/${supplier.callbackKey}` : null,
    config: { ...supplier.config, ...Object.fromEntries(secretKeys.map((key) => [key, MASK])) },
    updated_at: formatTime(supplier.updatedAt, timeZone),
  };
}

const ROUTE_EXAMPLE = { supplier: 'main', sku: 'ML85', cost: 22_400, account_template: '{user_id}|{zone}' };
const template = text(1, 128).nullable();
const route = {
  supplier: text(1, 32),
  sku: text(1, 128),
  cost: amount.describe('What it costs there, in minor units.'),
};

export const routeListSchema = z
  .array(
    z.strictObject({
      ...route,
      account_template: template.optional().describe('How the supplier writes the account, e.g. `{user_id}|{zone}`.'),
    }),
  )
  .max(MAX_ROUTES)
  .meta({ examples: [[ROUTE_EXAMPLE]] });

export const routeViewSchema = z
  .object({ ...route, account_template: template })
  .meta({ id: 'Route', examples: [ROUTE_EXAMPLE] });

export function routeView(route: Route): z.infer<typeof routeViewSchema> {
  return {
    supplier: route.supplierCode,
    sku: route.sku,
    cost: toJsonAmount(route.cost),
    account_template: route.accountTemplate,
  };
}
