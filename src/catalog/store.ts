import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../db/database.ts';
import type { ProductsTable, ServicesTable, TiersTable } from '../db/tables.ts';
import type { Amount } from '../lib/money.ts';
import type { AccountField, Product, Service, Tier } from './catalog.ts';

const storedFields = z.array(
  z.object({
    key: z.enum(['user_id', 'zone']),
    label: z.string(),
    type: z.enum(['text', 'number', 'select']),
    required: z.boolean(),
    pattern: z.string().optional(),
    options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  }),
);

export async function listProducts(db: Db): Promise<Product[]> {
  const rows = await db.selectFrom('products').selectAll().orderBy('name').execute();
  return rows.map(toProduct);
}

export async function listServices(db: Db): Promise<Service[]> {
  const rows = await db.selectFrom('services').selectAll().orderBy('product_code').orderBy('price').orderBy('code').execute();
  return rows.map(toService);
}

export async function listTiers(db: Db): Promise<Tier[]> {
  const rows = await db.selectFrom('tiers').selectAll().orderBy('code').execute();
  return rows.map(toTier);
}

export async function listTierPrices(db: Db): Promise<{ tierCode: string; serviceCode: string; price: Amount }[]> {
  const rows = await db.selectFrom('tier_prices').selectAll().orderBy('tier_code').orderBy('service_code').execute();
  return rows.map((row) => ({ tierCode: row.tier_code, serviceCode: row.service_code, price: row.price }));
}

/** Inserts products, or replaces what is stored under the same codes; creation times stay. */
export async function saveProducts(tx: Tx, products: Product[]): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => ({
    code: product.code,
    name: product.name,
    account_description: product.accountDescription,
    category: product.category,
    status: product.status,
    fields: product.fields satisfies AccountField[],
    nickname_lookup: product.nicknameLookup,
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  }));
  await sql`
    insert into products (code, name, account_description, category, status, fields, nickname_lookup, created_at, updated_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      code text, name text, account_description text, category text, status text, fields jsonb, nickname_lookup boolean,
      created_at timestamptz, updated_at timestamptz)
    on conflict (code) do update set name = excluded.name, account_description = excluded.account_description,
      category = excluded.category, status = excluded.status, fields = excluded.fields,
      nickname_lookup = excluded.nickname_lookup, updated_at = excluded.updated_at`.execute(tx);
}

/** Inserts services, or replaces what is stored under the same codes; product and creation time stay. */
export async function saveServices(tx: Tx, services: Service[]): Promise<void> {
  if (services.length === 0) return;
  const rows = services.map((service) => ({
    code: service.code,
    product_code: service.productCode,
    name: service.name,
    cost: String(service.cost),
    price: String(service.price),
    status: service.status,
    created_at: service.createdAt,
    updated_at: service.updatedAt,
  }));
  await sql`
    insert into services (code, product_code, name, cost, price, status, created_at, updated_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      code text, product_code text, name text, cost bigint, price bigint, status text, created_at timestamptz, updated_at timestamptz)
    on conflict (code) do update set name = excluded.name, cost = excluded.cost, price = excluded.price,
      status = excluded.status, updated_at = excluded.updated_at`.execute(tx);
}

/** Inserts a tier, or replaces what is stored under its code. */
export async function saveTier(tx: Tx, tier: Tier): Promise<void> {
  const values = {
    name: tier.name,
    pricing: tier.pricing,
    markup: tier.markup,
    round_to: tier.roundTo,
    floor_margin: tier.floorMargin,
    updated_at: tier.updatedAt,
  };
  await tx
    .insertInto('tiers')
    .values({ code: tier.code, created_at: tier.createdAt, ...values })
    .onConflict((conflict) => conflict.column('code').doUpdateSet(values))
    .execute();
}

/** Sets a tier's explicit price of a service, or with null lets the tier's rule decide again. */
export async function saveTierPrice(tx: Tx, tierCode: string, serviceCode: string, price: Amount | null): Promise<void> {
  if (price === null) {
    await tx.deleteFrom('tier_prices').where('tier_code', '=', tierCode).where('service_code', '=', serviceCode).execute();
    return;
  }
  await tx
    .insertInto('tier_prices')
    .values({ tier_code: tierCode, service_code: serviceCode, price })
    .onConflict((conflict) => conflict.columns(['tier_code', 'service_code']).doUpdateSet({ price }))
    .execute();
}

function toProduct(row: Selectable<ProductsTable>): Product {
  return {
    code: row.code,
    name: row.name,
    accountDescription: row.account_description,
    category: row.category,
    status: row.status,
    fields: storedFields.parse(row.fields),
    nicknameLookup: row.nickname_lookup,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toService(row: Selectable<ServicesTable>): Service {
  return {
    code: row.code,
    productCode: row.product_code,
    name: row.name,
    cost: row.cost,
    price: row.price,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toTier(row: Selectable<TiersTable>): Tier {
  return {
    code: row.code,
    name: row.name,
    pricing: row.pricing,
    markup: row.markup,
    roundTo: row.round_to,
    floorMargin: row.floor_margin,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
