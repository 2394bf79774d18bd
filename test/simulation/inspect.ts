import type { ReadDb } from '../../src/db/database.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { auditLedger } from '../../src/reports/index.ts';
import type { Books } from './books.ts';
import type { WorldEngine } from './engine.ts';
import { findUntold, type NewsDeps, TIME_TO_ASK_MS } from './news.ts';
import type { Operators } from './operators.ts';
import type { Resellers } from './resellers.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface InspectorDeps extends NewsDeps {
  db: ReadDb;
  engine: WorldEngine;
  time: VirtualTime;
  books: Books;
  resellers: Resellers;
  operators: Operators;
  /** Since when somebody has worked undisturbed; null while nobody does. */
  working: { sinceMs: number | null };
  /** How long any supplier of this world may be silent before an operator is told. */
  reviewAfterMs: number;
  /** Whether every delivery that may be taken back is asked about once more when it no longer can be. */
  confirmsDeliveries: boolean;
}

export interface Violation {
  rule: string;
  /** The order it is about, as in the database. */
  orderId: string | null;
  what: string;
}

interface OrderRow {
  id: string;
  account_id: string;
  ref_id: string;
  state: 'Process' | 'Success' | 'Failed' | 'Refunded';
  supplier_code: string;
  next_action_at: Date | null;
  review_since: Date | null;
  resolved_by: string | null;
  created_at: Date;
  attempt_state: string | null;
  attempt_since: Date | null;
  /** A supplier has told us of a part delivered, and no operator has closed that purchase. */
  in_parts: boolean;
}

/** This rule of the audit compares times of two machines, so it holds only where their clocks are as close as they must be. */
const RULE_OF_TIMES = 'nothing was sent for an order that had ended';
const CLOCKS_APART_MS = 10 * SECOND_MS;
/** Whoever is due is looked at within this time while somebody works: the longest lease, and a restart. */
const OVERDUE_MS = 10 * MINUTE_MS;
/** The longest wait between two looks, and the time to get there. */
const FLAG_SLACK_MS = 2 * HOUR_MS;
/** An order of which nothing was sent waits so long for a supplier before it ends or is flagged. */
const WAIT_FOR_SUPPLIER_MS = HOUR_MS;

const ORDERS = `
  select o.id, o.account_id, o.ref_id, o.state, o.supplier_code, o.next_action_at, o.review_since, o.resolved_by, o.created_at,
         a.state as attempt_state, a.created_at as attempt_since,
         exists (select from attempts p where p.account_id = o.account_id and p.order_id = o.id and p.is_partial
                 and p.code is distinct from 'operator_decision') as in_parts
  from orders o
  left join attempts a on a.account_id = o.account_id and a.order_id = o.id and a.state not in ('Rejected', 'Reversed')
  order by o.id`;

/** What must be true at every moment, from our side and from the suppliers'. */
export async function inspect(deps: InspectorDeps): Promise<Violation[]> {
  const audit = await auditLedger(deps.db);
  const broken = audit.checks
    .filter(({ name }) => deps.spreadMs <= CLOCKS_APART_MS || name !== RULE_OF_TIMES)
    .flatMap((check) => check.violations.map((what) => ({ rule: `audit: ${check.name}`, orderId: null, what })));
  const orders = (await deps.engine.read(ORDERS)) as unknown as OrderRow[];
  return [
    ...broken,
    ...orders.flatMap((order) => [...inspectDelivery(deps, order), ...inspectTimes(deps, order)]),
    ...(await inspectNews(deps)),
    ...inspectConfirmed(deps, orders),
    ...(await inspectMoney(deps)),
  ];
}

/** What must be true when everything has come to rest: nothing is still under way unless an operator knows of it. */
export async function inspectEnd(deps: InspectorDeps): Promise<Violation[]> {
  const orders = (await deps.engine.read(ORDERS)) as unknown as OrderRow[];
  const breaches = orders.flatMap((order): Violation[] => {
    const states = deps.books.statesOf(order.id);
    const delivered = states.filter((state) => state === 'delivered').length;
    // Some suppliers tell of a delivery that they have taken back only in a message, and a message can be lost.
    const isTakenBackUnheard = states.includes('reversed') && !deps.confirmsDeliveries;
    const isOperators = order.resolved_by !== null;
    if (order.state === 'Process' && order.review_since === null)
      return [breach('every order ends or is before an operator', order, 'still in process')];
    if (order.state === 'Success' && delivered === 0 && !isOperators && !isTakenBackUnheard && order.review_since === null)
      return [breach('a success is a delivery', order, 'no supplier has delivered it')];
    if (order.state === 'Refunded' && delivered > 0 && !isOperators)
      return [breach('a refunded order was taken back', order, 'the player still has it')];
    return [];
  });
  return [...(await inspect(deps)), ...breaches];
}

function inspectDelivery({ books }: InspectorDeps, order: OrderRow): Violation[] {
  const delivered = books.statesOf(order.id).filter((state) => state === 'delivered').length;
  const breaches: Violation[] = [];
  if (delivered > 1) breaches.push(breach('nothing is delivered twice', order, `delivered ${delivered} times`));
  if (order.state === 'Failed' && delivered > 0 && order.resolved_by === null)
    breaches.push(
      breach('nothing is delivered for an order that the program refunded', order, 'the player has it, and the money went back'),
    );
  const isInParts = order.in_parts && books.purchasesOf(order.id).some(({ upstream, order: part }) => upstream.inParts.has(part));
  if (order.state === 'Failed' && isInParts && order.resolved_by === null)
    breaches.push(breach('what to do about a part delivered is for an operator', order, 'all the money went back'));
  return breaches;
}

/** Whoever works has had the time to ask. */
async function inspectNews(deps: InspectorDeps): Promise<Violation[]> {
  const { nowMs } = deps.time;
  const { sinceMs } = deps.working;
  if (sinceMs === null) return [];
  return (await findUntold(deps, nowMs))
    .filter((untold) => nowMs - Math.max(untold.sinceMs, sinceMs) > TIME_TO_ASK_MS)
    .map(({ orderId, what }) => ({ rule: 'a delivery that nobody wants any more is flagged', orderId, what }));
}

function inspectTimes(deps: InspectorDeps, order: OrderRow): Violation[] {
  if (order.state !== 'Process') return [];
  const nowMs = deps.time.nowMs;
  const sinceMs = deps.working.sinceMs;
  const dueMs = order.next_action_at?.getTime() ?? null;
  if (dueMs === null) return [breach('an order in process has a time', order, 'no time at which it is looked at')];
  const overdueMs = OVERDUE_MS + deps.spreadMs;
  if (sinceMs === null || nowMs - sinceMs < overdueMs) return [];
  if (nowMs - Math.max(dueMs, sinceMs) > overdueMs) return [breach('what is due is looked at', order, 'overdue')];
  if (order.review_since !== null) return [];
  const limitMs = order.attempt_since ? deps.reviewAfterMs : WAIT_FOR_SUPPLIER_MS;
  const waitsSinceMs = Math.max((order.attempt_since ?? order.created_at).getTime() + limitMs, sinceMs);
  return nowMs - waitsSinceMs > FLAG_SLACK_MS + deps.spreadMs
    ? [breach('an order without an end comes before an operator in time', order, `attempt ${order.attempt_state ?? 'none'}`)]
    : [];
}

/** What a reseller was told is there, with what was told. */
function inspectConfirmed({ resellers }: InspectorDeps, orders: OrderRow[]): Violation[] {
  const byKey = new Map(orders.map((order) => [`${order.account_id} ${order.ref_id}`, order]));
  return [...resellers.confirmed].flatMap(([key, { orderId }]) => {
    const order = byKey.get(key);
    return order?.id === orderId
      ? []
      : [{ rule: 'a confirmed order exists', orderId, what: `${key} is ${order?.id ?? 'not there'}` }];
  });
}

/** What was paid in is with the resellers, or was spent on orders that were not refunded. */
async function inspectMoney({ engine, operators }: InspectorDeps): Promise<Violation[]> {
  const [row] = await engine.read(`
    select (select coalesce(sum(balance), 0) from accounts)::text as held,
           (select coalesce(sum(price), 0) from orders where state in ('Process', 'Success'))::text as spent,
           (select coalesce(sum(case when credit_account = account_id then amount else -amount end), 0) from transfers
            where kind = 'adjustment')::text as corrected`);
  const credited = await engine.read(
    `select reference, amount::text as amount from transfers where kind = 'deposit' order by seq`,
  );
  const [held, spent, corrected] = ['held', 'spent', 'corrected'].map((name) => BigInt(String(row?.[name])));
  const paid = credited.reduce((total, { amount }) => total + BigInt(String(amount)), 0n);
  const breaches: Violation[] = [];
  if (paid + (corrected ?? 0n) !== (held ?? 0n) + (spent ?? 0n))
    breaches.push({
      rule: 'money in is money out',
      orderId: null,
      what: `paid ${paid}, corrected ${corrected}, held ${held}, spent ${spent}`,
    });
  for (const { reference, amount } of credited)
    if (operators.deposits.get(String(reference)) !== BigInt(String(amount)))
      breaches.push({ rule: 'a payment is credited as it was made', orderId: null, what: String(reference) });
  if (new Set(credited.map(({ reference }) => reference)).size !== credited.length)
    breaches.push({ rule: 'a payment is credited once', orderId: null, what: 'a reference is there twice' });
  return breaches;
}

function breach(rule: string, order: OrderRow, what: string): Violation {
  return { rule, orderId: order.id, what };
}
