import { z } from 'zod';
import type { Db, Tx } from '../db/database.ts';
import type { Amount } from '../lib/money.ts';
import { DEFAULT_RULE, PREFERENCES, type RoutingRule } from './route-choice.ts';

/** What is set for one service; null: as for all. */
export type ServiceRouting = { [Key in keyof RoutingRule]: RoutingRule[Key] | null };

/** How routes are chosen, for all services and for those that differ. */
export interface RoutingRules {
  standard: RoutingRule;
  own(serviceCode: string): ServiceRouting;
  of(serviceCode: string): RoutingRule;
  /** Services that are Unavailable only because every route of theirs is. */
  closedByList: ReadonlySet<string>;
}

const NOTHING_OWN: ServiceRouting = { preference: null, marginFloor: null, sellsBelowCost: null };
const SETTING = 'routing';
const storedRule = z.object({ preference: z.enum(PREFERENCES), margin_floor: z.string(), sells_below_cost: z.boolean() });

export async function loadRouting(db: Db): Promise<RoutingRules> {
  const setting = await db.selectFrom('settings').select('value').where('key', '=', SETTING).executeTakeFirst();
  const rows = await db.selectFrom('service_routing').selectAll().execute();
  const standard = setting ? toRule(storedRule.parse(setting.value)) : DEFAULT_RULE;
  const services = new Map<string, ServiceRouting>(
    rows.map((row) => [
      row.service_code,
      { preference: row.preference, marginFloor: row.margin_floor, sellsBelowCost: row.sells_below_cost },
    ]),
  );
  const own = (serviceCode: string) => services.get(serviceCode) ?? NOTHING_OWN;
  return {
    standard,
    own,
    closedByList: new Set(rows.filter((row) => row.closed_by_list).map((row) => row.service_code)),
    of(serviceCode) {
      const { preference, marginFloor, sellsBelowCost } = own(serviceCode);
      return {
        preference: preference ?? standard.preference,
        marginFloor: marginFloor ?? standard.marginFloor,
        sellsBelowCost: sellsBelowCost ?? standard.sellsBelowCost,
      };
    },
  };
}

export async function saveStandardRouting(tx: Tx, rule: RoutingRule, at: Date): Promise<void> {
  const value = { preference: rule.preference, margin_floor: String(rule.marginFloor), sells_below_cost: rule.sellsBelowCost };
  const values = { value: JSON.stringify(value satisfies z.infer<typeof storedRule>), updated_at: at };
  await tx
    .insertInto('settings')
    .values({ key: SETTING, ...values })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
    .execute();
}

export async function saveServiceRouting(tx: Tx, serviceCode: string, routing: ServiceRouting, at: Date): Promise<void> {
  const values = {
    preference: routing.preference,
    margin_floor: routing.marginFloor,
    sells_below_cost: routing.sellsBelowCost,
    updated_at: at,
  };
  await tx
    .insertInto('service_routing')
    .values({ service_code: serviceCode, ...values })
    .onConflict((conflict) => conflict.column('service_code').doUpdateSet(values))
    .execute();
}

/** Remembers that the price lists closed a service, or that it is as the operator has it again. */
export async function setClosedByList(tx: Tx, serviceCode: string, isClosed: boolean, at: Date): Promise<void> {
  const values = { closed_by_list: isClosed, updated_at: at };
  await tx
    .insertInto('service_routing')
    .values({ service_code: serviceCode, ...values })
    .onConflict((conflict) => conflict.column('service_code').doUpdateSet(values))
    .execute();
}

/** Somebody has decided about the states of these services: they are no longer the price lists' to open. */
export async function clearClosedByList(tx: Tx, serviceCodes: string[], at: Date): Promise<void> {
  if (serviceCodes.length === 0) return;
  await tx
    .updateTable('service_routing')
    .set({ closed_by_list: false, updated_at: at })
    .where('service_code', 'in', serviceCodes)
    .where('closed_by_list', '=', true)
    .execute();
}

/** The list price of a service; null when there is no such service. */
export async function findListPrice(db: Db, serviceCode: string): Promise<Amount | null> {
  const row = await db.selectFrom('services').select('price').where('code', '=', serviceCode).executeTakeFirst();
  return row?.price ?? null;
}

function toRule(stored: z.infer<typeof storedRule>): RoutingRule {
  return {
    preference: stored.preference,
    marginFloor: BigInt(stored.margin_floor),
    sellsBelowCost: stored.sells_below_cost,
  };
}
