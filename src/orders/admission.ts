import { type Account, post, type Transfer } from '../ledger/index.ts';
import { required } from '../lib/assert.ts';
import type { Amount } from '../lib/money.ts';
import type { Order } from './order.ts';

/** An order that passed every check that needs neither the balance nor earlier orders. */
export interface Candidate {
  accountId: string;
  orderId: string;
  transferId: string;
  mode: Order['mode'];
  refId: string;
  productCode: string;
  serviceCode: string;
  serviceName: string;
  userId: string;
  zone: string;
  nickname: string;
  maxPrice: Amount | null;
  price: Amount;
  /** Who shall try first. */
  supplierCode: string;
  /** Below this balance the reseller wants to be told. */
  lowBalanceThreshold: Amount | null;
  at: Date;
}

/** What a request with a known `ref_id` is compared by: everything that says what is bought, for whom and for how much. */
export type OrderContent = Pick<Order, 'serviceCode' | 'userId' | 'zone' | 'maxPrice'>;

export type Admission =
  | { kind: 'placed'; order: Order }
  | { kind: 'replayed'; order: Order }
  | { kind: 'ref_id_conflict'; order: Order; differs: string[] }
  | { kind: 'price_changed'; price: Amount }
  | { kind: 'insufficient_balance'; balance: Amount; price: Amount };

export interface AdmissionBatch {
  /** One for each candidate, in the same order. */
  decisions: Admission[];
  orders: Order[];
  transfers: Transfer[];
  /** Accounts whose balance fell below the threshold just now. */
  lowBalances: { accountId: string; balance: Amount; threshold: Amount }[];
}

/**
 * Decides a batch of orders in the order of their arrival, against balances that are locked and orders that exist.
 * Each decision sees the ones before it: a duplicate within the batch is a replay, and the balance falls with each order.
 */
export function decideAdmissions(
  accounts: ReadonlyMap<string, Account>,
  earlier: Order[],
  candidates: Candidate[],
): AdmissionBatch {
  const batch: AdmissionBatch = { decisions: [], orders: [], transfers: [], lowBalances: [] };
  const balances = new Map(accounts);
  const byRef = new Map(earlier.map((order) => [refKey(order), order]));

  for (const candidate of candidates) {
    const account = required(balances.get(candidate.accountId), 'the locked account of a candidate');
    const decision = decide(account, byRef.get(refKey(candidate)), candidate);
    batch.decisions.push(decision.admission);
    if (decision.admission.kind !== 'placed' || decision.paid === null) continue;

    const { order } = decision.admission;
    byRef.set(refKey(order), order);
    balances.set(account.id, decision.paid.account);
    batch.orders.push(order);
    batch.transfers.push(decision.paid.transfer);
    const threshold = candidate.lowBalanceThreshold;
    const fellBelow = threshold !== null && account.balance >= threshold && decision.paid.account.balance < threshold;
    if (fellBelow) batch.lowBalances.push({ accountId: account.id, balance: decision.paid.account.balance, threshold });
  }
  return batch;
}

/** Compares a request with the earlier order of its `ref_id`. */
export function decideRepeat(order: Order, content: OrderContent): Extract<Admission, { kind: 'replayed' | 'ref_id_conflict' }> {
  const differs = differences(order, content);
  return differs.length === 0 ? { kind: 'replayed', order } : { kind: 'ref_id_conflict', order, differs };
}

function decide(
  account: Account,
  earlier: Order | undefined,
  candidate: Candidate,
): { admission: Admission; paid: { account: Account; transfer: Transfer } | null } {
  if (earlier) return { admission: decideRepeat(earlier, candidate), paid: null };
  const { price, maxPrice } = candidate;
  if (maxPrice !== null && price > maxPrice) return { admission: { kind: 'price_changed', price }, paid: null };

  const payment = post(account, {
    id: candidate.transferId,
    kind: 'order',
    amount: -price,
    orderId: candidate.orderId,
    reference: candidate.refId,
    at: candidate.at,
  });
  if (payment.kind === 'insufficient')
    return { admission: { kind: 'insufficient_balance', balance: payment.balance, price }, paid: null };
  return { admission: { kind: 'placed', order: toOrder(candidate, payment.transfer.seq) }, paid: payment };
}

/** A new order is due at once. */
function toOrder(candidate: Candidate, debitSeq: bigint): Order {
  return {
    accountId: candidate.accountId,
    id: candidate.orderId,
    mode: candidate.mode,
    refId: candidate.refId,
    productCode: candidate.productCode,
    serviceCode: candidate.serviceCode,
    serviceName: candidate.serviceName,
    userId: candidate.userId,
    zone: candidate.zone,
    nickname: candidate.nickname,
    price: candidate.price,
    maxPrice: candidate.maxPrice,
    state: 'Process',
    serialNumber: null,
    failure: null,
    supplierCode: candidate.supplierCode,
    nextActionAt: candidate.at,
    lease: null,
    review: null,
    resolvedBy: null,
    debitSeq,
    refundSeq: null,
    createdAt: candidate.at,
    updatedAt: candidate.at,
  };
}

/** The request's fields, by their names in the interface, that are not those of the earlier order. */
function differences(order: OrderContent, content: OrderContent): string[] {
  const differs: string[] = [];
  if (order.serviceCode !== content.serviceCode) differs.push('service_code');
  if (order.userId !== content.userId) differs.push('account_identifier.user_id');
  if (order.zone !== content.zone) differs.push('account_identifier.zone');
  if (order.maxPrice !== content.maxPrice) differs.push('max_price');
  return differs;
}

function refKey({ accountId, refId }: { accountId: string; refId: string }): string {
  return `${accountId} ${refId}`;
}
