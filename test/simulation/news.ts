import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { BY_OPERATOR } from '../../src/orders/order.ts';
import type { Books, Purchased } from './books.ts';
import type { WorldEngine } from './engine.ts';

/** What has to be known to say whether somebody was told of a delivery that nobody wanted any more. */
export interface NewsDeps {
  engine: WorldEngine;
  books: Books;
  operators: { told: ReadonlySet<string> };
  /** What can be asked about a purchase whose order has ended: any, what the supplier has confirmed, or what it has named. */
  askableLater: (supplierCode: string) => 'any' | 'confirmed' | 'named';
  /** How far the clocks of two processes may differ. */
  spreadMs: number;
}

/** An order that an operator ended, as in the database. */
interface EndedRow {
  id: string;
  state: 'Success' | 'Failed' | 'Refunded';
  updated_at: Date;
  number: number;
  attempt_state: string;
  code: string | null;
  supplier_reference: string | null;
}

/** A delivery for an order that had been paid back, or delivered by hand, of which no operator was told. */
export interface Untold {
  orderId: string;
  what: string;
  /** Since when somebody could have asked. */
  sinceMs: number;
}

/** How long a supplier is asked about an order that has ended. */
const ASKED_FOR_MS = 3 * DAY_MS;
/** The longest wait between two questions, and the time to get there. */
export const TIME_TO_ASK_MS = 2 * HOUR_MS;

const ENDED = `
  select o.id, o.state, o.updated_at, a.number, a.state as attempt_state, a.code, a.supplier_reference
  from orders o join attempts a on a.account_id = o.account_id and a.order_id = o.id
  where o.review_since is null and o.resolved_by is not null
    and (o.state = 'Failed' or exists (
      select from audit_log l where l.subject = o.id::text and l.details ->> 'by_other_means' = 'true'))
  order by o.id, a.number`;

/**
 * From the suppliers' side: whatever has been delivered and not taken back for an order that no longer wanted it, an operator was
 * told of. What our attempt says does not matter, except for whether the supplier could be asked at all.
 */
export async function findUntold(deps: NewsDeps, nowMs: number): Promise<Untold[]> {
  const ended = (await deps.engine.read(ENDED)) as unknown as EndedRow[];
  return ended.flatMap((row) => {
    if (deps.operators.told.has(row.id)) return [];
    const endedMs = row.updated_at.getTime() + deps.spreadMs;
    return deps.books.purchasesOf(row.id).flatMap((purchased): Untold[] => {
      const { upstream, order, attempt } = purchased;
      if (attempt !== row.number || upstream.shop.stateOf(order) !== 'delivered') return [];
      const { takenAt, fate } = order;
      const sinceMs = Math.max(endedMs, takenAt.getTime() + ('afterMs' in fate ? fate.afterMs : 0));
      if (nowMs > takenAt.getTime() + ASKED_FOR_MS || !canBeKnown(deps, row, purchased, endedMs)) return [];
      const what = `${upstream.code} delivered, our attempt is ${row.attempt_state}, and nobody was told`;
      return [{ orderId: row.id, what, sinceMs }];
    });
  });
}

/** An operator who says that it was delivered there knows of it; and some suppliers cannot be asked, and may stay silent. */
function canBeKnown({ books, askableLater }: NewsDeps, row: EndedRow, { upstream, order }: Purchased, endedMs: number): boolean {
  if (row.attempt_state === 'Delivered' && row.code === BY_OPERATOR) return false;
  const askable = askableLater(upstream.code);
  const isConfirmed = row.supplier_reference !== null || row.attempt_state === 'Pending' || row.attempt_state === 'Delivered';
  if (askable === 'any' || (askable === 'confirmed' && isConfirmed)) return true;
  if (askable === 'named') return row.supplier_reference !== null;
  return (books.heardMs.get(order) ?? 0) > endedMs;
}
