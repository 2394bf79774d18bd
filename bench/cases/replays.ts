import { bareFastify, bareOrdersFor } from '../baselines/bare-fastify.ts';
import type { BenchCase, Context } from '../case.ts';
import { alternate, type Sample } from '../report/figures.ts';
import { closedLoop, estimateSides } from '../system/order-sides.ts';
import { connectionsText, toSample, withTopgate } from '../system/topgate.ts';

const CONNECTIONS = 64;

/** Known orders sent again, as programs do that lost the answer: found and answered, and nothing is written. */
export const benchCase: BenchCase = {
  name: 'replays',
  title: 'Orders that are known',
  isLong: true,
  estimate: (plan) => estimateSides(plan, 5),
  async run(context) {
    const figures = await alternate(context, 'replays/s', [
      bareFastify(context, { connections: [CONNECTIONS], requests: bareOrdersFor(context), isBaseline: true }),
      ...(['postgres', 'embedded'] as const).map((engine) => ({
        subject: `Topgate, ${engine === 'postgres' ? 'PostgreSQL, ROLE=api' : 'embedded, ROLE=all'}`,
        isBaseline: false,
        measure: () => measure(context, engine),
      })),
    ]);
    return {
      figures,
      measured: {},
      notes: ['Each answer says that it is a replay; afterwards there are as many rows as before.'],
    };
  },
};

function measure(context: Context, engine: 'postgres' | 'embedded'): Promise<Sample[]> {
  const roles = [engine === 'postgres' ? ('api' as const) : ('all' as const)];
  return withTopgate(context, { engine, roles, resellers: 100 }, async (topgate) => {
    const load = { connections: CONNECTIONS, arrivals: closedLoop(context) };
    const { report } = await topgate.order(load);
    return [toSample(await topgate.replay({ ...load, known: report.accepted }), connectionsText(CONNECTIONS))];
  });
}
