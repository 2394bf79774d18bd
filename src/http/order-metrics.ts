import { Gauge, type Registry } from 'prom-client';

/** Orders that wait, in one mode. */
export interface WaitingMeasures {
  mode: string;
  inReview: number;
  reviewSince: Date | null;
  due: number;
}

/** Measurements of orders that wait, over all processes. Without a value while the database does not tell. */
export function measureWaitingOrders(
  registry: Registry,
  waiting: () => Promise<WaitingMeasures[] | null>,
  now: () => Date,
): void {
  const gauge = (name: string, help: string, measure: (orders: WaitingMeasures) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['mode'],
      registers: [registry],
      async collect() {
        const orders = await waiting();
        this.reset();
        for (const one of orders ?? []) this.set({ mode: one.mode }, measure(one));
      },
    });
  gauge('topgate_orders_in_review', "Orders that wait for an operator's decision.", ({ inReview }) => inReview);
  gauge(
    'topgate_orders_in_review_oldest_seconds',
    'How long the longest of them has waited; 0 when there is none.',
    ({ reviewSince }) => (reviewSince === null ? 0 : Math.max(0, (now().getTime() - reviewSince.getTime()) / 1_000)),
  );
  gauge('topgate_orders_due', 'Orders whose next step is due, those under way included.', ({ due }) => due);
}
