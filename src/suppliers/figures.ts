import type { HealthCounts } from './health.ts';
import type { HealthBook } from './health-book.ts';
import type { SupplierRegistry } from './registry.ts';

/** A supplier in numbers, for measurements. */
export interface SupplierFigures {
  code: string;
  /** Purchases in this process since its start, by what came of them. */
  calls: Omit<HealthCounts, 'latencies' | 'checks' | 'unknownChecks'>;
  successRate: number | null;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  balance: number | null;
  balanceAt: Date | null;
  warnBalance: number | null;
  isAcceptingOrders: boolean;
}

const NO_CALLS = { delivered: 0, pending: 0, rejected: 0, refused: 0, unknown: 0, notSent: 0, misconfigured: 0 };

export function supplierFigures(registry: SupplierRegistry, health: HealthBook): SupplierFigures[] {
  const totals = health.totals();
  return registry.codes().map((code) => {
    const connection = registry.connection(code);
    const { successRate, latencyP50Ms, latencyP95Ms } = health.of(code);
    const { balance, balanceAt } = health.balanceOf(code);
    const { warnBalance } = connection.settings;
    const {
      latencies: _latencies,
      checks: _checks,
      unknownChecks: _unknown,
      ...calls
    } = totals.get(code) ?? {
      ...NO_CALLS,
      latencies: [],
      checks: 0,
      unknownChecks: 0,
    };
    return {
      code,
      calls,
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
