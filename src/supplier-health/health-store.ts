import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Amount } from '../lib/money.ts';
import type { HealthCounts } from './health.ts';

/** What was seen of one supplier in the five minutes from `bucket` on. */
export interface HealthEntry {
  supplierCode: string;
  bucket: Date;
  counts: HealthCounts;
}

/** Adds to what is stored, so that any number of processes may write about the same minutes. */
export async function addHealth(db: Db, entries: HealthEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ supplierCode, bucket, counts }) => ({
    supplier_code: supplierCode,
    bucket,
    delivered: counts.delivered,
    pending: counts.pending,
    rejected: counts.rejected,
    refused: counts.refused,
    unknown: counts.unknown,
    not_sent: counts.notSent,
    misconfigured: counts.misconfigured,
    failed_later: counts.failedLater,
    checks: counts.checks,
    unknown_checks: counts.unknownChecks,
    latencies: counts.latencies,
  }));
  await sql`
    insert into supplier_health as stored (supplier_code, bucket, delivered, pending, rejected, refused, unknown, not_sent,
                                           misconfigured, failed_later, checks, unknown_checks, latencies)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      supplier_code text, bucket timestamptz, delivered int, pending int, rejected int, refused int, unknown int, not_sent int,
      misconfigured int, failed_later int, checks int, unknown_checks int, latencies int[])
    order by supplier_code, bucket
    on conflict (supplier_code, bucket) do update set
      delivered = stored.delivered + excluded.delivered,
      pending = stored.pending + excluded.pending,
      rejected = stored.rejected + excluded.rejected,
      refused = stored.refused + excluded.refused,
      unknown = stored.unknown + excluded.unknown,
      not_sent = stored.not_sent + excluded.not_sent,
      misconfigured = stored.misconfigured + excluded.misconfigured,
      failed_later = stored.failed_later + excluded.failed_later,
      checks = stored.checks + excluded.checks,
      unknown_checks = stored.unknown_checks + excluded.unknown_checks,
      latencies = array(
        select coalesce(before, 0) + coalesce(more, 0)
        from unnest(stored.latencies, excluded.latencies) with ordinality as class (before, more, place) order by place)`.execute(
    db,
  );
}

export async function listHealth(db: Db, since: Date): Promise<HealthEntry[]> {
  const rows = await db.selectFrom('supplier_health').selectAll().where('bucket', '>', since).execute();
  return rows.map((row) => ({
    supplierCode: row.supplier_code,
    bucket: row.bucket,
    counts: {
      delivered: row.delivered,
      pending: row.pending,
      rejected: row.rejected,
      refused: row.refused,
      unknown: row.unknown,
      notSent: row.not_sent,
      misconfigured: row.misconfigured,
      failedLater: row.failed_later,
      checks: row.checks,
      unknownChecks: row.unknown_checks,
      latencies: row.latencies,
    },
  }));
}

/** Our balances at all suppliers, as last read; null: not known. */
export async function listBalances(db: Db): Promise<{ code: string; balance: Amount | null; balanceAt: Date | null }[]> {
  const rows = await db.selectFrom('suppliers').select(['code', 'balance', 'balance_at']).execute();
  return rows.map(({ code, balance, balance_at: balanceAt }) => ({ code, balance, balanceAt }));
}

/** At most `limit` of the oldest; answers how many. */
export async function deleteHealthBefore(db: Db, time: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from supplier_health where ctid = any(array(
      select ctid from supplier_health where bucket < ${time} order by bucket limit ${limit} for update skip locked))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/** At most `limit` of the oldest; answers how many. */
export async function deleteBalancesBefore(db: Db, time: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from supplier_balances where ctid = any(array(
      select ctid from supplier_balances where read_at < ${time} order by read_at limit ${limit} for update skip locked))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
