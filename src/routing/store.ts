import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../db/database.ts';
import type { RoutesTable } from '../db/supplier-tables.ts';
import type { OfferedRoute, Route, RouteTerms } from './route.ts';

const storedFields = z.array(z.object({ key: z.string(), required: z.boolean() }));

/** Every route, by service, each list in order of preference. */
export async function listRoutes(db: Db): Promise<Map<string, OfferedRoute[]>> {
  const rows = await db.selectFrom('routes').selectAll().orderBy('service_code').orderBy('position').execute();
  const byService = Map.groupBy(rows, (row) => row.service_code);
  return new Map([...byService].map(([serviceCode, ofService]) => [serviceCode, ofService.map(toRoute)]));
}

/** The routes of one service, in the order in which the operator listed them. */
export async function listRoutesOf(db: Db, serviceCode: string): Promise<OfferedRoute[]> {
  const rows = await db.selectFrom('routes').selectAll().where('service_code', '=', serviceCode).orderBy('position').execute();
  return rows.map(toRoute);
}

/** Routes belong to services of the catalogue. */
export async function hasService(db: Db, serviceCode: string): Promise<boolean> {
  return (await db.selectFrom('services').select('code').where('code', '=', serviceCode).executeTakeFirst()) !== undefined;
}

/** Whether players of a service's product have a zone; null when there is no such service. */
export async function findNeedOfZone(tx: Tx, serviceCode: string): Promise<boolean | null> {
  return (await listNeedsOfZone(tx, serviceCode)).get(serviceCode) ?? null;
}

/** The same for every service, or for one. */
export async function listNeedsOfZone(db: Db, serviceCode?: string): Promise<Map<string, boolean>> {
  let query = db
    .selectFrom('services')
    .innerJoin('products', 'products.code', 'services.product_code')
    .select(['services.code', 'products.fields']);
  if (serviceCode !== undefined) query = query.where('services.code', '=', serviceCode);
  const rows = await query.execute();
  return new Map(rows.map(({ code, fields }) => [code, hasZone(fields)]));
}

function hasZone(fields: unknown): boolean {
  return storedFields.parse(fields).some(({ key, required }) => key === 'zone' && required);
}

/** The codes of all suppliers. */
export async function listSupplierCodes(db: Db): Promise<string[]> {
  return (await db.selectFrom('suppliers').select('code').execute()).map(({ code }) => code);
}

const SERVICES_AT_ONCE = 200;

/**
 * Replaces all routes of these services. What is not for sale at the moment stays so: the list says what there is, the price list
 * what can be had.
 */
export async function replaceRoutes(tx: Tx, services: ReadonlyMap<string, Route[]>): Promise<void> {
  const all = [...services];
  for (let start = 0; start < all.length; start += SERVICES_AT_ONCE) {
    const some = all.slice(start, start + SERVICES_AT_ONCE);
    const codes = some.map(([code]) => code);
    const before = await tx.deleteFrom('routes').where('service_code', 'in', codes).returningAll().execute();
    const since = new Map(before.map((row) => [keyOf(row.service_code, row.supplier_code, row.sku), row.unavailable_since]));
    const rows = some.flatMap(([code, routes]) =>
      routes.map((route, index) => ({
        service_code: code,
        position: index + 1,
        supplier_code: route.supplierCode,
        sku: route.sku,
        cost: route.cost,
        account_template: route.accountTemplate,
        once_per_day: route.oncePerDay,
        cut_off_start: route.cutOff?.start ?? null,
        cut_off_end: route.cutOff?.end ?? null,
        unavailable_since: since.get(keyOf(code, route.supplierCode, route.sku)) ?? null,
      })),
    );
    if (rows.length > 0) await tx.insertInto('routes').values(rows).execute();
  }
}

function keyOf(serviceCode: string, supplierCode: string, sku: string): string {
  return JSON.stringify([serviceCode, supplierCode, sku]);
}

/** Brings routes in line with a price list. Which routes there are, and in which order, stays the operator's. */
export async function updateRouteTerms(tx: Tx, terms: RouteTerms[], at: Date): Promise<void> {
  if (terms.length === 0) return;
  const rows = terms.map((route) => ({
    service_code: route.serviceCode,
    supplier_code: route.supplierCode,
    sku: route.sku,
    cost: String(route.cost),
    once_per_day: route.oncePerDay,
    cut_off_start: route.cutOff?.start ?? null,
    cut_off_end: route.cutOff?.end ?? null,
    available: route.isAvailable,
  }));
  await sql`
    update routes set cost = row.cost, once_per_day = row.once_per_day, cut_off_start = row.cut_off_start,
      cut_off_end = row.cut_off_end,
      unavailable_since = case when row.available then null else coalesce(routes.unavailable_since, ${at}::timestamptz) end
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      service_code text, supplier_code text, sku text, cost bigint, once_per_day boolean, cut_off_start text, cut_off_end text,
      available boolean)
    where routes.service_code = row.service_code and routes.supplier_code = row.supplier_code and routes.sku = row.sku`.execute(
    tx,
  );
}

function toRoute(row: Selectable<RoutesTable>): OfferedRoute {
  const { cut_off_start: start, cut_off_end: end } = row;
  return {
    supplierCode: row.supplier_code,
    sku: row.sku,
    cost: row.cost,
    accountTemplate: row.account_template,
    oncePerDay: row.once_per_day,
    cutOff: start !== null && end !== null ? { start, end } : null,
    isAvailable: row.unavailable_since === null,
  };
}
