import { sql } from 'kysely';
import type { Db } from '../db/database.ts';

/** Wants tokens from the bucket that all processes share. */
export interface TokenRequest {
  resellerId: string;
  wanted: number;
}

export interface TokenGrant {
  /** At most what was wanted; 0 when the bucket is empty. */
  granted: number;
  /** How long until the bucket would be full again if nobody took anything; 0 when it is. */
  fullInMs: number;
}

/** How long a full bucket lasts at the permitted rate, and so how many tokens it holds: those of one second. */
const BUCKET_US = 1_000_000;

/**
 * Takes tokens from many buckets in one statement. A bucket is the time at which it is full again, so there is nothing to
 * refill. The time is the database's: the clocks of the processes' machines differ. Rows are locked in the order of their ids, so
 * two processes never wait for each other. Nothing is given back, and less than wanted is given when there is less.
 */
export async function takeTokens(db: Db, requests: TokenRequest[], perSecond: number): Promise<Map<string, TokenGrant>> {
  const rows = requests.map(({ resellerId, wanted }) => ({ reseller_id: resellerId, wanted: Math.min(wanted, perSecond) }));
  const now = sql`(extract(epoch from statement_timestamp()) * 1000000)::bigint`;
  const tokensIn = (microseconds: ReturnType<typeof sql>) => sql`${microseconds} * ${perSecond}::bigint / ${BUCKET_US}::bigint`;
  const timeOf = (tokens: ReturnType<typeof sql>) => sql`${tokens} * ${BUCKET_US}::bigint / ${perSecond}::bigint`;
  const answer = await sql<{ reseller_id: string; granted: bigint; full_in_us: bigint }>`
    insert into rate_buckets as bucket (reseller_id, full_at, granted)
    select reseller_id, ${now} + ${timeOf(sql`wanted`)}, wanted
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (reseller_id uuid, wanted bigint)
    order by reseller_id
    on conflict (reseller_id) do update set (full_at, granted) = (
      select greatest(bucket.full_at, ${now}) + ${timeOf(sql`there`)}, there
      from (select greatest(0, least(
        excluded.granted,
        ${tokensIn(sql`(${BUCKET_US}::bigint - greatest(0, bucket.full_at - ${now}))`)})) as there) as given)
    returning reseller_id, granted, greatest(0, full_at - ${now}) as full_in_us`.execute(db);
  return new Map(
    answer.rows.map((row) => [row.reseller_id, { granted: Number(row.granted), fullInMs: Number(row.full_in_us) / 1_000 }]),
  );
}

/** Reports that this API process lives, and answers how many others do: those that reported lately. */
export async function reportApiProcess(db: Db, id: string, freshSeconds: number): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    insert into api_processes (id, seen_at) values (${id}, statement_timestamp())
    on conflict (id) do update set seen_at = excluded.seen_at
    returning (
      select count(*)::int from api_processes
      where id <> ${id} and seen_at > statement_timestamp() - make_interval(secs => ${freshSeconds})) as others`.execute(db);
  return rows[0]?.others ?? 0;
}

export async function removeApiProcess(db: Db, id: string): Promise<void> {
  await sql`delete from api_processes where id = ${id}`.execute(db);
}

/** Removes processes that died, and at most `limit` buckets that are full: no row means the same. */
export async function removeOldRates(db: Db, limit: number): Promise<void> {
  await sql`delete from api_processes where seen_at < statement_timestamp() - interval '1 minute'`.execute(db);
  await sql`
    delete from rate_buckets where reseller_id in (
      select reseller_id from rate_buckets
      where full_at < (extract(epoch from statement_timestamp()) * 1000000)::bigint
      limit ${limit} for update skip locked)`.execute(db);
}
