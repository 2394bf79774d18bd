import { z } from 'zod';
import { amount, text } from '../http/fields.ts';
import { type Amount, toJsonAmount } from '../lib/money.ts';
import { type ExplainedRoute, ROUTE_STATES } from './explain-routes.ts';
import type { OfferedRoute, Route } from './route.ts';
import { PREFERENCES, type RoutingRule } from './route-choice.ts';
import type { ServiceRouting } from './rule-store.ts';

export const MAX_ROUTES = 20;
const ROUTE_EXAMPLE = {
  supplier: 'main',
  sku: 'ML85',
  cost: 22_400,
  account_template: '{user_id}|{zone}',
  once_per_day: false,
  cut_off: { start: '23:30', end: '00:30' },
};
const template = text(1, 128).nullable().describe('How the supplier writes the account, e.g. `{user_id}|{zone}`.');
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM');
const oncePerDay = z.boolean().describe('The supplier takes the item for the same player only once a day.');
const cutOff = z
  .strictObject({ start: timeOfDay, end: timeOfDay })
  .nullable()
  .describe(
    "The time of day, in the installation's zone, in which the item is not sold; it may cross midnight. Equal ends: none.",
  );
const route = {
  supplier: text(1, 32),
  sku: text(1, 128),
  cost: amount.describe('What it costs there, in minor units.'),
};

const routeSchema = z.strictObject({
  ...route,
  account_template: template.optional(),
  once_per_day: oncePerDay.optional(),
  cut_off: cutOff.optional(),
});

export const routeListSchema = z
  .array(routeSchema)
  .max(MAX_ROUTES)
  .meta({ examples: [[ROUTE_EXAMPLE]] });

export const routeViewSchema = z
  .object({
    ...route,
    account_template: template,
    once_per_day: oncePerDay,
    cut_off: cutOff,
    available: z.boolean().describe("False while the supplier's price list does not have the item for sale."),
    warning: z
      .string()
      .nullable()
      .describe("What speaks against it in the supplier's price list as it was last read: no such item, or another cost."),
  })
  .meta({ id: 'Route', examples: [{ ...ROUTE_EXAMPLE, available: true, warning: null }] });

export function toRoute(given: z.infer<typeof routeSchema>): Route {
  return {
    supplierCode: given.supplier,
    sku: given.sku,
    cost: BigInt(given.cost),
    accountTemplate: given.account_template ?? null,
    oncePerDay: given.once_per_day ?? false,
    cutOff: given.cut_off ?? null,
  };
}

export function routeView(route: OfferedRoute, warning: string | null): z.infer<typeof routeViewSchema> {
  return {
    supplier: route.supplierCode,
    sku: route.sku,
    cost: toJsonAmount(route.cost),
    account_template: route.accountTemplate,
    once_per_day: route.oncePerDay,
    cut_off: route.cutOff,
    available: route.isAvailable,
    warning,
  };
}

const preference = z
  .enum(PREFERENCES)
  .describe('`fixed`: as listed. `cheapest`: by cost. `best`: by price, success rate and speed of the last hour.');
const marginFloor = amount.describe('A route is used only where the reseller pays at least its cost and this.');
const sellsBelowCost = z.boolean().describe('Use routes whatever they cost, also at a loss.');

const rule = { preference, margin_floor: marginFloor, sells_below_cost: sellsBelowCost };
const RULE_EXAMPLE = { preference: 'cheapest' as const, margin_floor: 200, sells_below_cost: false };

export const standardRoutingSchema = z.strictObject(rule).meta({ examples: [RULE_EXAMPLE] });

export const standardRoutingViewSchema = z.object(rule).meta({ id: 'Routing', examples: [RULE_EXAMPLE] });

export const serviceRoutingSchema = z
  .strictObject({
    preference: preference.nullable().default(null),
    margin_floor: marginFloor.nullable().default(null),
    sells_below_cost: sellsBelowCost.nullable().default(null),
  })
  .describe('What is left out or null is as for all services.')
  .meta({ examples: [{ preference: 'best', margin_floor: 300 }] });

export const serviceRoutingViewSchema = z
  .object({
    preference: preference.nullable(),
    margin_floor: marginFloor.nullable(),
    sells_below_cost: sellsBelowCost.nullable(),
    in_force: z.object(rule).describe('With what is set for all services filled in.'),
    price: z.int().describe("The service's list price, for which `choice` is told."),
    choice: z
      .array(
        z.object({
          supplier: z.string(),
          sku: z.string(),
          cost: z.int(),
          state: z.enum(ROUTE_STATES).describe('`open`, or what keeps it from being used at this moment.'),
          score: z.number().describe('From 0 to 1; what `best` goes by.'),
        }),
      )
      .describe('The routes in the order in which they would be tried now.'),
  })
  .meta({
    id: 'ServiceRouting',
    examples: [
      {
        preference: 'best',
        margin_floor: 300,
        sells_below_cost: null,
        in_force: { preference: 'best', margin_floor: 300, sells_below_cost: false },
        price: 23_600,
        choice: [{ supplier: 'main', sku: 'ML85', cost: 22_400, state: 'open', score: 0.94 }],
      },
    ],
  });

export function standardRoutingView(standard: RoutingRule): z.infer<typeof standardRoutingViewSchema> {
  return {
    preference: standard.preference,
    margin_floor: toJsonAmount(standard.marginFloor),
    sells_below_cost: standard.sellsBelowCost,
  };
}

export function serviceRoutingView(routing: {
  own: ServiceRouting;
  inForce: RoutingRule;
  price: Amount;
  choice: ExplainedRoute[];
}): z.infer<typeof serviceRoutingViewSchema> {
  const { own, inForce, price, choice } = routing;
  return {
    preference: own.preference,
    margin_floor: own.marginFloor === null ? null : toJsonAmount(own.marginFloor),
    sells_below_cost: own.sellsBelowCost,
    in_force: standardRoutingView(inForce),
    price: toJsonAmount(price),
    choice: choice.map(({ route, state, score }) => ({
      supplier: route.supplierCode,
      sku: route.sku,
      cost: toJsonAmount(route.cost),
      state,
      score: Math.round(score * 1_000) / 1_000,
    })),
  };
}
