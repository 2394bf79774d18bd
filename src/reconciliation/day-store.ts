import { type RawBuilder, sql } from 'kysely';
import type { ReadDb } from '../db/database.ts';
import { type Page, toPage } from '../lib/page.ts';
import type { AttemptState, OrderState } from '../orders/index.ts';
import { type BalanceReading, DAY_DIFFERENCES, type DayDifference, type DayDifferenceKind, type DayReport } from './day.ts';

export interface DaySpan {
  supplierCode: string;
  from: Date;
  to: Date;
}

/** What is not as it should be about an attempt `a` and its order `o`; null where all is well. */
const DIFFERENCE: RawBuilder<DayDifferenceKind | null> = sql`case
  when a.state = 'Delivered' and o.state in ('Failed', 'Refunded') then 'delivered_but_refunded'
  when a.state not in ('Delivered', 'Rejected', 'Reversed') and o.state in ('Failed', 'Refunded') then 'open_but_refunded'
  when a.state in ('Rejected', 'Reversed') and o.state = 'Success' and not exists (
    select 1 from attempts as other
    where other.account_id = a.account_id and other.order_id = a.order_id and other.state = 'Delivered')
    then 'success_without_delivery'
  when a.state = 'Delivered' and a.charged <> a.cost then 'price_differs'
  when a.state not in ('Delivered', 'Rejected', 'Reversed') then 'open'
end`;

interface GroupRow {
  state: AttemptState;
  purchases: bigint;
  expected: bigint;
  charged: bigint;
  told: bigint;
  spent: bigint;
}

export async function readDay(db: ReadDb, span: DaySpan): Promise<DayReport> {
  const { rows: groups } = await sql<GroupRow>`
    select state, count(*) as purchases, sum(cost)::bigint as expected, coalesce(sum(charged), 0)::bigint as charged,
           count(charged) as told, sum(coalesce(charged, cost))::bigint as spent
    from attempts where supplier_code = ${span.supplierCode} and created_at >= ${span.from} and created_at < ${span.to}
    group by state order by state`.execute(db);
  const { rows: differences } = await sql<{ kind: DayDifferenceKind; count: bigint }>`
    select kind, count(*) as count
    from (select ${DIFFERENCE} as kind
          from attempts as a join orders as o on o.account_id = a.account_id and o.id = a.order_id
          where a.supplier_code = ${span.supplierCode} and a.created_at >= ${span.from} and a.created_at < ${span.to}) as judged
    where kind is not null group by kind`.execute(db);
  const counts = Object.fromEntries(DAY_DIFFERENCES.map((kind) => [kind, 0])) as Record<DayDifferenceKind, number>;
  for (const { kind, count } of differences) counts[kind] = Number(count);
  return {
    supplierCode: span.supplierCode,
    groups: groups.map(({ state, purchases, expected, charged, told }) => ({
      state,
      purchases: Number(purchases),
      expected,
      charged,
      told: Number(told),
    })),
    differences: counts,
    balance: {
      opening: await findBalance(db, span.supplierCode, span.from),
      closing: await findBalance(db, span.supplierCode, span.to),
    },
    spent: groups.find(({ state }) => state === 'Delivered')?.spent ?? 0n,
  };
}

/** The last reading of our balance before `time`. */
async function findBalance(db: ReadDb, supplierCode: string, time: Date): Promise<BalanceReading | null> {
  const row = await db
    .selectFrom('supplier_balances')
    .select(['balance', 'read_at'])
    .where('supplier_code', '=', supplierCode)
    .where('read_at', '<', time)
    .orderBy('read_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? { balance: row.balance, at: row.read_at } : null;
}

/** A day's purchases that deserve a look, oldest order first. */
export async function listDayDifferences(
  db: ReadDb,
  span: DaySpan,
  filter: { kind?: DayDifferenceKind | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<DayDifference>> {
  const [orderId, number] = filter.cursor?.split(' ') ?? [];
  const { rows } = await sql<{
    kind: DayDifferenceKind;
    order_id: string;
    number: number;
    reference: string;
    supplier_reference: string | null;
    sku: string;
    state: AttemptState;
    order_state: OrderState;
    cost: bigint;
    charged: bigint | null;
    created_at: Date;
  }>`
    select * from (
      select ${DIFFERENCE} as kind, a.order_id, a.number, a.reference, a.supplier_reference, a.sku, a.state,
             o.state as order_state, a.cost, a.charged, a.created_at
      from attempts as a join orders as o on o.account_id = a.account_id and o.id = a.order_id
      where a.supplier_code = ${span.supplierCode} and a.created_at >= ${span.from} and a.created_at < ${span.to}) as judged
    where ${filter.kind === undefined ? sql`kind is not null` : sql`kind = ${filter.kind}`}
      and ${orderId === undefined ? sql`true` : sql`(order_id, number) > (${orderId}::uuid, ${Number(number)}::integer)`}
    order by order_id, number limit ${filter.limit + 1}`.execute(db);
  const differences = rows.map(
    (row): DayDifference => ({
      kind: row.kind,
      orderId: row.order_id,
      number: row.number,
      reference: row.reference,
      supplierReference: row.supplier_reference,
      sku: row.sku,
      state: row.state,
      orderState: row.order_state,
      expected: row.cost,
      charged: row.charged,
      at: row.created_at,
    }),
  );
  return toPage(differences, filter.limit, (difference) => `${difference.orderId} ${difference.number}`);
}
