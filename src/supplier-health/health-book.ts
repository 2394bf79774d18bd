import type { Db } from '../db/database.ts';
import { after, type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Amount } from '../lib/money.ts';
import type { ObserveCall } from '../suppliers/index.ts';
import { addCounts, countCall, type Health, type HealthCounts, healthOf, NO_HEALTH, noCounts } from './health.ts';
import { addHealth, type HealthEntry, listBalances, listHealth } from './health-store.ts';

/** How every supplier has answered in the last hour, over all processes. */
export interface HealthBook {
  observe: ObserveCall;
  /** From memory: what all processes had written half a minute ago at most, and what this one has seen since. */
  of(supplierCode: string): Health;
  /** Our balance there when it was last read, by whichever process; null: not known. */
  balanceOf(supplierCode: string): { balance: Amount | null; balanceAt: Date | null };
  /** What came of purchases in this process since its start, by supplier. */
  totals(): ReadonlyMap<string, HealthCounts>;
  /** Writes what is not written yet. Call when nothing calls suppliers any more. */
  stop(): Promise<void>;
}

export const HEALTH_WINDOW_MS = HOUR_MS;
const BUCKET_MS = 5 * MINUTE_MS;
const TURN_MS = 10 * SECOND_MS;
/** Every third turn, what others wrote is read. */
const TURNS_TO_READ = 3;
/** Buckets kept in memory while the database does not take them, of all suppliers together; then the oldest go. */
const MAX_UNWRITTEN = 1_000;

export async function openHealthBook({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Promise<HealthBook> {
  const stopping = new AbortController();
  const totals = new Map<string, HealthCounts>();
  let unwritten = new Map<string, HealthEntry>();
  let stored = new Map<string, HealthCounts>();
  let balances = new Map<string, { balance: Amount | null; balanceAt: Date | null }>();

  const read = async () => {
    stored = sumBySupplier(await listHealth(db, after(clock.now(), -HEALTH_WINDOW_MS)));
    balances = new Map((await listBalances(db)).map((supplier) => [supplier.code, supplier]));
  };

  const write = async () => {
    if (unwritten.size === 0) return;
    const written = unwritten;
    unwritten = new Map();
    try {
      await addHealth(db, [...written.values()]);
    } catch (error) {
      for (const [key, entry] of unwritten) merge(written, key, entry);
      unwritten = new Map([...written].slice(-MAX_UNWRITTEN));
      throw error;
    }
    for (const { supplierCode, counts } of written.values())
      stored.set(supplierCode, addCounts(stored.get(supplierCode) ?? noCounts(), counts));
  };

  const run = async () => {
    for (let turn = 1; !stopping.signal.aborted; turn++) {
      await clock.sleep(TURN_MS, stopping.signal);
      try {
        await write();
        if (turn % TURNS_TO_READ === 0 && !stopping.signal.aborted) await read();
      } catch (error) {
        log.warn({ err: error }, 'What suppliers answered could not be counted in the database; trying again.');
      }
    }
  };

  await read();
  const running = run();
  return {
    observe(call) {
      if (call.call !== 'place' && call.call !== 'check') return;
      const { supplierCode } = call;
      const bucketMs = Math.floor(call.at.getTime() / BUCKET_MS) * BUCKET_MS;
      const key = `${supplierCode} ${bucketMs}`;
      const entry = unwritten.get(key) ?? { supplierCode, bucket: new Date(bucketMs), counts: noCounts() };
      unwritten.set(key, entry);
      countCall(entry.counts, call);
      const total = totals.get(supplierCode) ?? noCounts();
      totals.set(supplierCode, total);
      countCall(total, call);
    },
    of(supplierCode) {
      const fresh = [...unwritten.values()].filter((entry) => entry.supplierCode === supplierCode);
      const before = stored.get(supplierCode);
      if (before === undefined && fresh.length === 0) return NO_HEALTH;
      return healthOf(fresh.reduce((sum, { counts }) => addCounts(sum, counts), before ?? noCounts()));
    },
    balanceOf: (supplierCode) => balances.get(supplierCode) ?? { balance: null, balanceAt: null },
    totals: () => totals,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function sumBySupplier(entries: HealthEntry[]): Map<string, HealthCounts> {
  const sums = new Map<string, HealthCounts>();
  for (const { supplierCode, counts } of entries) sums.set(supplierCode, addCounts(sums.get(supplierCode) ?? noCounts(), counts));
  return sums;
}

function merge(into: Map<string, HealthEntry>, key: string, entry: HealthEntry): void {
  const before = into.get(key);
  into.set(key, before ? { ...before, counts: addCounts(before.counts, entry.counts) } : entry);
}
