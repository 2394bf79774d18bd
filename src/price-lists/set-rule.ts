import { inTransaction } from '../db/transaction.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Rule } from './price-list.ts';
import { saveRule } from './store.ts';
import type { SyncDeps } from './sync-supplier.ts';

/** Sets what the schedule does with a supplier's price list. */
export async function setRule(deps: SyncDeps, actor: Actor, supplierCode: string, rule: Rule | 'off'): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await saveRule(tx, supplierCode, rule);
    await recordAction(tx, deps.clock, actor, { action: 'supplier.sync-rule', subject: supplierCode, details: { rule } });
  });
}
