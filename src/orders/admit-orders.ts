import type { Db } from '../db/database.ts';
import { inTransaction, readBoth } from '../db/transaction.ts';
import { lockingAccounts, saveTransfers } from '../ledger/index.ts';
import type { Clock } from '../lib/clock.ts';
import { GroupCommit } from '../lib/group-commit.ts';
import { newId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import type { UnderWay } from '../lib/under-way.ts';
import { type NewEvent, recordEvents } from '../webhooks/index.ts';
import { type Admission, type AdmissionBatch, type Candidate, decideAdmissions } from './admission.ts';
import { saveAttempts } from './attempt-store.ts';
import type { ClaimNew, NewClaims } from './claim-new-orders.ts';
import { findingByReferences, insertOrders } from './store.ts';

export interface AdmissionOptions {
  db: Db;
  clock: Clock;
  currency: string;
  /** Who delivers new orders: takes what it can send at once before they are written, and is told when they are. */
  claimNew: ClaimNew;
  /** Batches that may be on their way to disk at once. Orders of one account always take the same lane, in sequence. */
  lanes: number;
  maxQueue: number;
  /** Where whoever watches sees that a batch hangs. */
  writing: UnderWay;
}

export interface AdmissionQueue {
  /** The decision about the order, durable when it is `placed`; null when the queue is full and nothing was tried. */
  submit(candidate: Candidate): Promise<Admission> | null;
  readonly length: number;
  drain(): Promise<void>;
}

const MAX_BATCH = 256;

/**
 * The queue between HTTP and the disk. Orders that arrive while a commit is under way form the next batch: one transaction
 * locks their accounts, one pure function decides all of them, a few statements write them, one fsync makes them durable.
 * Measured on two cores, a transaction per order manages some 550 orders/s on one hot account; batches manage thousands.
 */
export function openAdmissionQueue(options: AdmissionOptions): AdmissionQueue {
  const lanes = Array.from(
    { length: options.lanes },
    () =>
      new GroupCommit<Candidate, Admission>({
        maxBatch: MAX_BATCH,
        maxQueue: Math.ceil(options.maxQueue / options.lanes),
        flush: (candidates) => options.writing.track(() => admit(options, candidates)),
      }),
  );
  return {
    submit: (candidate) => laneOf(lanes, candidate.accountId).tryAdd(candidate),
    get length() {
      return lanes.reduce((total, lane) => total + lane.length, 0);
    },
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()));
    },
  };
}

async function admit(options: AdmissionOptions, candidates: Candidate[]): Promise<Admission[]> {
  const held: NewClaims[] = [];
  const letGo = () => {
    for (const claims of held.splice(0)) claims.release();
  };
  try {
    const decisions = await inTransaction(options.db, async (tx) => {
      const accountIds = [...new Set(candidates.map(({ accountId }) => accountId))];
      const [accounts, earlier] = await readBoth(tx, lockingAccounts(accountIds), findingByReferences(candidates));
      const decided = decideAdmissions(accounts, earlier, candidates);
      // A transaction that was sacrificed is run again, and decides anew.
      letGo();
      const claims = options.claimNew(decided.orders);
      held.push(claims);
      await insertOrders(tx, claims.orders);
      await saveTransfers(tx, accounts, decided.transfers);
      await saveAttempts(tx, claims.attempts);
      await recordEvents(tx, lowBalanceEvents(decided, options));
      return decided.decisions;
    });
    for (const claims of held) claims.begin();
    return decisions;
  } catch (error) {
    letGo();
    throw error;
  }
}

function lowBalanceEvents(batch: AdmissionBatch, { clock, currency }: AdmissionOptions): NewEvent[] {
  const now = clock.now();
  return batch.lowBalances.map(({ accountId, balance, threshold }) => ({
    id: newId(now),
    accountId,
    type: 'balance.low',
    orderId: null,
    data: { balance: toJsonAmount(balance), threshold: toJsonAmount(threshold), currency },
    at: now,
  }));
}

function laneOf<Lane>(lanes: Lane[], accountId: string): Lane {
  // The last characters of a UUIDv7 are random.
  const index = Number.parseInt(accountId.slice(-6), 16) % lanes.length;
  return lanes[index] as Lane;
}
