import type { Db } from '../db/database.ts';
import { formatTime } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import { findListed, type ListedItem } from './item-store.ts';

interface WrittenRoute {
  supplierCode: string;
  sku: string;
  cost: Amount;
}

/** For each route what speaks against it in its supplier's price list as it was last read; null: nothing, or there is no list. */
export async function warnOfRoutes(db: Db, routes: readonly WrittenRoute[], timeZone: string): Promise<(string | null)[]> {
  if (routes.length === 0) return [];
  const listed = await findListed(db, [...routes]);
  return routes.map((route, index) => warningOf(route, listed[index] ?? null, timeZone));
}

function warningOf({ supplierCode, sku, cost }: WrittenRoute, listed: ListedItem | null, timeZone: string): string | null {
  if (listed === null) return null;
  const list = `The price list of ${supplierCode}, read ${formatTime(listed.readAt, timeZone)},`;
  if (listed.item === null) return `${list} has no item ${sku}.`;
  if (!listed.item.available) return `${list} has ${sku} as not for sale.`;
  return listed.item.cost === cost ? null : `${list} has ${sku} at ${listed.item.cost}, the route at ${cost}.`;
}
