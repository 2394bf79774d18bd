import { required } from '../lib/assert.ts';
import type { Amount } from '../lib/money.ts';
import type { AttemptState, OrderState } from '../orders/index.ts';

/** What a line of a supplier's statement says about a purchase; null when its word is not known. */
export type Verdict = 'delivered' | 'failed' | 'pending' | null;

/** One line of a supplier's statement. */
export interface StatementLine {
  /** In the file; 1 is the header. */
  line: number;
  reference: string | null;
  supplierReference: string | null;
  status: string | null;
  verdict: Verdict;
  /** In our currency; null when the file has none that can be read. */
  amount: Amount | null;
  /** By so much ours may differ from it and still be the same. */
  slack: Amount;
  /** As it stands in the file. */
  amountText: string | null;
}

/** A purchase as we know it. */
export interface OurPurchase {
  orderId: string;
  number: number;
  reference: string;
  supplierReference: string | null;
  state: AttemptState;
  orderState: OrderState;
  /** What they told they charged, or else what we expected. */
  amount: Amount;
}

/** How a statement and our book can differ, the gravest first. */
export const FINDINGS = [
  'charged_twice',
  'delivered_there_refunded_here',
  'delivered_there_rejected_here',
  'failed_there_delivered_here',
  'amount_differs',
  'missing_there',
  'unknown_here',
  'open_here',
  'open_there',
  'unreadable_status',
  'unreadable_amount',
  'matched',
] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface Finding {
  kind: FindingKind;
  /** The line that says so; the last one, where several are about one purchase. Null for what the statement does not have. */
  line: StatementLine | null;
  purchase: OurPurchase | null;
}

export interface Comparison {
  findings: Finding[];
  counts: Record<FindingKind, number>;
  /** What they charged for deliveries, null where amounts were not compared, and what we know deliveries to have cost. */
  totals: { theirs: Amount | null; ours: Amount };
}

/**
 * Holds a statement against what we know. `purchaseOf` finds the purchase of a line; `ours` are those of the days covered, which
 * the statement ought to have. Where the file has no amounts that can be compared, only the states are.
 */
export function compareStatement(
  lines: StatementLine[],
  purchaseOf: (line: StatementLine) => OurPurchase | null,
  ours: OurPurchase[],
  { comparesAmounts }: { comparesAmounts: boolean },
): Comparison {
  const byPurchase = new Map<string, { purchase: OurPurchase; lines: StatementLine[] }>();
  const findings: Finding[] = [];
  for (const line of lines) {
    const purchase = purchaseOf(line);
    if (purchase === null) {
      findings.push({ kind: 'unknown_here', line, purchase: null });
      continue;
    }
    const entry = byPurchase.get(purchase.reference) ?? { purchase, lines: [] };
    entry.lines.push(line);
    byPurchase.set(purchase.reference, entry);
  }
  let theirs = sum(findings.map(({ line }) => (line === null ? 0n : chargeOf([line]))));
  for (const { purchase, lines: about } of byPurchase.values()) {
    findings.push({ kind: judge(purchase, about, comparesAmounts), line: about.at(-1) ?? null, purchase });
    theirs += chargeOf(about);
  }
  const missing = ours.filter(({ state, reference }) => state === 'Delivered' && !byPurchase.has(reference));
  findings.push(...missing.map((purchase): Finding => ({ kind: 'missing_there', line: null, purchase })));
  const rank = new Map(FINDINGS.map((kind, index) => [kind, index]));
  const rankOf = ({ kind }: Finding) => required(rank.get(kind), 'the rank of a finding');
  return {
    findings: findings.toSorted((a, b) => rankOf(a) - rankOf(b)),
    counts: countsOf(findings),
    totals: { theirs: comparesAmounts ? theirs : null, ours: sum(ours.filter(isDelivered).map(({ amount }) => amount)) },
  };
}

/** All lines about one purchase together: a delivery and a later refund of it are a failure, two deliveries are one too many. */
function judge(purchase: OurPurchase, lines: StatementLine[], comparesAmounts: boolean): FindingKind {
  const count = (verdict: Verdict) => lines.filter((line) => line.verdict === verdict).length;
  const deliveries = count('delivered') - count('failed');
  if (deliveries > 1) return 'charged_twice';
  if (deliveries === 1) return judgeDelivered(purchase, lines, comparesAmounts);
  if (count('failed') > 0) return judgeFailed(purchase);
  if (count(null) > 0) return 'unreadable_status';
  return isOpen(purchase) ? 'matched' : 'open_there';
}

function judgeDelivered(purchase: OurPurchase, lines: StatementLine[], comparesAmounts: boolean): FindingKind {
  if (purchase.orderState === 'Failed' || purchase.orderState === 'Refunded') return 'delivered_there_refunded_here';
  if (isOpen(purchase)) return 'open_here';
  if (!isDelivered(purchase)) return 'delivered_there_rejected_here';
  if (!comparesAmounts) return 'matched';
  const { amount = null, slack = 0n } = lines.findLast(({ verdict }) => verdict === 'delivered') ?? {};
  if (amount === null) return 'unreadable_amount';
  const difference = amount - purchase.amount;
  return difference <= slack && -difference <= slack ? 'matched' : 'amount_differs';
}

function judgeFailed(purchase: OurPurchase): FindingKind {
  if (isOpen(purchase)) return 'open_here';
  return isDelivered(purchase) && purchase.orderState === 'Success' ? 'failed_there_delivered_here' : 'matched';
}

function isDelivered({ state }: OurPurchase): boolean {
  return state === 'Delivered';
}

function isOpen({ state }: OurPurchase): boolean {
  return state !== 'Delivered' && state !== 'Rejected' && state !== 'Reversed';
}

/** What lines about one thing come to: what was charged and has not come back. */
function chargeOf(lines: StatementLine[]): Amount {
  const delivered = lines.filter(({ verdict }) => verdict === 'delivered');
  const refunds = lines.filter(({ verdict }) => verdict === 'failed').length;
  return sum(delivered.slice(0, Math.max(0, delivered.length - refunds)).map(({ amount }) => amount ?? 0n));
}

function sum(amounts: Amount[]): Amount {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function countsOf(findings: Finding[]): Record<FindingKind, number> {
  const counts = Object.fromEntries(FINDINGS.map((kind) => [kind, 0])) as Record<FindingKind, number>;
  for (const { kind } of findings) counts[kind] += 1;
  return counts;
}
