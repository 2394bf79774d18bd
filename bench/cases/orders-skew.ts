import { BASELINE_CONNECTIONS, oneByOne } from '../baselines/one-by-one.ts';
import type { BenchCase } from '../case.ts';
import { alternate } from '../report/figures.ts';
import { chooseByZipf, estimateSides, topgateOrders } from '../system/order-sides.ts';

const RESELLERS = 10_000;
const SET_UP_SECONDS = 50;

/** 10,000 resellers, the busiest of whom sends a tenth of everything: Zipf's law with exponent 1. */
export const benchCase: BenchCase = {
  name: 'orders-skew',
  title: 'Orders of 10,000 resellers, by Zipf',
  isLong: true,
  estimate: (plan) => SET_UP_SECONDS + estimateSides(plan, 5),
  async run(context) {
    const figures = await alternate(context, 'orders/s', [
      oneByOne(context, { resellers: RESELLERS, connections: BASELINE_CONNECTIONS, choose: chooseByZipf }),
      topgateOrders(context, {
        subject: 'Topgate, PostgreSQL, ROLE=api',
        engine: 'postgres',
        roles: ['api'],
        resellers: RESELLERS,
        choice: 'zipf',
      }),
    ]);
    return { figures, measured: {}, notes: [] };
  },
};
