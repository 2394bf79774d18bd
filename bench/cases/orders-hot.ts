import { BASELINE_CONNECTIONS, ONE_BY_ONE, oneByOne } from '../baselines/one-by-one.ts';
import type { BenchCase } from '../case.ts';
import { alternate } from '../report/figures.ts';
import { chooseEvenly, estimateSides, topgateOrders } from '../system/order-sides.ts';
import { judgeRatio } from '../targets.ts';

const ON_POSTGRES = 'Topgate, PostgreSQL, ROLE=api';
const EMBEDDED = 'Topgate, embedded, ROLE=all';

/** One reseller sends everything, so every order waits for the same balance: where one transaction per order is at its worst. */
export const benchCase: BenchCase = {
  name: 'orders-hot',
  title: 'Orders of one hot reseller',
  isLong: false,
  estimate: (plan) => estimateSides(plan, 8),
  async run(context) {
    const figures = await alternate(context, 'orders/s', [
      oneByOne(context, { resellers: 1, connections: BASELINE_CONNECTIONS, choose: chooseEvenly }),
      topgateOrders(context, { subject: ON_POSTGRES, engine: 'postgres', roles: ['api'], resellers: 1 }),
      topgateOrders(context, { subject: EMBEDDED, engine: 'embedded', roles: ['all'], resellers: 1 }),
    ]);
    return { figures, measured: { hot: judgeRatio('hot', figures, ON_POSTGRES, ONE_BY_ONE) }, notes: [] };
  },
};
