import type { Amount } from '../lib/money.ts';

export const AVAILABILITIES = ['Available', 'Unavailable', 'Maintenance'] as const;

/** Only `Available` can be ordered. */
export type Availability = (typeof AVAILABILITIES)[number];

/** One field of the form in which a product's player account is entered. */
export interface AccountField {
  key: 'user_id' | 'zone';
  label: string;
  type: 'text' | 'number' | 'select';
  required: boolean;
  /** A regular expression the whole value must match. */
  pattern?: string | undefined;
  options?: { value: string; label: string }[] | undefined;
}

/** A game. */
export interface Product {
  code: string;
  name: string;
  /** What the player has to enter, in words. */
  accountDescription: string;
  category: string;
  status: Availability;
  fields: AccountField[];
  nicknameLookup: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** An orderable item of a product. Its code begins with the product's. */
export interface Service {
  code: string;
  productCode: string;
  name: string;
  /** What it costs us, in minor units: the base of marked-up prices, never shown to resellers. */
  cost: Amount;
  /** The list price, in minor units. */
  price: Amount;
  status: Availability;
  createdAt: Date;
  updatedAt: Date;
}

export const PRICINGS = ['list', 'percent', 'fixed'] as const;

/** How a group of resellers pays. */
export interface Tier {
  code: string;
  name: string;
  /** `list`: the service's list price. `percent` and `fixed`: a markup over its cost. */
  pricing: (typeof PRICINGS)[number];
  /** Hundredths of a percent for `percent`, minor units for `fixed`. */
  markup: bigint;
  /** Marked-up prices are rounded up to a multiple of this. */
  roundTo: Amount;
  /** A price is never below cost plus this, unless it was set explicitly. */
  floorMargin: Amount;
  createdAt: Date;
  updatedAt: Date;
}

const BASIS_POINTS = 10_000n;

/**
 * The price of a service for a tier, in minor units.
 * An explicit price wins as it is; otherwise list price or cost plus markup, rounded up, and never below cost plus the floor.
 */
export function priceFor(service: Service, tier: Tier, explicitPrice: Amount | undefined): Amount {
  if (explicitPrice !== undefined) return explicitPrice;
  const wanted = tier.pricing === 'list' ? service.price : roundUp(markedUp(service.cost, tier), tier.roundTo);
  const floor = roundUp(service.cost + tier.floorMargin, tier.roundTo);
  return atLeast(1n, atLeast(floor, wanted));
}

function atLeast(least: Amount, amount: Amount): Amount {
  if (amount < least) return least;
  return amount;
}

function markedUp(cost: Amount, tier: Tier): Amount {
  if (tier.pricing === 'fixed') return cost + tier.markup;
  // Rounded up before anything else, so that a fraction never turns into a loss.
  return roundUp(cost * (BASIS_POINTS + tier.markup), BASIS_POINTS) / BASIS_POINTS;
}

function roundUp(amount: Amount, step: bigint): Amount {
  return ((amount + step - 1n) / step) * step;
}

/** What a reseller sees of a service: as available as the service and its product both are. */
export function effectiveStatus(service: Service, product: Product): Availability {
  if (product.status !== 'Available') return product.status;
  return service.status;
}
