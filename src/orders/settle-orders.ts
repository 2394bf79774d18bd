import type { SupplierAnswer, SupplierRegistry } from '../connections/index.ts';
import type { Db, Tx } from '../db/database.ts';
import { inTransaction, readBoth } from '../db/transaction.ts';
import { lockAccounts, post, saveTransfers, type Transfer } from '../ledger/index.ts';
import { invariant, required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { GroupCommit } from '../lib/group-commit.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { UnderWay } from '../lib/under-way.ts';
import type { Routing } from '../routing/index.ts';
import type { FailureCode } from '../suppliers/index.ts';
import { type EventType, type NewEvent, recordEvents } from '../webhooks/index.ts';
import { findingAttempts, saveAttempts } from './attempt-store.ts';
import { orderView, type ViewSettings } from './contract.ts';
import type { Step } from './next-step.ts';
import type { Attempt, Order } from './order.ts';
import { decideGiveUp, decideLateConfirmation, decideOutcome, decideRest, decideWait, type Settlement } from './settlement.ts';
import { lockingOrders, updateOrders } from './store.ts';
import { tellOfReviews } from './tell-of-reviews.ts';

/** Which request of an attempt an answer answers: as many times as it had been sent, and asked about, by then. */
export interface Request {
  kind: 'place' | 'check';
  attemptNumber: number;
  sends: number;
  checks: number;
  /** The supplier had confirmed the purchase by then. */
  wasConfirmed: boolean;
  /** When the order was taken for it. */
  at: Date;
}

/** What a worker learnt about an order it holds. */
export interface Finding {
  accountId: string;
  orderId: string;
  /** The lease under which it was learnt. */
  lease: string;
  learnt:
    | { kind: 'outcome'; request: Request; outcome: SupplierAnswer }
    | { kind: 'give_up'; code: FailureCode }
    | Extract<Step, { kind: 'wait' | 'rest' }>;
}

export interface SettlementDeps {
  db: Db;
  clock: Clock;
  log: Log;
  registry: SupplierRegistry;
  routing: Routing;
  view: ViewSettings;
  /** Called when events were recorded. */
  onEvents: () => void;
  /** Where whoever watches sees that a batch hangs. */
  writing: UnderWay;
}

export interface SettlementQueue {
  /** Resolves when the finding is on disk, with the order as it is then. Rejects when the queue is full: the lease then runs out. */
  submit(finding: Finding): Promise<Order>;
  readonly length: number;
  drain(): Promise<void>;
}

const MAX_BATCH = 256;
const MAX_QUEUE = 20_000;

/** Settles what suppliers answered, in batches like admissions: one transaction, one fsync, for all that came in meanwhile. */
export function openSettlementQueue(deps: SettlementDeps): SettlementQueue {
  const queue = new GroupCommit<Finding, Order>({
    maxBatch: MAX_BATCH,
    maxQueue: MAX_QUEUE,
    flush: (findings) => deps.writing.track(() => settleAll(deps, findings)),
  });
  return {
    submit: (finding) => queue.tryAdd(finding) ?? Promise.reject(new Error('The settlement queue is full.')),
    get length() {
      return queue.length;
    },
    drain: () => queue.drain(),
  };
}

async function settleAll(deps: SettlementDeps, findings: Finding[]): Promise<Order[]> {
  const { settled, settlements, hasEvents } = await inTransaction(deps.db, async (tx) => {
    const keys = findings.map(({ accountId, orderId }) => ({ accountId, id: orderId }));
    const [locked, stored] = await readBoth(tx, lockingOrders(keys), findingAttempts(keys));
    const orders = new Map(locked.map((order) => [order.id, order]));
    const attempts = Map.groupBy(stored, (attempt) => attempt.orderId);
    const settlements: { before: Order; settlement: Settlement }[] = [];
    for (const finding of findings) {
      const before = required(orders.get(finding.orderId), 'the order of a finding');
      const known = attempts.get(finding.orderId) ?? [];
      const settlement = decideFinding(deps, before, known, finding);
      if (settlement === null) continue;
      settlements.push({ before, settlement });
      // A second finding about the same order in this batch sees what the first one made of it.
      orders.set(before.id, settlement.order);
      attempts.set(before.id, replaceAttempt(known, settlement.attempt));
    }
    const saved = await saveSettlements(tx, deps, settlements);
    return {
      settlements,
      settled: findings.map(({ orderId }) => saved.get(orderId) ?? required(orders.get(orderId), 'the order of a finding')),
      hasEvents: settlements.some(({ before, settlement }) => settlement.order.state !== before.state),
    };
  });
  if (hasEvents) deps.onEvents();
  tellOfReviews(
    deps.log,
    settlements.map(({ before, settlement: { order } }) => ({ before, order })),
  );
  return settled;
}

function decideFinding(deps: SettlementDeps, order: Order, attempts: Attempt[], { learnt, lease }: Finding): Settlement | null {
  const now = deps.clock.now();
  const isHolder = order.lease === lease;
  if (learnt.kind !== 'outcome') {
    if (!isHolder) return null;
    if (learnt.kind === 'rest') return decideRest(order);
    return learnt.kind === 'wait' ? decideWait(order, learnt, now) : decideGiveUp(order, learnt.code, now);
  }
  const { request, outcome } = learnt;
  const attempt = required(
    attempts.find(({ number }) => number === request.attemptNumber),
    'the attempt of an outcome',
  );
  const { kind, settings } = deps.registry.connection(attempt.supplierCode);
  const context = {
    now,
    request: request.kind,
    wasConfirmed: request.wasConfirmed,
    requestedAt: request.at,
    routes: deps.routing.routes(order),
    lookAgainAfterMs: settings.limits.lookAgainAfterMs,
    reviewAfterMs: settings.limits.reviewAfterMs,
    trustworthyNotFound: kind.capabilities.trustworthyNotFound,
    checkMayBuy: kind.capabilities.checkMayBuy,
  };
  if (isHolder || countsLate(attempt, request, outcome)) return decideOutcome(order, attempts, attempt, outcome, context);
  return decideLateConfirmation(order, attempt, outcome, context);
}

/**
 * News from a worker whose lease ran out counts only if it is definite: another worker may have learnt more since. A no is so only
 * if nobody has asked or sent since: the purchase that it refused may be there by now.
 */
function countsLate(attempt: Attempt, { sends, checks }: Request, { kind }: SupplierAnswer): boolean {
  if (kind === 'delivered') return true;
  const isLatest = attempt.sends === sends && attempt.checks === checks;
  return isLatest && (kind === 'rejected' || kind === 'reversed' || kind === 'unclear');
}

/**
 * Writes settlements whole: attempts, orders, the money that goes back and the events that tell of it, in one transaction.
 * The orders must be locked by it.
 */
export async function saveSettlements(
  tx: Tx,
  deps: { clock: Clock; view: ViewSettings },
  settlements: { before: Order; settlement: Settlement }[],
): Promise<Map<string, Order>> {
  const refunding = settlements.filter(({ settlement }) => settlement.refund !== null);
  const accounts =
    refunding.length === 0 ? new Map() : await lockAccounts(tx, [...new Set(refunding.map(({ before }) => before.accountId))]);
  const balances = new Map(accounts);
  const transfers: Transfer[] = [];
  const settled = new Map<string, Order>();
  const events: NewEvent[] = [];

  for (const { before, settlement } of settlements) {
    let { order } = settlement;
    if (settlement.refund !== null) {
      const account = required(balances.get(order.accountId), 'the locked account of a refund');
      const at = deps.clock.now();
      const outcome = post(account, {
        id: newId(at),
        kind: settlement.refund,
        amount: order.price,
        orderId: order.id,
        reference: order.refId,
        at,
      });
      invariant(outcome.kind === 'posted', 'money can always go back');
      balances.set(account.id, outcome.account);
      transfers.push(outcome.transfer);
      order = { ...order, refundSeq: outcome.transfer.seq };
    }
    if (order.state !== before.state) events.push(toEvent(order, deps.view));
    settled.set(order.id, order);
  }
  await saveAttempts(tx, lastOfEach(settlements.flatMap(({ settlement }) => settlement.attempt ?? [])));
  await saveTransfers(tx, accounts, transfers);
  await updateOrders(tx, [...settled.values()]);
  await recordEvents(tx, events);
  return settled;
}

const EVENT_OF_STATE: Record<Exclude<Order['state'], 'Process'>, EventType> = {
  Success: 'order.success',
  Failed: 'order.failed',
  Refunded: 'order.refunded',
};

function toEvent(order: Order, view: ViewSettings): NewEvent {
  invariant(order.state !== 'Process', 'an event tells of an end');
  return {
    id: newId(order.updatedAt),
    accountId: order.accountId,
    type: EVENT_OF_STATE[order.state],
    orderId: order.id,
    data: orderView(order, view),
    at: order.updatedAt,
  };
}

function replaceAttempt(attempts: Attempt[], changed: Attempt | null): Attempt[] {
  return changed === null ? attempts : attempts.map((attempt) => (attempt.number === changed.number ? changed : attempt));
}

/** One statement cannot write the same row twice; the last of several versions holds all that was learnt. */
function lastOfEach(attempts: Attempt[]): Attempt[] {
  return [...new Map(attempts.map((attempt) => [`${attempt.orderId} ${attempt.number}`, attempt])).values()];
}
