import { z } from 'zod';
import type { Db, Tx } from '../db/database.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import type { Clock } from '../lib/clock.ts';

const maintenanceSetting = z.object({ enabled: z.boolean(), message: z.string() });

/** Whether the reseller interface is closed, and what resellers are told then. */
export type Maintenance = z.infer<typeof maintenanceSetting>;

const OPEN: Maintenance = { enabled: false, message: 'The service is under maintenance. Try again later.' };

/** Settings that operators change while the service runs; every process follows within a second. */
export interface Settings {
  maintenance(): Maintenance;
}

export async function openSettings(db: Db, revisions: RevisionWatch): Promise<Settings> {
  let maintenance = OPEN;
  await revisions.subscribe('settings', async () => {
    const row = await db.selectFrom('settings').select('value').where('key', '=', 'maintenance').executeTakeFirst();
    maintenance = row ? maintenanceSetting.parse(row.value) : OPEN;
  });
  return { maintenance: () => maintenance };
}

export async function saveMaintenance(tx: Tx, clock: Clock, maintenance: Maintenance): Promise<void> {
  const values = { value: JSON.stringify(maintenance), updated_at: clock.now() };
  await tx
    .insertInto('settings')
    .values({ key: 'maintenance', ...values })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
    .execute();
  await bumpRevision(tx, 'settings');
}
