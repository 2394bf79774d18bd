import type { Tx } from '../db/database.ts';
import { bumpRevision, lockTopic } from '../db/revisions.ts';
import type { Clock } from '../lib/clock.ts';
import type { Service } from './catalog.ts';
import { type TellingDeps, tellingChanges } from './service-changes.ts';
import { listServices, saveServices } from './store.ts';

/** For who decides by the catalogue what to change in it: nobody else changes it until the transaction ends. */
export function lockCatalog(tx: Tx): Promise<void> {
  return lockTopic(tx, 'catalog');
}

export type ServiceChange = Pick<Service, 'code'> & Partial<Pick<Service, 'cost' | 'price' | 'status'>>;

/** Changes services for another room, in its transaction, and tells resellers. Who calls looks for revisions afterwards. */
export async function changeServices(tx: Tx, deps: TellingDeps & { clock: Clock }, changes: ServiceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await lockCatalog(tx);
  await tellingChanges(tx, deps, async () => {
    const byCode = new Map(changes.map((change) => [change.code, change]));
    const updatedAt = deps.clock.now();
    const changed = (await listServices(tx)).flatMap((service) => {
      const change = byCode.get(service.code);
      return change ? [{ ...service, ...change, updatedAt }] : [];
    });
    await saveServices(tx, changed);
  });
  await bumpRevision(tx, 'catalog');
}
