import type { BenchCase, Context } from '../case.ts';
import { alternate, type Sample } from '../report/figures.ts';
import { DEPOSIT, type Installation } from '../system/installations.ts';
import { closedLoop, estimateSides } from '../system/order-sides.ts';
import { storeOrders } from '../system/store-orders.ts';
import { connectionsText, toSample, withTopgate } from '../system/topgate.ts';
import { judgeRatio } from '../targets.ts';

const RESELLERS = 1_000;
const ORDERS_EACH = 5_000;
const CONNECTIONS = [64, 256];
const EMPTY = 'Topgate, no orders stored';
const FULL = 'Topgate, 5 million orders stored';
const PREPARE_SECONDS = 300;

/** Whether orders take longer when there are many already: the indexes are deeper and do not fit into memory. */
export const benchCase: BenchCase = {
  name: 'stored',
  title: 'Orders on top of 5 million',
  isLong: true,
  estimate: (plan) => PREPARE_SECONDS + estimateSides(plan, 2 * CONNECTIONS.length),
  async run(context) {
    const installation = await context.installations.open('postgres', RESELLERS);
    await storeOrders(installation, { each: ORDERS_EACH, deposit: DEPOSIT, step: context.step });
    const figures = await alternate(context, 'orders/s', [
      { subject: EMPTY, isBaseline: true, measure: () => measure(context) },
      { subject: FULL, isBaseline: false, measure: () => measure(context, installation) },
    ]);
    await installation.discard();
    return {
      figures,
      measured: { stored: judgeRatio('stored', figures, FULL, EMPTY) },
      notes: [
        'PostgreSQL, ROLE=api, 1,000 resellers. What is ordered in the measurement is counted and summed as everywhere.',
        'The stored orders were written with SQL: rows and balances fit, hashes do not, so this database is not audited.',
      ],
    };
  },
};

function measure(context: Context, installation?: Installation): Promise<Sample[]> {
  const options = { engine: 'postgres', roles: ['api' as const], resellers: RESELLERS } as const;
  const where = installation ? { ...options, installation, isAudited: false } : options;
  return withTopgate(context, { ...where, roles: ['api'] }, async (topgate) => {
    const samples: Sample[] = [];
    for (const connections of CONNECTIONS)
      samples.push(toSample(await topgate.order({ connections, arrivals: closedLoop(context) }), connectionsText(connections)));
    return samples;
  });
}
