import { pruneCallbacks } from '../callbacks/index.ts';
import type { TellServiceChanges } from '../catalog/index.ts';
import type { SupplierRegistry } from '../connections/index.ts';
import type { Database } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { pruneExchanges } from '../exchanges/index.ts';
import type { Job } from '../jobs/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { syncOnSchedule } from '../price-lists/index.ts';
import { reconcileAtNight } from '../reconciliation/index.ts';
import { auditAtNight, type NightlyAudit } from '../reports/index.ts';
import { pruneRequests } from '../request-log/index.ts';
import { tellServices } from '../resellers/index.ts';
import { pruneHealth } from '../supplier-health/index.ts';
import { expireMonths, keepMonthsAhead } from '../webhooks/index.ts';
import type { Config } from './config.ts';

export interface JobListDeps {
  config: Pick<Config, 'eventDays' | 'exchangeDays' | 'expiredEvents' | 'requestLogDays' | 'timeZone'>;
  database: Database;
  clock: Clock;
  log: Log;
  registry: SupplierRegistry;
  revisions: RevisionWatch;
  /** Called with what an audit found. */
  onAudit: (audit: NightlyAudit) => void;
}

/** Everything that is due at times of the day; what is heavy, when resellers sleep. */
export function listJobs({ config, database, clock, log, registry, revisions, onAudit }: JobListDeps): Job[] {
  const { db, engine } = database;
  const tell: TellServiceChanges = (tx, changes) => tellServices(tx, clock, changes);
  const outcome = config.expiredEvents === 'archive' ? 'archived' : 'dropped';
  return [
    // Twice a day for what is needed once a month: several may fail before anybody notices.
    { name: 'make-months', cron: '10 1,13 * * *', run: () => keepMonthsAhead({ db, clock, log }) },
    {
      name: 'expire-events',
      cron: '40 2 * * *',
      run: () => expireMonths({ db, clock, log }, { days: config.eventDays, outcome }),
    },
    { name: 'prune-request-log', cron: '25 * * * *', run: () => pruneRequests({ db, clock, days: config.requestLogDays }) },
    { name: 'prune-exchanges', cron: '35 * * * *', run: () => pruneExchanges({ db, clock, days: config.exchangeDays }) },
    { name: 'prune-callbacks', cron: '45 * * * *', run: () => pruneCallbacks({ db, clock }) },
    {
      name: 'sync-price-lists',
      cron: '*/15 * * * *',
      run: () => syncOnSchedule({ db, clock, log, registry, revisions, view: { timeZone: config.timeZone }, tell }),
    },
    { name: 'prune-supplier-health', cron: '50 2 * * *', run: () => pruneHealth({ db, clock }) },
    // When suppliers have booked what they did before midnight.
    {
      name: 'reconcile-days',
      cron: '10 4 * * *',
      run: () => reconcileAtNight({ db, clock, log, timeZone: config.timeZone }),
    },
    {
      name: 'audit-ledger',
      cron: '20 3 * * *',
      async run() {
        const audit = await auditAtNight({ db, engine, log });
        onAudit(audit);
        return { ...audit };
      },
    },
  ];
}
