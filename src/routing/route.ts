import type { Amount } from '../lib/money.ts';

/** Which supplier's item fulfils a service. A service's routes are tried in order. */
export interface Route {
  supplierCode: string;
  sku: string;
  cost: Amount;
  /** How the supplier writes a player's account, e.g. `{user_id}|{zone}`; null where it takes the parts. */
  accountTemplate: string | null;
  /** The supplier takes the item for the same player only once a day. */
  oncePerDay: boolean;
  /** The time of day, `HH:MM`, in which the supplier does not sell the item; it may cross midnight. */
  cutOff: { start: string; end: string } | null;
}

/** A route with what the supplier's price list says about its item. */
export interface OfferedRoute extends Route {
  isAvailable: boolean;
}

/** What a supplier's price list says about a route. */
export interface RouteTerms {
  serviceCode: string;
  supplierCode: string;
  sku: string;
  cost: Amount;
  oncePerDay: boolean;
  cutOff: Route['cutOff'];
  isAvailable: boolean;
}
