import { Counter, Gauge, type Registry } from 'prom-client';

/** A supplier in numbers. */
export interface SupplierMeasures {
  code: string;
  /** Purchases in this process since its start, by what came of them. */
  calls: Readonly<Record<string, number>>;
  successRate: number | null;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  balance: number | null;
  balanceAt: Date | null;
  warnBalance: number | null;
  isAcceptingOrders: boolean;
}

/** Measurements of suppliers. What is not known has no value at all, so that nothing unknown looks like zero. */
export function measureSuppliers(registry: Registry, suppliers: () => SupplierMeasures[]): void {
  const registers = [registry];
  new Counter({
    name: 'topgate_supplier_calls_total',
    help: 'Purchases sent by this process, by supplier and by what came of them.',
    labelNames: ['supplier', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { code: supplier, calls } of suppliers())
        for (const [outcome, count] of Object.entries(calls)) this.inc({ supplier, outcome }, count);
    },
  });
  const gauge = (name: string, help: string, measure: (supplier: SupplierMeasures) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['supplier'],
      registers,
      collect() {
        this.reset();
        for (const supplier of suppliers()) {
          const value = measure(supplier);
          if (value !== null) this.set({ supplier: supplier.code }, value);
        }
      },
    });
  gauge(
    'topgate_supplier_success_ratio',
    'Share of purchases of the last hour, over all processes, that went well.',
    ({ successRate }) => successRate,
  );
  gauge('topgate_supplier_latency_p50_seconds', 'Half of the answers of the last hour took at most this.', ({ latencyP50Ms }) =>
    toSeconds(latencyP50Ms),
  );
  gauge('topgate_supplier_latency_p95_seconds', '95 % of the answers of the last hour took at most this.', ({ latencyP95Ms }) =>
    toSeconds(latencyP95Ms),
  );
  gauge('topgate_supplier_balance', 'Our balance at the supplier, in minor units, as last read.', ({ balance }) => balance);
  gauge('topgate_supplier_balance_read_seconds', 'When it was read, in seconds since 1970.', ({ balanceAt }) =>
    toSeconds(balanceAt === null ? null : balanceAt.getTime()),
  );
  gauge('topgate_supplier_balance_low', '1 while our balance is below the warning.', ({ balance, warnBalance }) => {
    if (balance === null || warnBalance === null) return null;
    return balance < warnBalance ? 1 : 0;
  });
  gauge('topgate_supplier_accepting_orders', '0 while it is paused, on hold or resting.', ({ isAcceptingOrders }) =>
    isAcceptingOrders ? 1 : 0,
  );
}

function toSeconds(valueMs: number | null): number | null {
  return valueMs === null ? null : valueMs / 1_000;
}
