import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import { auditLedger } from './audit.ts';

export interface NightlyAudit {
  outcome: 'ok' | 'broken' | 'too_large';
  /** Rows that break a rule. */
  violations: number;
}

/**
 * The embedded engine has one session: while it audits, orders wait. Up to so many transfers that is some seconds at night; an
 * operator with more audits by hand, at an hour of their choice.
 */
export const MAX_EMBEDDED_TRANSFERS = 50_000;

/** The audit that nobody has to think of. What it finds is an error in the log. */
export async function auditAtNight({ db, engine, log }: Pick<Database, 'db' | 'engine'> & { log: Log }): Promise<NightlyAudit> {
  if (engine === 'embedded') {
    const { rows } = await sql<{ large: boolean }>`
      select exists (select from transfers offset ${MAX_EMBEDDED_TRANSFERS}) as large`.execute(db);
    if (rows[0]?.large) {
      log.warn({}, 'The ledger has grown too large to be audited while it takes orders: run `topgate audit` at a quiet hour.');
      return { outcome: 'too_large', violations: 0 };
    }
  }
  const report = await auditLedger(db);
  const broken = report.checks.filter(({ ok }) => !ok);
  for (const { name, violations } of broken)
    log.error(
      { rule: name, violations },
      'The ledger breaks a rule. Stop taking orders and find out before you correct anything.',
    );
  return { outcome: report.ok ? 'ok' : 'broken', violations: broken.reduce((sum, { violations }) => sum + violations.length, 0) };
}
