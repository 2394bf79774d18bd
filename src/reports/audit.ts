import { sql } from 'kysely';
import type { ReadDb } from '../db/database.ts';

/** One invariant, recomputed from the rows. */
export interface AuditCheck {
  name: string;
  ok: boolean;
  /** How many rows it was computed over. */
  checked: number;
  /** The rows that break it, at most `MAX_VIOLATIONS` of them, each described so that an operator can find it. */
  violations: string[];
}

export interface AuditReport {
  ok: boolean;
  checks: AuditCheck[];
}

const MAX_VIOLATIONS = 100;

interface Rule {
  name: string;
  /** Counts what the rule was computed over. */
  count: string;
  /** Selects one text column, `violation`, with a row for each breach. */
  breaches: string;
}

/**
 * A time is that of the machine that wrote it, and two machines that take orders may be so far apart (`db/clock-watch.ts`). What began
 * within this after an order's end cannot be told from a clock that is off.
 */
const CLOCKS_APART = '10 seconds';

/**
 * The ledger's invariants I1 to I12 as queries over the stored rows. None trusts a constraint, a trigger or the program: each
 * computes afresh what must be true, so that a row written behind the program's back is found as well.
 */
const RULES: Rule[] = [
  {
    name: 'transfers are balanced: each moves a positive amount between a reseller and a system account of the same mode',
    count: 'select count(*) from transfers',
    breaches: `
      select format('transfer %s #%s', t.account_id, t.seq) as violation
      from transfers t left join accounts a on a.id = t.account_id
      where a.id is null or a.mode <> t.mode or t.amount <= 0 or t.debit_account = t.credit_account
        or t.account_id not in (t.debit_account, t.credit_account)
        or not exists (
          select from unnest(array['cash', 'sales', 'adjustments']) as name
          where system_account(t.mode, name) in (t.debit_account, t.credit_account))`,
  },
  {
    name: 'money in equals money out: over all accounts of a mode, debits and credits sum to zero',
    count: 'select count(distinct mode) from transfers',
    breaches: `
      select format('mode %s is off by %s', mode, sum(amount)) as violation
      from (
        select mode, credit_account as account, amount from transfers
        union all
        select mode, debit_account, -amount from transfers
        union all
        -- What the resellers hold by their stored balances, against what the system accounts moved.
        select mode, id, -balance from accounts
        union all
        select t.mode, t.account_id, case when t.credit_account = t.account_id then t.amount else -t.amount end from transfers t
      ) as movement
      group by mode having sum(amount) <> 0`,
  },
  {
    name: 'every balance is the sum of its transfers, and the last one says so',
    count: 'select count(*) from accounts',
    breaches: `
      select format('account %s: balance %s, transfers sum to %s, last transfer #%s says %s',
                    a.id, a.balance, coalesce(t.total, 0), coalesce(t.last_seq, 0), coalesce(l.balance_after, 0)) as violation
      from accounts a
      left join (
        select account_id, max(seq) as last_seq, sum(case when credit_account = account_id then amount else -amount end) as total
        from transfers group by account_id
      ) t on t.account_id = a.id
      left join transfers l on l.account_id = a.id and l.seq = t.last_seq
      where a.balance <> coalesce(t.total, 0) or a.seq <> coalesce(t.last_seq, 0) or a.balance <> coalesce(l.balance_after, 0)`,
  },
  {
    name: 'the history of each account has no gap, and each balance follows from the one before',
    count: 'select count(*) from transfers',
    breaches: `
      select format('transfer %s #%s follows #%s', account_id, seq, before_seq) as violation
      from (
        select account_id, seq, balance_after, case when credit_account = account_id then amount else -amount end as change,
               coalesce(lag(seq) over history, 0) as before_seq, coalesce(lag(balance_after) over history, 0) as before_balance
        from transfers window history as (partition by account_id order by seq)
      ) as step
      where seq <> before_seq + 1 or balance_after <> before_balance + change`,
  },
  {
    name: 'no balance was ever negative',
    count: 'select count(*) from transfers',
    breaches: `
      select format('transfer %s #%s left %s', account_id, seq, balance_after) as violation from transfers where balance_after < 0
      union all
      select format('account %s holds %s', id, balance) from accounts where balance < 0`,
  },
  {
    name: 'no transfer was changed or removed afterwards: the chain of hashes is whole',
    count: 'select count(*) from transfers',
    breaches: `
      select format('transfer %s #%s', account_id, seq) as violation
      from (
        select account_id, seq, hash,
          sha256(convert_to(concat_ws('|', encode(coalesce(lag(hash) over history, ''), 'hex'), account_id, seq, id, mode, kind,
            debit_account, credit_account, amount, balance_after, coalesce(order_id::text, ''),
            (extract(epoch from created_at) * 1000)::bigint, reference), 'UTF8')) as expected
        from transfers window history as (partition by account_id order by seq)
      ) as link
      where hash <> expected
      union all
      select format('account %s ends in another hash than its last transfer', a.id)
      from accounts a left join transfers t on t.account_id = a.id and t.seq = a.seq
      where a.head <> coalesce(t.hash, '')`,
  },
  {
    name: 'every order was debited exactly once, with exactly its price',
    count: 'select count(*) from orders',
    breaches: `
      select format('order %s: %s debits of %s for a price of %s', o.id, count(t.seq), coalesce(sum(t.amount), 0), o.price) as violation
      from orders o left join transfers t on t.account_id = o.account_id and t.order_id = o.id and t.kind = 'order'
      group by o.account_id, o.id, o.price, o.debit_seq
      having count(t.seq) <> 1 or sum(t.amount) <> o.price or min(t.seq) <> o.debit_seq
      union all
      select format('transfer %s #%s belongs to no order', t.account_id, t.seq)
      from transfers t left join orders o on o.account_id = t.account_id and o.id = t.order_id
      where t.order_id is not null and o.id is null`,
  },
  {
    name: 'a reference buys once',
    count: 'select count(*) from orders',
    breaches: `
      select format('ref_id %s of account %s has %s orders', ref_id, account_id, count(*)) as violation
      from orders group by account_id, ref_id having count(*) > 1`,
  },
  {
    name: 'the money went back exactly once for Failed and Refunded orders, and never for others',
    count: 'select count(*) from orders',
    breaches: `
      select format('order %s is %s with %s refunds of %s', o.id, o.state, count(t.seq), coalesce(sum(t.amount), 0)) as violation
      from orders o
      left join transfers t on t.account_id = o.account_id and t.order_id = o.id and t.kind in ('refund', 'reversal')
      group by o.account_id, o.id, o.state, o.price
      having (o.state in ('Process', 'Success') and count(t.seq) <> 0)
        or (o.state = 'Failed' and (count(t.seq) <> 1 or min(t.kind) <> 'refund' or sum(t.amount) <> o.price))
        or (o.state = 'Refunded' and (count(t.seq) <> 1 or min(t.kind) <> 'reversal' or sum(t.amount) <> o.price))`,
  },
  {
    name: 'nothing was refunded on a guess: an order fails only when every attempt was rejected, or an operator decided',
    count: `select count(*) from orders where state = 'Failed'`,
    breaches: `
      select format('order %s failed beside attempt %s in state %s', o.id, a.number, a.state) as violation
      from orders o join attempts a on a.account_id = o.account_id and a.order_id = o.id
      where o.state = 'Failed' and a.state <> 'Rejected' and o.resolved_by is null`,
  },
  {
    name: 'no order was delivered twice, and none is both delivered and refunded unless an operator decided before the supplier had answered',
    count: 'select count(*) from attempts',
    breaches: `
      select format('order %s (%s) has %s deliveries', o.id, o.state, count(*)) as violation
      from orders o join attempts a on a.account_id = o.account_id and a.order_id = o.id
      where a.state = 'Delivered'
      group by o.account_id, o.id, o.state, o.resolved_by
      having count(*) > 1 or o.state = 'Process' or (o.state = 'Failed' and o.resolved_by is null)`,
  },
  {
    name: 'nothing was sent for an order that had ended',
    count: `select count(*) from orders where state <> 'Process'`,
    breaches: `
      select format('order %s ended before attempt %s began', o.id, a.number) as violation
      from orders o join attempts a on a.account_id = o.account_id and a.order_id = o.id
      where o.state <> 'Process' and a.created_at > o.updated_at + interval '${CLOCKS_APART}'`,
  },
  {
    name: 'every order in Process has a time at which it is looked at again; an ended one only to be asked about',
    count: 'select count(*) from orders',
    breaches: `
      select format('order %s is %s, next action %s', id, state, coalesce(next_action_at::text, 'never')) as violation
      from orders
      where (state = 'Process' and next_action_at is null) or (state = 'Refunded' and next_action_at is not null)
        or (state = 'Failed' and next_action_at is not null and resolved_by is null)`,
  },
  {
    name: 'events are numbered without a gap, and every end of an order was told',
    count: 'select count(*) from events',
    breaches: `
      select format('account %s: %s events from #%s to #%s, counter %s, #%s expired', f.account_id, count(e.sequence),
                    coalesce(min(e.sequence), 0), coalesce(max(e.sequence), 0), f.sequence, f.expired) as violation
      from feeds f left join events e on e.account_id = f.account_id and e.sequence > f.expired
      group by f.account_id, f.sequence, f.expired
      having count(e.sequence) <> f.sequence - f.expired or coalesce(max(e.sequence), f.expired) <> f.sequence
        or count(distinct e.sequence) <> count(e.sequence)
      union all
      select format('event %s #%s belongs to no feed', e.account_id, e.sequence)
      from events e left join feeds f on f.account_id = e.account_id
      where f.account_id is null
      union all
      select format('order %s is %s but was never told', o.id, o.state)
      from orders o
      left join events e on e.account_id = o.account_id and e.order_id = o.id and e.type = case o.state
        when 'Success' then 'order.success' when 'Failed' then 'order.failed' when 'Refunded' then 'order.refunded' end
      where o.state <> 'Process' and e.sequence is null
        -- What was told of earlier orders may have expired with its month; a day more, as clocks differ.
        and o.created_at >= coalesce((select max(to_date(month, 'YYYY_MM')) + interval '1 month 1 day' from expired_months), '-infinity')`,
  },
  {
    name: 'every webhook delivery that waits has a visit to come, and every attempt of one is kept',
    count: 'select count(*) from webhook_deliveries',
    breaches: `
      select format('endpoint %s: first delivery due %s, next visit %s', e.id, min(d.next_attempt_at), coalesce(e.next_visit_at::text, 'never')) as violation
      from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id and d.next_attempt_at is not null
      where e.status = 'Active' and e.lease is null
      group by e.id
      having e.next_visit_at is null or e.next_visit_at > greatest(min(d.next_attempt_at), now())
      union all
      select format('delivery %s is not filed beside its event', d.id)
      from webhook_deliveries d left join events e on e.account_id = d.account_id and e.sequence = d.sequence
      where e.id is null or left(e.id::text, 14) <> left(d.id::text, 14)
      union all
      select format('delivery %s: %s attempts kept, %s counted', d.id, count(a.number), d.attempts)
      from webhook_deliveries d left join webhook_attempts a on a.delivery_id = d.id
      group by d.id
      having count(a.number) <> d.attempts or coalesce(max(a.number), 0) <> d.attempts`,
  },
  {
    name: 'the walls stand: immutability triggers are on, and commits reach the disk',
    count: 'select 8',
    breaches: `
      select format('trigger %s is missing or off', wall) as violation
      from unnest(array['transfers_are_immutable', 'transfers_are_kept', 'orders_are_guarded', 'orders_are_never_deleted',
                        'attempts_are_guarded', 'events_are_immutable']) as wall
      where not exists (select from pg_trigger where tgname = wall and tgenabled = 'O')
        or exists (select from pg_trigger where tgname = wall and tgenabled <> 'O')
      union all
      select format('%s is off', name) from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off'`,
  },
];

/**
 * Recomputes every invariant and names each row that breaks one. Given a whole database, it reads everything in one snapshot,
 * so orders that arrive meanwhile cannot look like a breach; inside a transaction it sees what that sees.
 */
export async function auditLedger(db: ReadDb): Promise<AuditReport> {
  if (db.isTransaction) return runChecks(db);
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(runChecks);
}

async function runChecks(db: ReadDb): Promise<AuditReport> {
  await prepareForWholeTables(db);
  const checks: AuditCheck[] = [];
  for (const rule of RULES) checks.push(await check(db, rule));
  return { ok: checks.every(({ ok }) => ok), checks };
}

/**
 * The checks read whole tables, which takes its time. On tables that have grown since their statistics were taken the planner
 * would walk one of them again for each row of another: 6,000 orders took 3 s instead of 15 ms, and merged by account alone
 * 10 s. Hashed, the size of the tables is all that counts.
 */
async function prepareForWholeTables(db: ReadDb): Promise<void> {
  await sql`set local statement_timeout = '15min'`.execute(db);
  await sql`set local enable_nestloop = off`.execute(db);
  await sql`set local enable_mergejoin = off`.execute(db);
}

async function check(db: ReadDb, rule: Rule): Promise<AuditCheck> {
  const counted = await sql<{ count: bigint }>`select (${sql.raw(rule.count)})::bigint as count`.execute(db);
  const { rows } = await sql<{
    violation: string;
  }>`select violation from (${sql.raw(rule.breaches)}) as breach limit ${MAX_VIOLATIONS}`.execute(db);
  const violations = rows.map(({ violation }) => violation);
  return { name: rule.name, ok: violations.length === 0, checked: Number(counted.rows[0]?.count ?? 0n), violations };
}
