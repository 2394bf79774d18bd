import type { Db } from '../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertAccount } from '../ledger/index.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { MODES } from '../lib/mode.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import { insertFeed } from '../webhooks/index.ts';
import type { Reseller } from './reseller.ts';
import { insertReseller } from './store.ts';

export type CreateResellerOutcome =
  | { kind: 'created'; reseller: Reseller }
  | { kind: 'username_taken' }
  | { kind: 'unknown_tier' };

/** Registers a reseller with an empty balance in each mode. */
export async function createReseller(
  deps: { db: Db; clock: Clock },
  actor: Actor,
  request: Pick<Reseller, 'name' | 'username' | 'tierCode' | 'lowBalanceThreshold'>,
): Promise<CreateResellerOutcome> {
  const now = deps.clock.now();
  const reseller: Reseller = { ...request, id: newId(now), status: 'Active', registeredAt: now, updatedAt: now };
  try {
    await inTransaction(deps.db, async (tx) => {
      await insertReseller(tx, reseller);
      for (const mode of MODES) {
        const accountId = newId(now);
        await insertAccount(tx, { id: accountId, resellerId: reseller.id, mode });
        await insertFeed(tx, accountId);
      }
      await recordAction(tx, deps.clock, actor, {
        action: 'reseller.create',
        subject: reseller.id,
        details: { username: reseller.username },
      });
    });
    return { kind: 'created', reseller };
  } catch (error) {
    if (isUniqueViolation(error, 'resellers_username')) return { kind: 'username_taken' };
    if (isForeignKeyViolation(error, 'resellers_tier')) return { kind: 'unknown_tier' };
    throw error;
  }
}
