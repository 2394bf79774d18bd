import type { Tx } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Amount } from '../lib/money.ts';
import { type Posting, post, type Transfer } from './ledger.ts';
import { findDeposit, lockAccount, saveTransfers } from './store.ts';

export type MoveOutcome =
  | { kind: 'moved'; transfer: Transfer }
  /** The deposit had been made before, with the same reference and amount. */
  | { kind: 'repeated'; transfer: Transfer }
  /** The reference belongs to a deposit of another amount. */
  | { kind: 'reference_conflict'; transfer: Transfer }
  | { kind: 'insufficient'; balance: Amount };

/** Credits what a reseller paid in. Idempotent by `reference`: the same payment is never credited twice. */
export async function deposit(
  tx: Tx,
  clock: Clock,
  request: { accountId: string; amount: Amount; reference: string },
): Promise<MoveOutcome> {
  // Under the account's lock, so that of two equal requests the second finds what the first wrote.
  await lockAccount(tx, request.accountId);
  const earlier = await findDeposit(tx, request.accountId, request.reference);
  if (earlier) return { kind: earlier.amount === request.amount ? 'repeated' : 'reference_conflict', transfer: earlier };
  return move(tx, clock, request.accountId, { kind: 'deposit', amount: request.amount, reference: request.reference });
}

/** Corrects a balance by a signed amount, with the reason on the statement. Never below zero. */
export async function adjust(
  tx: Tx,
  clock: Clock,
  request: { accountId: string; amount: Amount; reason: string },
): Promise<MoveOutcome> {
  return move(tx, clock, request.accountId, { kind: 'adjustment', amount: request.amount, reference: request.reason });
}

async function move(
  tx: Tx,
  clock: Clock,
  accountId: string,
  movement: Pick<Posting, 'kind' | 'amount' | 'reference'>,
): Promise<MoveOutcome> {
  const now = clock.now();
  const account = await lockAccount(tx, accountId);
  const outcome = post(account, { ...movement, id: newId(now), at: now });
  if (outcome.kind === 'insufficient') return outcome;
  await saveTransfers(tx, new Map([[account.id, account]]), [outcome.transfer]);
  return { kind: 'moved', transfer: outcome.transfer };
}
