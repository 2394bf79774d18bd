import type { Actor } from '../operators/index.ts';
import { listScheduled } from './store.ts';
import { type SyncDeps, syncSupplier } from './sync-supplier.ts';

const SCHEDULE: Actor = { name: 'service', requestId: null };

/** Reads and applies the lists of all suppliers that are set so. One that fails holds up no other. */
export async function syncOnSchedule(deps: SyncDeps): Promise<Record<string, number>> {
  const counts = { applied: 0, refused: 0, skipped: 0, failed: 0 };
  const known = new Set(deps.registry.codes());
  for (const { supplierCode, rule } of await listScheduled(deps.db)) {
    if (!known.has(supplierCode)) continue;
    try {
      const outcome = await syncSupplier(deps, SCHEDULE, { supplierCode, rule, dryRun: false, force: false });
      if (outcome.kind === 'done') counts[outcome.report.outcome === 'refused' ? 'refused' : 'applied'] += 1;
      else counts[outcome.kind === 'unknown' || outcome.kind === 'not_asked' ? 'failed' : 'skipped'] += 1;
    } catch (error) {
      counts.failed += 1;
      deps.log.error({ err: error, supplier: supplierCode }, 'A price list could not be applied; the next run tries again.');
    }
  }
  return counts;
}
