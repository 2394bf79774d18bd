import type { Amount } from '../lib/money.ts';
import type { AttemptState, OrderState } from '../orders/index.ts';

/** What of a day's purchases deserves a look, the gravest first. */
export const DAY_DIFFERENCES = [
  'delivered_but_refunded',
  'open_but_refunded',
  'success_without_delivery',
  'price_differs',
  'open',
] as const;
export type DayDifferenceKind = (typeof DAY_DIFFERENCES)[number];

/** The purchases of a day in one state. */
export interface StateGroup {
  state: AttemptState;
  purchases: number;
  /** What we expected to pay for them. */
  expected: Amount;
  /** What they told they charged, and for how many; of the others nothing is known. */
  charged: Amount;
  told: number;
}

/** A reading of our balance at the supplier. */
export interface BalanceReading {
  balance: Amount;
  at: Date;
}

export interface DayReport {
  supplierCode: string;
  groups: StateGroup[];
  differences: Record<DayDifferenceKind, number>;
  /** The last readings before the day began and before it ended; null where the supplier was not asked or does not tell. */
  balance: { opening: BalanceReading | null; closing: BalanceReading | null };
  /** What the day's deliveries cost: as told, or else as expected. */
  spent: Amount;
}

/** One purchase that deserves a look. */
export interface DayDifference {
  kind: DayDifferenceKind;
  orderId: string;
  number: number;
  reference: string;
  supplierReference: string | null;
  sku: string;
  state: AttemptState;
  orderState: OrderState;
  expected: Amount;
  charged: Amount | null;
  at: Date;
}
