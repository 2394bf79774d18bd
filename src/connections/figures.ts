import type { HealthBook } from '../supplier-health/index.ts';
import { noCounts } from '../supplier-health/index.ts';
import type { SupplierRegistry } from './registry.ts';

/** A supplier in numbers, for measurements. */
export interface SupplierFigures {
  code: string;
  /** Purchases in this process since its start, by what came of them. */
  calls: Record<string, number>;
  successRate: number | null;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  balance: number | null;
  balanceAt: Date | null;
  warnBalance: number | null;
  isAcceptingOrders: boolean;
}

export function supplierFigures(registry: SupplierRegistry, health: HealthBook): SupplierFigures[] {
  const totals = health.totals();
  return registry.codes().map((code) => {
    const connection = registry.connection(code);
    const { successRate, latencyP50Ms, latencyP95Ms } = health.of(code);
    const { balance, balanceAt } = health.balanceOf(code);
    const { warnBalance } = connection.settings;
    const counts = totals.get(code) ?? noCounts();
    return {
      code,
      calls: {
        delivered: counts.delivered,
        pending: counts.pending,
        rejected: counts.rejected,
        refused: counts.refused,
        unknown: counts.unknown,
        not_sent: counts.notSent,
        misconfigured: counts.misconfigured,
        failed_later: counts.failedLater,
      },
      successRate,
      latencyP50Ms,
      latencyP95Ms,
      balance: balance === null ? null : Number(balance),
      balanceAt,
      warnBalance: warnBalance === null ? null : Number(warnBalance),
      isAcceptingOrders: connection.isAcceptingOrders(),
    };
  });
}
