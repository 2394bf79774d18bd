import type { Db, Tx } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { adjust, deposit, findAccount, type MoveOutcome, type Transfer, transferView } from '../ledger/index.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { type Amount, toJsonAmount } from '../lib/money.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import { recordEvents } from '../webhooks/index.ts';

export interface BalanceDeps {
  db: Db;
  clock: Clock;
  timeZone: string;
  currency: string;
}

export type CreditOutcome = MoveOutcome | { kind: 'not_found' };

/** Credits money once for each reference, and tells the reseller. Whoever calls it says who acted. */
export async function credit(
  tx: Tx,
  deps: BalanceDeps,
  request: { accountId: string; amount: Amount; reference: string },
): Promise<MoveOutcome> {
  const outcome = await deposit(tx, deps.clock, request);
  if (outcome.kind === 'moved') await recordEvents(tx, [toEvent(deps, outcome.transfer)]);
  return outcome;
}

/** An operator credits a payment of a reseller, once for each reference. */
export async function creditDeposit(
  deps: BalanceDeps,
  actor: Actor,
  request: { resellerId: string; mode: Mode; amount: Amount; reference: string },
): Promise<CreditOutcome> {
  const { resellerId, mode, amount, reference } = request;
  const account = await findAccount(deps.db, resellerId, mode);
  if (account === null) return { kind: 'not_found' };
  return inTransaction(deps.db, async (tx) => {
    const outcome = await credit(tx, deps, { accountId: account.id, amount, reference });
    if (outcome.kind !== 'moved') return outcome;
    const details = { mode, amount: toJsonAmount(amount), reference };
    await recordAction(tx, deps.clock, actor, { action: 'balance.deposit', subject: resellerId, details });
    return outcome;
  });
}

/** Corrects a balance by hand, with a reason that the reseller sees on the statement. */
export async function adjustBalance(
  deps: BalanceDeps,
  actor: Actor,
  request: { resellerId: string; mode: Mode; amount: Amount; reason: string },
): Promise<CreditOutcome> {
  const account = await findAccount(deps.db, request.resellerId, request.mode);
  if (account === null) return { kind: 'not_found' };
  return inTransaction(deps.db, async (tx) => {
    const outcome = await adjust(tx, deps.clock, { accountId: account.id, amount: request.amount, reason: request.reason });
    if (outcome.kind !== 'moved') return outcome;
    if (request.amount > 0n) await recordEvents(tx, [toEvent(deps, outcome.transfer)]);
    const details = { mode: request.mode, amount: toJsonAmount(request.amount), reason: request.reason };
    await recordAction(tx, deps.clock, actor, { action: 'balance.adjust', subject: request.resellerId, details });
    return outcome;
  });
}

function toEvent(deps: BalanceDeps, transfer: Transfer) {
  return {
    id: newId(transfer.createdAt),
    accountId: transfer.accountId,
    type: 'balance.credited' as const,
    orderId: null,
    data: { ...transferView(transfer, deps.timeZone), currency: deps.currency, mode: transfer.mode },
    at: transfer.createdAt,
  };
}
