import type { Tx } from '../db/database.ts';
import { bumpRevision } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Amount } from '../lib/money.ts';
import { recordAction } from '../operators/index.ts';
import type { Misconfigured, Unknown } from '../suppliers/index.ts';
import { type BalanceDecision, decideBalance } from './balance.ts';
import type { NotSupported } from './connection.ts';
import { type HoldDeps, holdSupplier, SERVICE } from './hold-keeper.ts';
import { beginHold, endHold, saveBalance } from './hold-store.ts';
import { findSupplier, type SupplierRecord } from './store.ts';

export type ReadBalanceOutcome = { kind: 'known'; balance: Amount | null } | Misconfigured | Unknown | NotSupported;

/** Reads our balance at a supplier, keeps it, and begins or ends what follows from it. */
export async function readBalance(deps: HoldDeps, code: string): Promise<ReadBalanceOutcome> {
  const outcome = await deps.registry.connection(code).readBalance();
  if (outcome.kind === 'known') await follow(deps, code, outcome);
  else if (outcome.kind === 'misconfigured') await holdSupplier(deps, code, { kind: 'misconfigured', reason: outcome.detail });
  return outcome;
}

/** Asks a supplier something harmless that shows whether it accepts our account: our balance, or else its list of nothing. */
export async function testAccount(deps: HoldDeps, code: string): Promise<ReadBalanceOutcome | { kind: 'accepted' }> {
  const connection = deps.registry.connection(code);
  if (connection.kind.capabilities.balance) return readBalance(deps, code);
  const outcome = await connection.probeAccount();
  if (outcome.kind === 'accepted') await follow(deps, code, outcome);
  else if (outcome.kind === 'misconfigured') await holdSupplier(deps, code, { kind: 'misconfigured', reason: outcome.detail });
  return outcome;
}

/** Keeps what a supplier told that accepts our account, and begins or ends a hold by it. */
async function follow(
  deps: HoldDeps,
  code: string,
  outcome: { kind: 'known'; balance: Amount | null } | { kind: 'accepted' },
): Promise<void> {
  const { settings } = deps.registry.connection(code);
  const balance = outcome.kind === 'known' ? outcome.balance : null;
  const at = deps.clock.now();
  const decided = await inTransaction(deps.db, async (tx) => {
    const before = await findSupplier(tx, code);
    if (before === null) return null;
    const decision = decideBalance(before, settings, balance);
    if (outcome.kind === 'known') await saveBalance(tx, code, balance, at);
    const isChanged = await followHold(deps, tx, before, decision, at);
    return { decision, before, isChanged };
  });
  if (decided?.decision.warns)
    deps.log.warn({ supplier: code, balance: String(balance) }, 'Our balance at a supplier fell below its warning.');
  if (!decided?.isChanged) return;
  deps.log.warn(
    { supplier: code, hold: decided.decision.hold?.kind ?? null, before: decided.before.hold?.kind ?? null },
    decided.decision.hold ? 'A supplier is on hold and gets no orders.' : 'A supplier is no longer on hold.',
  );
  await deps.revisions.check();
}

/** Writes the change of a hold, if there is one. */
async function followHold(
  { clock }: HoldDeps,
  tx: Tx,
  before: SupplierRecord,
  { hold }: BalanceDecision,
  at: Date,
): Promise<boolean> {
  const { code, heldSince } = before;
  const isEnded = hold?.kind !== before.hold?.kind && heldSince !== null && (await endHold(tx, code, heldSince, at));
  const isBegun = hold !== null && hold !== before.hold && (await beginHold(tx, code, hold, at));
  if (isEnded) {
    const details = { kind: before.hold?.kind };
    await recordAction(tx, clock, SERVICE, { action: 'supplier.release', subject: code, details });
  }
  if (isBegun) {
    const details = { kind: hold.kind, reason: hold.reason };
    await recordAction(tx, clock, SERVICE, { action: 'supplier.hold', subject: code, details });
  }
  if (isEnded || isBegun) await bumpRevision(tx, 'suppliers');
  return isEnded || isBegun;
}
