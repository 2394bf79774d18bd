import type { Db } from '../db/database.ts';
import { required } from '../lib/assert.ts';
import { after, type Clock, DAY_MS, dateIn, dayOf } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Amount } from '../lib/money.ts';
import { DAY_DIFFERENCES, type DayReport } from './day.ts';
import { readDay } from './day-store.ts';
import { type DifferingDay, listDifferingDays, listRealSuppliers, readSpent, saveDifferingDays } from './night-store.ts';

/** Late answers and operators' decisions change days that are over. */
const DAYS_BACK = 3;

/** Looks at the last days of every supplier and keeps those that deserve a look. Asks nobody, settles nothing. */
export async function reconcileAtNight({
  db,
  clock,
  log,
  timeZone,
}: {
  db: Db;
  clock: Clock;
  log: Log;
  timeZone: string;
}): Promise<Record<string, number>> {
  const now = clock.now();
  const days: DifferingDay[] = [];
  const suppliers = await listRealSuppliers(db);
  for (const supplierCode of suppliers) {
    for (let back = DAYS_BACK; back >= 1; back -= 1) {
      const date = dateIn(after(now, -back * DAY_MS), timeZone);
      const span = { supplierCode, ...required(dayOf(date, timeZone), 'the bounds of a day') };
      const report = await readDay(db, span);
      const day = { supplierCode, date, differences: report.differences, missing: await findMissing(db, report) };
      if (!isDiffering(day)) continue;
      days.push(day);
      log.warn(
        { supplier: supplierCode, date, ...report.differences, missing: String(day.missing) },
        "A supplier's day has purchases that deserve a look, or lacks money; reconcile shows them.",
      );
    }
  }
  await saveDifferingDays(db, days, now);
  return { suppliers: suppliers.length, differing: days.length };
}

/** By how much our balance fell between its readings beyond what the purchases in between explain, all doubts on their side. */
async function findMissing(db: Db, { supplierCode, balance: { opening, closing } }: DayReport): Promise<Amount> {
  if (opening === null || closing === null || opening.at >= closing.at) return 0n;
  const { spent, uncertain } = await readSpent(db, supplierCode, { from: opening.at, to: closing.at });
  const missing = opening.balance - closing.balance - spent;
  return missing > uncertain ? missing : 0n;
}

function isDiffering({ differences, missing }: DifferingDay): boolean {
  return missing > 0n || DAY_DIFFERENCES.some((kind) => differences[kind] > 0);
}

export interface ReconciliationAlert {
  kind: 'day_differs';
  message: string;
}

/** What the last night found, by supplier, for its alerts. */
export async function listReconciliationAlerts(db: Db): Promise<Map<string, ReconciliationAlert[]>> {
  const bySupplier = Map.groupBy(await listDifferingDays(db), ({ supplierCode }) => supplierCode);
  return new Map([...bySupplier].map(([code, days]) => [code, days.map(toAlert)]));
}

function toAlert({ supplierCode, date, differences, missing }: DifferingDay): ReconciliationAlert {
  const found = DAY_DIFFERENCES.flatMap((kind) =>
    differences[kind] > 0 ? [`${kind.replaceAll('_', ' ')}: ${differences[kind]}`] : [],
  );
  if (missing > 0n) found.push(`our balance fell by ${missing} more than was bought`);
  return { kind: 'day_differs', message: `${date}: ${found.join(', ')}. Look with: topgate reconcile ${supplierCode} ${date}` };
}
