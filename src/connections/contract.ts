import { z } from 'zod';
import { text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime, MINUTE_MS } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import type { Health } from '../supplier-health/index.ts';
import { HEALTH_WINDOW_MS } from '../supplier-health/index.ts';
import type { Hold, SupplierKind } from '../suppliers/index.ts';
import { ALERT_KINDS, type Alert } from './alerts.ts';
import { fieldsOf, SECRET_MASK } from './settings.ts';
import type { SupplierRecord } from './store.ts';

const capabilitiesSchema = z.object({
  nickname: z.boolean(),
  balance: z.boolean(),
  price_list: z.boolean(),
  callback: z.boolean(),
  lookup: z.boolean().describe('A purchase whose answer was lost can be asked about; without it, an operator has to look.'),
  safe_resend: z.boolean().describe('Sending the same purchase again cannot buy it twice.'),
  trustworthy_not_found: z.boolean(),
  check_may_buy: z.boolean(),
  price_guard: z.boolean().describe('The supplier refuses to charge more than we are ready to pay.'),
});

export const supplierKindViewSchema = z
  .object({
    kind: z.string(),
    label: z.string(),
    capabilities: capabilitiesSchema,
    fields: z.array(
      z.object({
        key: z.string(),
        label: z.string(),
        secret: z.boolean(),
        required: z.boolean(),
        identity: z.boolean().describe('It says whose account it is, and stays once orders were sent to it.'),
        help: z.string().nullable(),
        default: z.string().nullable(),
      }),
    ),
  })
  .meta({
    id: 'SupplierKind',
    examples: [
      {
        kind: 'sandbox',
        label: 'Sandbox',
        capabilities: {
          nickname: true,
          balance: false,
          price_list: false,
          callback: false,
          lookup: true,
          safe_resend: true,
          trustworthy_not_found: true,
          check_may_buy: false,
          price_guard: false,
        },
        fields: [
          { key: 'base_url', label: 'Base URL', secret: false, required: false, identity: false, help: null, default: null },
        ],
      },
    ],
  });

export function supplierKindView(kind: SupplierKind): z.infer<typeof supplierKindViewSchema> {
  const { capabilities: can } = kind;
  return {
    kind: kind.kind,
    label: kind.label,
    capabilities: {
      nickname: can.nickname,
      balance: can.balance,
      price_list: can.priceList,
      callback: can.callback,
      lookup: can.lookup,
      safe_resend: can.safeResend,
      trustworthy_not_found: can.trustworthyNotFound,
      check_may_buy: can.checkMayBuy,
      price_guard: can.priceGuard,
    },
    fields: fieldsOf(kind).map(({ key, label, secret, required, identity, help, default: fallback }) => ({
      key,
      label,
      secret,
      required,
      identity: identity ?? false,
      help: help ?? null,
      default: fallback ?? null,
    })),
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
  .strictObject({
    config: configSchema.describe('Only the fields given are changed.'),
    same_account: z
      .boolean()
      .default(false)
      .describe('You vouch that it is the same account, although a field that says whose it is changes. Kept in the audit log.'),
  })
  .meta({ examples: [{ config: { base_url: 'https://supplier.example' } }] });

const healthSchema = z
  .object({
    success_rate: z
      .number()
      .nullable()
      .describe(
        'Delivered, taken and not refused later, or rejected because of the order itself, of all that were sent or tried to be sent.',
      ),
    latency_p50_ms: z.int().nullable(),
    latency_p95_ms: z.int().nullable(),
    calls: z.int(),
    window_minutes: z.int(),
  })
  .describe('How it answered lately; null: nothing was asked.');

export const supplierViewSchema = z
  .object({
    code: z.string(),
    kind: z.string(),
    status: z
      .enum(['Active', 'Paused', 'Held', 'Resting'])
      .describe(
        '`Paused`: by an operator. `Held`: by the service, see `hold`. `Resting`: failed too often just now, comes back by itself.',
      ),
    hold: z
      .object({ kind: z.enum(['misconfigured', 'needs_operator', 'low_balance']), reason: z.string() })
      .nullable()
      .describe('Why the service itself sends it no orders.'),
    balance: z.int().nullable().describe('Our balance there, in minor units; null: not known.'),
    balance_at: timeField.nullable(),
    health: healthSchema,
    alerts: z
      .array(z.object({ kind: z.enum(ALERT_KINDS), message: z.string() }))
      .describe('What an operator should look at; gone when the cause is.'),
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
        hold: null,
        balance: null,
        balance_at: null,
        health: { success_rate: 0.98, latency_p50_ms: 640, latency_p95_ms: 1_900, calls: 412, window_minutes: 60 },
        alerts: [],
        callback_url: null,
        config: { base_url: 'https://supplier.example' },
        updated_at: '2026-02-14T10:00:00+07:00',
      },
    ],
  });

export interface SupplierViewContext {
  kind: SupplierKind | null;
  /** The secret settings that have a value. */
  secretKeys: string[];
  circuit: 'Working' | 'Resting';
  hold: Hold | null;
  health: Health;
  alerts: Alert[];
  baseUrl: string;
  timeZone: string;
}

export function supplierView(
  supplier: SupplierRecord,
  { kind, secretKeys, circuit, hold, health, alerts, baseUrl, timeZone }: SupplierViewContext,
): z.infer<typeof supplierViewSchema> {
  return {
    code: supplier.code,
    kind: supplier.kind,
    status: statusOf(supplier, hold, circuit),
    hold: hold && { kind: hold.kind, reason: hold.reason },
    balance: supplier.balance === null ? null : toJsonAmount(supplier.balance),
    balance_at: supplier.balanceAt === null ? null : formatTime(supplier.balanceAt, timeZone),
    health: {
      success_rate: health.successRate,
      latency_p50_ms: health.latencyP50Ms,
      latency_p95_ms: health.latencyP95Ms,
      calls: health.calls,
      window_minutes: HEALTH_WINDOW_MS / MINUTE_MS,
    },
    alerts,
    callback_url: kind?.capabilities.callback ? `${baseUrl}/callback/${supplier.code}/${supplier.callbackKey}` : null,
    config: { ...supplier.config, ...Object.fromEntries(secretKeys.map((key) => [key, SECRET_MASK])) },
    updated_at: formatTime(supplier.updatedAt, timeZone),
  };
}

function statusOf(supplier: SupplierRecord, hold: Hold | null, circuit: 'Working' | 'Resting') {
  if (supplier.status === 'Paused') return 'Paused';
  if (hold !== null) return 'Held';
  return circuit === 'Resting' ? 'Resting' : 'Active';
}
