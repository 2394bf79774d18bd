import { z } from 'zod';
import { amount, text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { AVAILABILITIES, effectiveStatus, PRICINGS, type Product, type Service, type Tier } from './catalog.ts';
import type { Catalog } from './snapshot.ts';

const MAX_OPTIONS = 1_000;

const accountField = {
  key: z.enum(['user_id', 'zone']).describe('Where the value goes in `account_identifier`.'),
  label: text(1, 64),
  type: z.enum(['text', 'number', 'select']),
  required: z.boolean(),
  pattern: text(1, 200).refine(isPattern, 'must be a regular expression.').optional().describe('The whole value must match.'),
  options: z
    .array(z.strictObject({ value: text(1, 32), label: text(1, 64) }))
    .min(1)
    .max(MAX_OPTIONS)
    .optional(),
};

export const accountFieldSchema = z.strictObject(accountField);

const accountFieldViewSchema = z.object(accountField).meta({ id: 'AccountField' });

const accountFields = z
  .array(accountFieldSchema)
  .min(1)
  .max(2)
  .refine((fields) => new Set(fields.map(({ key }) => key)).size === fields.length, 'must name each key once.')
  .refine((fields) => fields.some(({ key }) => key === 'user_id'), 'must have the key user_id.');

const ACCOUNT_FIELDS_EXAMPLE = [
  { key: 'user_id', label: 'User ID', type: 'text', required: true, pattern: '[0-9]{4,20}' },
  { key: 'zone', label: 'Zone ID', type: 'text', required: true, pattern: '[0-9]{1,6}' },
];

const PRODUCT_EXAMPLE = {
  product_name: 'Mobile Legends: Bang Bang (Indonesia)',
  product_code: 'MLBB',
  account_identifier: 'User ID, digits; shown under avatar in profile',
  status: 'Available',
  category: 'MOBA',
  fields: ACCOUNT_FIELDS_EXAMPLE,
  nickname_lookup: true,
};

const availability = z.enum(AVAILABILITIES).describe('Only `Available` can be ordered.');

export const productViewSchema = z
  .object({
    product_name: z.string(),
    product_code: z.string().describe("Also the beginning of its services' codes."),
    account_identifier: z.string().describe('What the player has to enter, in words.'),
    status: availability,
    category: z.string(),
    fields: z.array(accountFieldViewSchema).describe('The same as a form, for programs.'),
    nickname_lookup: z.boolean().describe('Whether `GET /api/nickname` can be asked for this game.'),
  })
  .meta({ id: 'Product', examples: [PRODUCT_EXAMPLE] });

export function productView(product: Product): z.infer<typeof productViewSchema> {
  return {
    product_name: product.name,
    product_code: product.code,
    account_identifier: product.accountDescription,
    status: product.status,
    category: product.category,
    fields: product.fields,
    nickname_lookup: product.nicknameLookup,
  };
}

export const serviceViewSchema = z
  .object({
    service_code: z.string(),
    service_name: z.string(),
    product_code: z.string(),
    price: z.int().describe('Your price, in minor units.'),
    status: availability,
    updated_at: timeField,
  })
  .meta({
    id: 'Service',
    examples: [
      {
        service_code: 'MLBB-85',
        service_name: '85 Diamonds (77+8)',
        product_code: 'MLBB',
        price: 23_600,
        status: 'Available',
        updated_at: '2026-02-27T18:05:00+07:00',
      },
    ],
  });

export type ServiceView = z.infer<typeof serviceViewSchema>;

export function serviceView(service: Service, catalog: Catalog, tierCode: string, timeZone: string): ServiceView {
  const product = catalog.products.get(service.productCode);
  return {
    service_code: service.code,
    service_name: service.name,
    product_code: service.productCode,
    price: toJsonAmount(catalog.price(service, tierCode)),
    status: product ? effectiveStatus(service, product) : 'Unavailable',
    updated_at: formatTime(service.updatedAt, timeZone),
  };
}

/** A service of the catalogue that nobody would deliver now. */
export function closedView(service: ServiceView): ServiceView {
  return service.status === 'Available' ? { ...service, status: 'Unavailable' } : service;
}

export const createProductSchema = z
  .strictObject({
    product_code: z.string().regex(/^[A-Z0-9]{1,16}$/, 'must have 1 to 16 characters of A–Z and 0–9.'),
    product_name: text(1, 128),
    account_identifier: text(1, 256),
    category: text(1, 64),
    status: availability.default('Available'),
    fields: accountFields,
    nickname_lookup: z.boolean().default(false),
  })
  .meta({
    examples: [
      {
        product_code: 'FF',
        product_name: 'Free Fire',
        account_identifier: 'Player ID, digits',
        category: 'Battle Royale',
        fields: [{ key: 'user_id', label: 'Player ID', type: 'text', required: true, pattern: '[0-9]{4,20}' }],
        nickname_lookup: true,
      },
    ],
  });

export const changeProductSchema = createProductSchema
  .omit({ product_code: true })
  .extend({ status: availability, nickname_lookup: z.boolean() })
  .partial()
  .meta({ examples: [{ status: 'Maintenance' }] });

export const adminProductViewSchema = productViewSchema.extend({ created_at: timeField, updated_at: timeField }).meta({
  id: 'AdminProduct',
  examples: [{ ...PRODUCT_EXAMPLE, created_at: '2026-02-14T09:30:00+07:00', updated_at: '2026-02-27T18:05:00+07:00' }],
});

export function adminProductView(product: Product, timeZone: string): z.infer<typeof adminProductViewSchema> {
  return {
    ...productView(product),
    created_at: formatTime(product.createdAt, timeZone),
    updated_at: formatTime(product.updatedAt, timeZone),
  };
}

export const createServiceSchema = z
  .strictObject({
    service_code: z.string().regex(/^[A-Za-z0-9._-]{3,64}$/, 'must have 3 to 64 characters of A–Z a–z 0–9 . _ -'),
    product_code: text(1, 16),
    service_name: text(1, 128),
    cost: amount.describe('What it costs you, in minor units.'),
    price: amount.min(1).describe('The list price, in minor units.'),
    status: availability.default('Available'),
  })
  .refine((service) => service.service_code.startsWith(`${service.product_code}-`), {
    message: "must begin with the product's code and a hyphen.",
    path: ['service_code'],
  })
  .meta({
    examples: [{ service_code: 'FF-70', product_code: 'FF', service_name: '70 Diamonds', cost: 9_500, price: 10_000 }],
  });

export const changeServiceSchema = z
  .strictObject({ service_name: text(1, 128), cost: amount, price: amount.min(1), status: availability })
  .partial()
  .meta({ examples: [{ cost: 9_700, price: 10_200 }] });

export const adminServiceViewSchema = z
  .object({
    service_code: z.string(),
    service_name: z.string(),
    product_code: z.string(),
    cost: z.int(),
    price: z.int(),
    status: availability,
    updated_at: timeField,
  })
  .meta({
    id: 'AdminService',
    examples: [
      {
        service_code: 'MLBB-85',
        service_name: '85 Diamonds (77+8)',
        product_code: 'MLBB',
        cost: 22_400,
        price: 23_600,
        status: 'Available',
        updated_at: '2026-02-27T18:05:00+07:00',
      },
    ],
  });

export function adminServiceView(service: Service, timeZone: string): z.infer<typeof adminServiceViewSchema> {
  return {
    service_code: service.code,
    service_name: service.name,
    product_code: service.productCode,
    cost: toJsonAmount(service.cost),
    price: toJsonAmount(service.price),
    status: service.status,
    updated_at: formatTime(service.updatedAt, timeZone),
  };
}

export const createTierSchema = z
  .strictObject({
    code: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must have 1 to 32 characters of a–z 0–9 -'),
    name: text(1, 64),
    pricing: z.enum(PRICINGS).describe('`list`: list prices. `percent`, `fixed`: a markup over cost.'),
    markup: z.number().min(0).max(1_000_000_000).multipleOf(0.01).default(0).describe('Percent (two decimals) or minor units.'),
    round_to: z.int().min(1).max(1_000_000).default(1).describe('Marked-up prices are rounded up to a multiple of this.'),
    floor_margin: amount.default(0).describe('Prices never go below cost plus this, unless set explicitly.'),
  })
  .meta({ examples: [{ code: 'gold', name: 'Gold', pricing: 'percent', markup: 2.5, round_to: 100, floor_margin: 200 }] });

export const changeTierSchema = createTierSchema
  .omit({ code: true })
  .extend({
    markup: z.number().min(0).max(1_000_000_000).multipleOf(0.01),
    round_to: z.int().min(1).max(1_000_000),
    floor_margin: amount,
    prices: z.record(text(1, 64), amount.min(1).nullable()).describe('Explicit prices by service code; null removes one.'),
  })
  .partial()
  .meta({ examples: [{ markup: 2, prices: { 'MLBB-85': 23_000, 'FF-70': null } }] });

export const tierViewSchema = z
  .object({ ...createTierSchema.shape, prices: z.record(z.string(), z.int()).describe('Explicit prices by service code.') })
  .meta({
    id: 'Tier',
    examples: [
      {
        code: 'gold',
        name: 'Gold',
        pricing: 'percent',
        markup: 2.5,
        round_to: 100,
        floor_margin: 200,
        prices: { 'MLBB-85': 23_000 },
      },
    ],
  });

const HUNDREDTHS = 100;

/** The stored markup: hundredths of a percent, or minor units. */
export function toMarkup(pricing: Tier['pricing'], markup: number): bigint {
  return BigInt(pricing === 'percent' ? Math.round(markup * HUNDREDTHS) : Math.round(markup));
}

export function tierView(tier: Tier, prices: Record<string, number>): z.infer<typeof tierViewSchema> {
  return {
    code: tier.code,
    name: tier.name,
    pricing: tier.pricing,
    markup: tier.pricing === 'percent' ? Number(tier.markup) / HUNDREDTHS : Number(tier.markup),
    round_to: toJsonAmount(tier.roundTo),
    floor_margin: toJsonAmount(tier.floorMargin),
    prices,
  };
}

function isPattern(source: string): boolean {
  try {
    new RegExp(`^(?:${source})$`, 'u');
    return true;
  } catch {
    return false;
  }
}
