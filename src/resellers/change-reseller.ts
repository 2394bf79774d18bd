import type { Db } from '../db/database.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Reseller } from './reseller.ts';
import { findReseller, updateReseller } from './store.ts';

export type ResellerChange = Partial<Pick<Reseller, 'name' | 'tierCode' | 'status' | 'lowBalanceThreshold'>>;

export type ChangeResellerOutcome = { kind: 'changed'; reseller: Reseller } | { kind: 'not_found' } | { kind: 'unknown_tier' };

/** Renames, moves to another tier, suspends or reinstates. A suspension acts within a second in every process. */
export async function changeReseller(
  deps: { db: Db; clock: Clock; revisions: RevisionWatch },
  actor: Actor,
  resellerId: string,
  change: ResellerChange,
): Promise<ChangeResellerOutcome> {
  try {
    const reseller = await inTransaction(deps.db, async (tx) => {
      const before = await findReseller(tx, resellerId);
      if (before === null) return null;
      const after: Reseller = { ...before, ...change, updatedAt: deps.clock.now() };
      await updateReseller(tx, after);
      await bumpRevision(tx, 'access');
      const details = { ...change, lowBalanceThreshold: change.lowBalanceThreshold?.toString() };
      await recordAction(tx, deps.clock, actor, { action: 'reseller.change', subject: resellerId, details });
      return after;
    });
    if (reseller === null) return { kind: 'not_found' };
    await deps.revisions.check();
    return { kind: 'changed', reseller };
  } catch (error) {
    if (isForeignKeyViolation(error, 'resellers_tier')) return { kind: 'unknown_tier' };
    throw error;
  }
}
