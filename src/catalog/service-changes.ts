import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/database.ts';
import { type ServiceView, serviceView } from './contract.ts';
import { type Catalog, loadCatalog } from './snapshot.ts';

/** For each tier, the services that are others than before for its resellers, as `GET /api/service` shows them now. */
export type ServiceChanges = Map<string, ServiceView[]>;

/** Tells resellers of changes, in the transaction that made them. */
export type TellServiceChanges = (tx: Tx, changes: ServiceChanges) => Promise<void>;

export interface TellingDeps {
  view: { timeZone: string };
  tell: TellServiceChanges;
}

/**
 * Runs a change of the catalogue and tells everybody whose prices, states or names it moved, by whichever way: the service, its
 * product, the tier's rule or one of its prices.
 */
export async function tellingChanges<Outcome>(tx: Tx, deps: TellingDeps, change: () => Promise<Outcome>): Promise<Outcome> {
  const before = await loadCatalog(tx, 0);
  const outcome = await change();
  const changes = compareCatalogs(before, await loadCatalog(tx, 0), deps.view.timeZone);
  if (changes.size > 0) await deps.tell(tx, changes);
  return outcome;
}

function compareCatalogs(before: Catalog, after: Catalog, timeZone: string): ServiceChanges {
  const changes: ServiceChanges = new Map();
  for (const tierCode of after.tiers.keys()) {
    const changed = [...after.services.values()].flatMap((service) => {
      const view = serviceView(service, after, tierCode, timeZone);
      const known = before.tiers.has(tierCode) ? before.services.get(service.code) : undefined;
      return known && isSame(serviceView(known, before, tierCode, timeZone), view) ? [] : [view];
    });
    if (changed.length > 0) changes.set(tierCode, changed);
  }
  return changes;
}

function isSame(before: ServiceView, after: ServiceView): boolean {
  return isDeepStrictEqual({ ...before, updated_at: '' }, { ...after, updated_at: '' });
}
