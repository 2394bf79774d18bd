import { inTransaction } from '../db/transaction.ts';
import { lockAccounts, type Transfer } from '../ledger/index.ts';
import { invariant, required } from '../lib/assert.ts';
import { newId, toPublicId } from '../lib/ids.ts';
import type { Amount } from '../lib/money.ts';
import { type BalanceDeps, credit } from './credit-balance.ts';

/** What one refill adds: enough for hundreds of orders of the bundled catalogue. */
export const REFILL_AMOUNT: Amount = 10_000_000n;
/** A test balance is refilled up to here, so that a program that refills in a loop comes to an end. */
export const REFILL_LIMIT: Amount = 1_000_000_000_000n;

export type RefillOutcome = { kind: 'refilled'; transfer: Transfer } | { kind: 'limit_reached'; balance: Amount };

/** Gives a reseller more test money. It is a deposit like any other, so statement, events and audit treat it as one. */
export async function refillTestBalance(deps: BalanceDeps, accountId: string): Promise<RefillOutcome> {
  return inTransaction(deps.db, async (tx) => {
    const { balance, mode } = required((await lockAccounts(tx, [accountId])).get(accountId), 'the account of a caller');
    invariant(mode === 'test', 'only test money is free');
    if (balance + REFILL_AMOUNT > REFILL_LIMIT) return { kind: 'limit_reached', balance };
    const reference = `test refill ${toPublicId('', newId(deps.clock.now()))}`;
    const outcome = await credit(tx, deps, { accountId, amount: REFILL_AMOUNT, reference });
    invariant(outcome.kind === 'moved', 'a new reference of a deposit is free');
    return { kind: 'refilled', transfer: outcome.transfer };
  });
}
