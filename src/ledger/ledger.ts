import { invariant } from '../lib/assert.ts';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';

/** A reseller's prepaid balance in one mode, as locked by the running transaction. */
export interface Account {
  id: string;
  resellerId: string;
  mode: Mode;
  balance: Amount;
  /** The number of the account's last transfer; 0 before the first. */
  seq: bigint;
}

export const TRANSFER_KINDS = ['deposit', 'order', 'refund', 'reversal', 'adjustment'] as const;

/**
 * `deposit`: the reseller paid in. `order`: an order was bought. `refund`: it was not delivered. `reversal`: it was delivered
 * and taken back. `adjustment`: an operator's correction, in either direction.
 */
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** One immutable movement of money between a reseller's account and a system account. */
export interface Transfer {
  id: string;
  accountId: string;
  seq: bigint;
  mode: Mode;
  kind: TransferKind;
  debitAccount: string;
  creditAccount: string;
  amount: Amount;
  balanceAfter: Amount;
  orderId: string | null;
  /** What the transfer is known by outside: the deposit's reference, the adjustment's reason, or the order's `ref_id`. */
  reference: string;
  createdAt: Date;
}

export type SystemAccount = 'cash' | 'sales' | 'adjustments';

/** The fixed ids of the system accounts; the database's `system_account` function holds the same table. */
const SYSTEM_ACCOUNTS: Record<Mode, Record<SystemAccount, string>> = {
  live: {
    cash: '00000000-0000-7000-8000-000000000011',
    sales: '00000000-0000-7000-8000-000000000012',
    adjustments: '00000000-0000-7000-8000-000000000013',
  },
  test: {
    cash: '00000000-0000-7000-8000-000000000021',
    sales: '00000000-0000-7000-8000-000000000022',
    adjustments: '00000000-0000-7000-8000-000000000023',
  },
};

/** Money that shall move. A positive `amount` raises the reseller's balance, a negative one lowers it; never zero. */
export interface Posting {
  id: string;
  kind: TransferKind;
  amount: Amount;
  orderId?: string;
  reference: string;
  at: Date;
}

export type PostingOutcome = { kind: 'posted'; account: Account; transfer: Transfer } | { kind: 'insufficient'; balance: Amount };

/** Decides one movement on an account. The account that comes back is the one to decide the next movement on. */
export function post(account: Account, posting: Posting): PostingOutcome {
  invariant(posting.amount !== 0n, 'a transfer moves something');
  invariant(directionFits(posting), `a ${posting.kind} does not move money in that direction`);
  const balance = account.balance + posting.amount;
  if (balance < 0n) return { kind: 'insufficient', balance: account.balance };

  const next: Account = { ...account, balance, seq: account.seq + 1n };
  const counterpart = SYSTEM_ACCOUNTS[account.mode][counterpartOf(posting.kind)];
  const raises = posting.amount > 0n;
  const transfer: Transfer = {
    id: posting.id,
    accountId: account.id,
    seq: next.seq,
    mode: account.mode,
    kind: posting.kind,
    debitAccount: raises ? counterpart : account.id,
    creditAccount: raises ? account.id : counterpart,
    amount: raises ? posting.amount : -posting.amount,
    balanceAfter: balance,
    orderId: posting.orderId ?? null,
    reference: posting.reference,
    createdAt: posting.at,
  };
  return { kind: 'posted', account: next, transfer };
}

/** The change of the reseller's balance: positive for money that came, negative for money that went. */
export function signedAmount(transfer: Transfer): Amount {
  return transfer.creditAccount === transfer.accountId ? transfer.amount : -transfer.amount;
}

function counterpartOf(kind: TransferKind): SystemAccount {
  if (kind === 'deposit') return 'cash';
  if (kind === 'adjustment') return 'adjustments';
  return 'sales';
}

function directionFits({ kind, amount }: Posting): boolean {
  if (kind === 'adjustment') return true;
  return kind === 'order' ? amount < 0n : amount > 0n;
}
