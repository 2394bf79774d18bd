import type { Alert } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { type ReportView, readReport } from './contract.ts';
import { listReports } from './store.ts';

const NAMED_ITEMS = 3;

/** What came of the lists last, where an operator has to look at it, by supplier. */
export async function listPriceListAlerts(db: Db): Promise<Map<string, Alert[]>> {
  const reports = await listReports(db);
  return new Map(
    reports.map(({ supplierCode, result, isScheduled }) => [supplierCode, judgeReport(readReport(result), isScheduled)]),
  );
}

/** A list that somebody asked for by hand and did not get concerns nobody else: only the schedule's failures are told. */
export function judgeReport(report: ReportView | null, isScheduled: boolean): Alert[] {
  if (report === null) return [];
  if (report.outcome === 'refused')
    return [{ kind: 'price_list_refused', message: `Its price list is not believed and was not applied. ${report.message}` }];
  if (report.outcome === 'failed')
    return isScheduled ? [{ kind: 'price_list_failed', message: `Its price list could not be read: ${report.message}` }] : [];
  const skus = [...new Set(report.held_back.map(({ sku }) => sku))];
  if (skus.length === 0) return [];
  const named = skus.slice(0, NAMED_ITEMS).join(', ');
  const whose = skus.length > NAMED_ITEMS ? `${named} and ${skus.length - NAMED_ITEMS} more` : named;
  return [
    {
      kind: 'costs_held_back',
      message: `Its price list has costs that are not believed, so the routes keep theirs: ${whose}.`,
    },
  ];
}
