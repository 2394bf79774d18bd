import { z } from 'zod';
import { pageQuery } from '../http/envelope.ts';
import { amount, instant, modeField, text, username } from '../http/fields.ts';
import { type Account, TRANSFER_KINDS, transferViewSchema } from '../ledger/index.ts';
import { isAddressOrBlock } from '../lib/allow-list.ts';
import { currencyField, idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { fromPublicId, toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { type Credential, RESELLER_STATUSES, type Reseller, SCOPES } from './reseller.ts';

const RESELLER_PREFIX = 'rs_';
const CREDENTIAL_PREFIX = 'cr_';
const MAX_ALLOWED_IPS = 100;

export const toResellerId = (uuid: string) => toPublicId(RESELLER_PREFIX, uuid);
export const toCredentialId = (uuid: string) => toPublicId(CREDENTIAL_PREFIX, uuid);
export const fromCredentialId = (id: string) => fromPublicId(CREDENTIAL_PREFIX, id);
export const fromResellerId = (id: string) => fromPublicId(RESELLER_PREFIX, id);

export const accountViewSchema = z
  .object({
    name: z.string(),
    username: z.string(),
    balance: z.int().describe('Prepaid balance of this mode, in minor units.'),
    currency: currencyField,
    tier: z.string().describe('The price tier.'),
    mode: z.enum(['live', 'test']),
    registered_at: timeField,
  })
  .meta({
    id: 'Account',
    examples: [
      {
        name: 'Toko Sinar',
        username: 'toko-sinar',
        balance: 976_400,
        currency: 'IDR',
        tier: 'standard',
        mode: 'live',
        registered_at: '2026-02-14T09:30:00+07:00',
      },
    ],
  });

/** `data` of the event `balance.credited`. */
export const balanceCreditedSchema = transferViewSchema.extend({ currency: currencyField, mode: modeField }).meta({
  id: 'BalanceCredited',
  examples: [
    {
      transfer_id: 'tr_01KJJVQ590E9XABMKNNZA4F745',
      kind: 'deposit',
      amount: 1_000_000,
      balance_after: 1_000_000,
      order_id: null,
      ref_id: null,
      reference: 'BCA-20260301-0017',
      time: '2026-03-01T02:31:00+07:00',
      currency: 'IDR',
      mode: 'live',
    },
  ],
});

export const statementQuerySchema = z.strictObject({
  kind: z.enum(TRANSFER_KINDS).optional().describe('Transfers of this kind.'),
  from: instant.optional().describe('Transfers from this time on.'),
  to: instant.optional().describe('Transfers before this time.'),
  ...pageQuery('number'),
});

const lowBalanceThreshold = amount
  .nullable()
  .describe('Tell the reseller when a balance falls below this, in minor units; null: never.');

export const createResellerSchema = z
  .strictObject({
    name: text(1, 128),
    username,
    tier: text(1, 32).default('standard'),
    low_balance_threshold: lowBalanceThreshold.default(null),
  })
  .meta({ examples: [{ name: 'Toko Sinar', username: 'toko-sinar', tier: 'standard', low_balance_threshold: 100_000 }] });

export const changeResellerSchema = z
  .strictObject({
    name: text(1, 128),
    tier: text(1, 32),
    status: z.preprocess(capitalize, z.enum(RESELLER_STATUSES)),
    low_balance_threshold: lowBalanceThreshold,
  })
  .partial()
  .meta({ examples: [{ status: 'Suspended' }] });

export const resellerListQuerySchema = z.strictObject({
  search: text(1, 64).optional().describe('Resellers with this in their name or username.'),
  ...pageQuery('id'),
});

export const resellerViewSchema = z
  .object({
    reseller_id: idField('rs_', '01KHCZQK20E1VAGMT3XH8FMY56'),
    name: z.string(),
    username: z.string(),
    tier: z.string(),
    status: z.enum(RESELLER_STATUSES),
    balances: z.object({ live: z.int(), test: z.int() }),
    low_balance_threshold: z.int().nullable(),
    registered_at: timeField,
  })
  .meta({
    id: 'Reseller',
    examples: [
      {
        reseller_id: 'rs_01KHCZQK20E1VAGMT3XH8FMY56',
        name: 'Toko Sinar',
        username: 'toko-sinar',
        tier: 'standard',
        status: 'Active',
        balances: { live: 976_400, test: 10_000_000 },
        low_balance_threshold: 100_000,
        registered_at: '2026-02-14T09:30:00+07:00',
      },
    ],
  });

export function resellerView(reseller: Reseller, accounts: Account[], timeZone: string): z.infer<typeof resellerViewSchema> {
  const balanceOf = (mode: Account['mode']) =>
    toJsonAmount(accounts.find((account) => account.resellerId === reseller.id && account.mode === mode)?.balance ?? 0n);
  return {
    reseller_id: toResellerId(reseller.id),
    name: reseller.name,
    username: reseller.username,
    tier: reseller.tierCode,
    status: reseller.status,
    balances: { live: balanceOf('live'), test: balanceOf('test') },
    low_balance_threshold: reseller.lowBalanceThreshold === null ? null : toJsonAmount(reseller.lowBalanceThreshold),
    registered_at: formatTime(reseller.registeredAt, timeZone),
  };
}

export const issueCredentialSchema = z
  .strictObject({
    mode: modeField,
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).default(['read', 'order']),
    expires_at: instant.nullable().default(null),
    allowed_ips: z
      .array(z.string().max(64).refine(isAddressOrBlock, 'must be an IPv4 or IPv6 address or a CIDR block, e.g. 203.0.113.0/24.'))
      .max(MAX_ALLOWED_IPS)
      .default([]),
  })
  .meta({ examples: [{ mode: 'live', scopes: ['read', 'order'], expires_at: null, allowed_ips: ['203.0.113.0/24'] }] });

const CREDENTIAL_EXAMPLE = {
  credential_id: 'cr_01KHCZSDN0E0RR8G882QSBKVTQ',
  mode: 'live',
  token_hint: 'k9Qz',
  scopes: ['read', 'order'],
  allowed_ips: ['203.0.113.0/24'],
  status: 'Active',
  expires_at: null,
  revoked_at: null,
  created_at: '2026-02-14T09:31:00+07:00',
};

export const credentialViewSchema = z
  .object({
    credential_id: idField('cr_', '01KHCZSDN0E0RR8G882QSBKVTQ'),
    mode: z.enum(['live', 'test']),
    token_hint: z.string().describe('The end of the token.'),
    scopes: z.array(z.enum(SCOPES)),
    allowed_ips: z.array(z.string()),
    status: z.enum(['Active', 'Expired', 'Revoked']),
    expires_at: timeField.nullable(),
    revoked_at: timeField.nullable(),
    created_at: timeField,
  })
  .meta({ id: 'Credential', examples: [CREDENTIAL_EXAMPLE] });

export const issuedCredentialViewSchema = credentialViewSchema
  .extend({
    access_token: z.string().describe('Shown once.'),
    signing_secret: z.string().describe('Shown once.'),
  })
  .meta({
    id: 'IssuedCredential',
    examples: [
      { ...CREDENTIAL_EXAMPLE, access_token: 'tg_live_example_3Zb8hT5wRk9Qz', signing_secret: 'tgs_example_4f1c2a9b7d' },
    ],
  });

export function credentialView(credential: Credential, now: Date, timeZone: string): z.infer<typeof credentialViewSchema> {
  const time = (value: Date | null) => (value === null ? null : formatTime(value, timeZone));
  const expired = credential.expiresAt !== null && credential.expiresAt <= now;
  return {
    credential_id: toCredentialId(credential.id),
    mode: credential.mode,
    token_hint: credential.tokenHint,
    scopes: credential.scopes,
    allowed_ips: credential.allowedIps,
    status: credential.revokedAt !== null ? 'Revoked' : expired ? 'Expired' : 'Active',
    expires_at: time(credential.expiresAt),
    revoked_at: time(credential.revokedAt),
    created_at: formatTime(credential.createdAt, timeZone),
  };
}

export const depositSchema = z
  .strictObject({
    amount: amount.min(1).describe('What was paid in, in minor units.'),
    mode: modeField,
    reference: text(1, 128).describe("The payment's own reference: repeated with it, nothing is credited again."),
  })
  .meta({ examples: [{ amount: 1_000_000, mode: 'live', reference: 'BCA-20260301-0017' }] });

export const adjustmentSchema = z
  .strictObject({
    amount: z
      .int()
      .min(-Number.MAX_SAFE_INTEGER)
      .max(Number.MAX_SAFE_INTEGER)
      .refine((value) => value !== 0, 'must not be zero.')
      .describe('Signed, in minor units: negative takes from the balance.'),
    mode: modeField,
    reason: text(1, 256).describe("Shown on the reseller's statement."),
  })
  .meta({ examples: [{ amount: -5_000, mode: 'live', reason: 'Deposit credited twice by hand' }] });

function capitalize(value: unknown): unknown {
  return typeof value === 'string' ? value.charAt(0).toUpperCase() + value.slice(1).toLowerCase() : value;
}
